/** The page for each path, and its breadcrumbs. The fleet page is in the first bundle; the others load on demand. */
import type { ComponentType } from 'preact';
import { FleetPage } from './pages/fleet-page.tsx';
import { matchPath, type PageProps, targetUrl } from './state/router.ts';
import type { Breadcrumb } from './state/frame.ts';

export type Page = ComponentType<PageProps>;

type Params = PageProps['params'];

interface Route {
  readonly pattern: string;
  readonly load: () => Page | Promise<Page>;
  /** The breadcrumbs after the fleet, which always comes first. */
  readonly breadcrumbs: (params: Params) => readonly Breadcrumb[];
}

const ROUTES: readonly Route[] = [
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
  {
    pattern: '/p/:id',
    load: async () => (await import('./pages/profile-page.tsx')).ProfilePage,
    breadcrumbs: ({ id = '' }) => [{ text: id === 'upload' ? 'Open files' : 'Profile', url: `/p/${id}` }],
  },
  {
    pattern: '/compare',
    load: async () => (await import('./pages/compare-page.tsx')).ComparePage,
    breadcrumbs: () => [{ text: 'Compare', url: '/compare' }],
  },
  {
    pattern: '/analysis/:id',
    load: async () => (await import('./pages/analysis-page.tsx')).AnalysisPage,
    breadcrumbs: ({ id = '' }) => [{ text: 'Analysis of files', url: `/analysis/${id}` }],
  },
  {
    pattern: '/catalogue',
    load: async () => (await import('./pages/catalogue-page.tsx')).CataloguePage,
    breadcrumbs: () => [{ text: 'Catalogue', url: '/catalogue' }],
  },
];

export interface MatchedRoute {
  readonly route: Route;
  readonly params: Params;
}

export function findRoute(pathname: string): MatchedRoute | undefined {
  for (const route of ROUTES) {
    const params = matchPath(route.pattern, pathname);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}
