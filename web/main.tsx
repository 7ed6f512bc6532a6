import { render } from 'preact';
import { ProfileReader, ReaderContext } from './reader/profile-reader.ts';
import { listenToKeys } from './state/keys.ts';
import { LiveConnection, LiveContext } from './state/live.ts';
import { followLinks } from './state/router.ts';
import { startTheme } from './state/theme.ts';
import { Shell } from './shell.tsx';

function startPage(live: LiveConnection, reader: ProfileReader): void {
  startTheme();
  followLinks(document);
  listenToKeys();
  live.start();
  render(
    <LiveContext.Provider value={live}>
      <ReaderContext.Provider value={reader}>
        <Shell />
      </ReaderContext.Provider>
    </LiveContext.Provider>,
    document.getElementById('app') as HTMLElement,
  );
}

startPage(new LiveConnection(), new ProfileReader());
