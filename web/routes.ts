/** The page for each path, and its breadcrumbs; here those of files, which need no server. */
import type { ComponentType } from 'preact';
import { matchPath, type PageProps } from './state/router.ts';
import type { Breadcrumb } from './state/frame.ts';

export type Page = ComponentType<PageProps>;

type Params = PageProps['params'];

export interface Route {
  readonly pattern: string;
  readonly load: () => Page | Promise<Page>;
  /** The breadcrumbs after the fleet, which always comes first. */
  readonly breadcrumbs: (params: Params) => readonly Breadcrumb[];
}

export const FILE_ROUTES: readonly Route[] = [
  {
    pattern: '/p/upload',
    load: async () => (await import('./pages/open-page.tsx')).OpenPage,
    breadcrumbs: () => [{ text: 'Open files', url: '/p/upload' }],
  },
  {
    pattern: '/p/:id',
    load: async () => (await import('./pages/profile-page.tsx')).ProfilePage,
    breadcrumbs: ({ id = '' }) => [{ text: 'Profile', url: `/p/${id}` }],
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

export function findRoute(routes: readonly Route[], pathname: string): MatchedRoute | undefined {
  for (const route of routes) {
    const params = matchPath(route.pattern, pathname);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}
