/**
 * The page that is a single file, and its worker: one script, so that both share its code. `npm run page` builds it.
 *
 *     <script type="application/json" id="given">{"version":"1.0.0","examples":[...]}</script>
 *     <script>(this file, bundled)</script>      as a page, and once more as a worker, from its own text
 */
import { render } from 'preact';
import { type Example, ExamplesContext } from './reader/examples.ts';
import { ProfileReader, ReaderContext } from './reader/profile-reader.ts';
import { serveProfiles } from './reader/serve-profiles.ts';
import { hasServer } from './state/api.ts';
import { listenToKeys } from './state/keys.ts';
import { LiveConnection, LiveContext } from './state/live.ts';
import { followLinks, keepAddressBehindHash } from './state/router.ts';
import { startTheme } from './state/theme.ts';
import { FILE_ROUTES } from './routes.ts';
import { Shell } from './shell.tsx';

interface Given {
  readonly version: string;
  readonly examples: readonly Example[];
}

if (typeof document === 'undefined') serveProfiles();
else startPage(document.currentScript?.textContent ?? '');

function startPage(script: string): void {
  const { version, examples } = JSON.parse(document.getElementById('given')?.textContent ?? '') as Given;
  hasServer.value = false;
  keepAddressBehindHash('/p/upload');
  startTheme();
  followLinks(document);
  listenToKeys();
  const live = new LiveConnection();
  live.startAlone(statusOf(version));
  const reader = new ProfileReader(() => {
    const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    return new Worker(url);
  });
  render(
    <LiveContext.Provider value={live}>
      <ReaderContext.Provider value={reader}>
        <ExamplesContext.Provider value={examples}>
          <Shell routes={FILE_ROUTES} />
        </ExamplesContext.Provider>
      </ReaderContext.Provider>
    </LiveContext.Provider>,
    document.getElementById('app') as HTMLElement,
  );
}

/** As a server without a fleet would say it. */
function statusOf(version: string): Parameters<LiveConnection['startAlone']>[0] {
  const now = Date.now() / 1000;
  return {
    schema: 'oakum.status/v1',
    version,
    mode: 'files',
    cluster: 'Open files',
    startedAt: now,
    now,
    pace: 1,
    targetCount: 0,
    lastRoundSeconds: null,
    silent: [],
    capturesAllowed: false,
    missingRights: [],
    store: { bytes: 0, degraded: null },
    grafana: null,
    story: [],
    files: [],
  };
}
