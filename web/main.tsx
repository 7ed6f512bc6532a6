import { render } from 'preact';
import { ProfileReader, ReaderContext } from './reader/profile-reader.ts';
import { listenToKeys } from './state/keys.ts';
import { LiveConnection, LiveContext } from './state/live.ts';
import { followLinks, targetUrl } from './state/router.ts';
import { startTheme } from './state/theme.ts';
import { FleetPage } from './pages/fleet-page.tsx';
import { FILE_ROUTES, type Route } from './routes.ts';
import { Shell } from './shell.tsx';

/** The fleet page is in the first bundle; the others load on demand. */
const FLEET_ROUTES: readonly Route[] = [
  { pattern: '/', load: () => FleetPage, breadcrumbs: () => [] },
  {
    pattern: '/t/:target+',
    load: async () => (await import('./pages/target-page.tsx')).TargetPage,
    breadcrumbs: ({ target = '' }) => [{ text: target, url: targetUrl(target) }],
  },
  {
    pattern: '/i',
    load: async () => (await import('./pages/incidents-page.tsx')).IncidentsPage,
    breadcrumbs: () => [{ text: 'Incidents', url: '/i' }],
  },
  {
    pattern: '/i/:id',
    load: async () => (await import('./pages/incident-page.tsx')).IncidentPage,
    breadcrumbs: ({ id = '' }) => [
      { text: 'Incidents', url: '/i' },
      { text: id, url: `/i/${encodeURIComponent(id)}` },
    ],
  },
  ...FILE_ROUTES,
];

function startPage(live: LiveConnection, reader: ProfileReader): void {
  startTheme();
  followLinks(document);
  listenToKeys();
  live.start();
  render(
    <LiveContext.Provider value={live}>
      <ReaderContext.Provider value={reader}>
        <Shell routes={FLEET_ROUTES} />
      </ReaderContext.Provider>
    </LiveContext.Provider>,
    document.getElementById('app') as HTMLElement,
  );
}

startPage(
  new LiveConnection(),
  new ProfileReader(() => new Worker(new URL('./reader/profile-worker.ts', import.meta.url), { type: 'module' })),
);
