/** Which page an address shows, and the trail that leads to it. The fleet comes with the first load; others when opened. */
import type { ComponentType } from 'preact';
import { visible } from '../../src/base/visible-text.ts';
import { FleetPage } from '../pages/fleet/fleet-page.tsx';
import { matchPath, targetUrl } from '../state/router.ts';

export interface PageProps {
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
}

export type Page = ComponentType<PageProps>;

export interface Crumb {
  readonly text: string;
  readonly url: string;
}

interface PageEntry {
  readonly pattern: string;
  readonly load: () => Page | Promise<Page>;
  /** After the fleet, which every trail begins with. */
  readonly trail: (params: Record<string, string>) => readonly Crumb[];
}

const PAGES: readonly PageEntry[] = [
  { pattern: '/', load: () => FleetPage, trail: () => [] },
  {
    pattern: '/t/:target+',
    load: async () => (await import('../pages/target/target-page.tsx')).TargetPage,
    trail: ({ target }) => [{ text: visible(target), url: targetUrl(target) }],
  },
  {
    pattern: '/i',
    load: async () => (await import('../pages/incidents/incidents-page.tsx')).IncidentsPage,
    trail: () => [{ text: 'Incidents', url: '/i' }],
  },
  {
    pattern: '/i/:id',
    load: async () => (await import('../pages/incidents/incident-page.tsx')).IncidentPage,
    trail: ({ id }) => [
      { text: 'Incidents', url: '/i' },
      { text: visible(id), url: `/i/${encodeURIComponent(id)}` },
    ],
  },
  {
    pattern: '/p/:id',
    load: async () => (await import('../pages/profile/profile-page.tsx')).ProfilePage,
    trail: ({ id }) => [
      { text: id === 'upload' ? 'Open a file' : `Profile ${visible(id.slice(0, 12))}`, url: `/p/${id}` },
    ],
  },
  {
    pattern: '/compare',
    load: async () => (await import('../pages/profile/compare-page.tsx')).ComparePage,
    trail: () => [{ text: 'Compare', url: '/compare' }],
  },
  {
    pattern: '/catalogue',
    load: async () => (await import('../pages/catalogue/catalogue-page.tsx')).CataloguePage,
    trail: () => [{ text: 'Catalogue', url: '/catalogue' }],
  },
];

export interface FoundPage {
  readonly entry: PageEntry;
  readonly params: Record<string, string>;
}

export function findPage(pathname: string): FoundPage | undefined {
  for (const entry of PAGES) {
    const params = matchPath(entry.pattern, pathname);
    if (params !== undefined) return { entry, params };
  }
  return undefined;
}
