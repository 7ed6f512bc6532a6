/** What surrounds the pages: a fleet's frame, or that of a file viewer (`oakum pprof -http`), which watches nothing. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WatchStatus } from '../../src/watch/watch-model.ts';
import { status } from './live.ts';
import { path, query } from './router.ts';
import { withRange } from './time-range.ts';

/** Undefined until the server has said what it is. */
export const frame: ReadonlySignal<'fleet' | 'files' | undefined> = computed(() =>
  status.value === null ? undefined : status.value.mode === 'files' ? 'files' : 'fleet',
);

/** The first breadcrumb: the fleet, or the files that were given. */
export const home: ReadonlySignal<Breadcrumb> = computed(() =>
  status.value?.mode === 'files'
    ? { text: status.value.cluster, url: filesUrl(status.value) }
    : { text: 'Fleet', url: withRange('/') },
);

/** Whether the page is that first one. */
export const isAtHome: ReadonlySignal<boolean> = computed(() => {
  const [pathname, search] = home.value.url.split('?');
  if (path.value !== pathname) return false;
  if (status.value?.mode !== 'files') return true;
  return [...new URLSearchParams(search)].every(([name, value]) => query.value.get(name) === value);
});

/** As the user gave it to `oakum pprof -http`; undefined for anything else. A digest says nothing to people. */
export function servedName(sha256: string): string | undefined {
  const sources = status.value?.files?.find(file => file.sha256 === sha256)?.sources;
  return sources?.map(source => source.slice(source.lastIndexOf('/') + 1)).join(', ');
}

/** One file on its page; with a base, both compared. */
function filesUrl({ files = [] }: WatchStatus): string {
  const [first, second] = files;
  if (first === undefined) return '/p/upload';
  return second === undefined ? `/p/${first.sha256}` : `/compare?a=${first.sha256}&b=${second.sha256}`;
}

/** Breadcrumbs that a page knows only when its data is there: the node and the incident of a profile. */
export interface Breadcrumb {
  readonly text: string;
  readonly url: string;
}

const known = signal<readonly Breadcrumb[] | undefined>(undefined);

/** After the fleet; undefined if the page has none of its own. */
export const pageBreadcrumbs: ReadonlySignal<readonly Breadcrumb[] | undefined> = known;

/** Undefined while they are not known. */
export function useBreadcrumbs(breadcrumbs: readonly Breadcrumb[] | undefined): void {
  useEffect(() => {
    known.value = breadcrumbs;
    return () => void (known.value = undefined);
  }, [JSON.stringify(breadcrumbs)]);
}
