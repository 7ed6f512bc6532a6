/** Breadcrumbs that a page knows only when its data is there: the node and the incident of a profile. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

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
