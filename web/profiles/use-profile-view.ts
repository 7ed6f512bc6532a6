/** The tree that a profile's page shows, and the frames that match the search. */
import { useMemo } from 'preact/hooks';
import type { CallTree } from './call-tree.ts';
import type { TreeOptions } from '../reader/filters.ts';
import type { ProfileView } from '../reader/messages.ts';
import { useReader } from '../reader/profile-reader.ts';
import { useAsync, type AsyncValue } from '../state/use-api.ts';

export function useProfileView(
  after: string,
  before: string | undefined,
  options: TreeOptions,
): AsyncValue<ProfileView> {
  const reader = useReader();
  return useAsync(() => reader.ask('view', { after, before, options }), [after, before, JSON.stringify(options)]);
}

export interface Search {
  /** By frame: 1 if it matches; undefined without a search. */
  readonly matched: Uint8Array | undefined;
  /** Go's error message; '' if the expression is valid. */
  readonly problem: string;
}

export function useSearch(tree: CallTree | undefined, source: string): Search {
  const reader = useReader();
  const found = useAsync(
    () => (source === '' || tree === undefined ? Promise.resolve(undefined) : reader.ask('match', { source })),
    [tree, source],
  );
  return useMemo(() => {
    if (source === '') return { matched: undefined, problem: '' };
    const problem = found.error?.message ?? '';
    // The last result may belong to the previous tree: wait for the next one.
    const isCurrent = found.value !== undefined && found.value.length === tree?.frames.names.length;
    return { matched: isCurrent && problem === '' ? found.value : undefined, problem };
  }, [found, source, tree]);
}
