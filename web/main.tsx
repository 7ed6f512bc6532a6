import { render } from 'preact';
import { listenToKeys } from './state/keys.ts';
import { startLive } from './state/live.ts';
import { followLinks } from './state/router.ts';
import { startTheme } from './state/theme.ts';
import { Shell } from './shell/shell.tsx';

startTheme();
followLinks(document);
listenToKeys();
startLive();
render(<Shell />, document.getElementById('app') as HTMLElement);
