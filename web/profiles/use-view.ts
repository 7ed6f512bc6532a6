/** What the panes rest on, as hooks: the address, the view that fits it, and what a search finds in that view. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FlameTree } from '../call-tree/call-tree.ts';
import { setQuery } from '../state/router.ts';
import type { ViewChoice } from '../reader/build-tree.ts';
import type { View } from '../reader/messages.ts';
import { askDesk } from '../reader/worker-client.ts';
import { addressQuery, parseAddress, type ViewAddress } from './view-address.ts';

export type ChangeAddress = (changes: Partial<ViewAddress>) => void;

/** Panning changes the address many times a second; the bar above the page need not follow each. */
const ADDRESS_REST_MS = 200;

export function useAddress(query: URLSearchParams): readonly [ViewAddress, ChangeAddress] {
  const [address, setAddress] = useState(() => parseAddress(query));
  const written = useRef(query.toString());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(address);
  latest.current = address;

  useEffect(() => {
    if (query.toString() === written.current) return;
    // Not by us: a link, or back.
    written.current = query.toString();
    setAddress(parseAddress(query));
  }, [query.toString()]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const change: ChangeAddress = changes => {
    latest.current = { ...latest.current, ...changes };
    setAddress(latest.current);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setQuery(addressQuery(latest.current));
      written.current = new URLSearchParams(location.search).toString();
    }, ADDRESS_REST_MS);
  };
  return [address, change];
}

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
}

/** The last answer stays until the next one is there; an answer that was overtaken is dropped. */
export function useAsync<T>(ask: () => Promise<T> | undefined, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    let isCurrent = true;
    ask()?.then(
      value => isCurrent && setState({ value, error: undefined }),
      (error: unknown) =>
        isCurrent &&
        setState(known => ({ ...known, error: error instanceof Error ? error : new Error(String(error)) })),
    );
    return () => void (isCurrent = false);
  }, inputs);
  return state;
}

export function useView(after: string, before: string | undefined, choice: ViewChoice): Loaded<View> {
  return useAsync(() => askDesk('view', { after, before, choice }), [after, before, JSON.stringify(choice)]);
}

export interface Search {
  /** By frame; undefined when nothing is searched for. */
  readonly matched: Uint8Array | undefined;
  /** What Go would say of the expression; '' when it is fine. */
  readonly problem: string;
}

export function useSearch(tree: FlameTree | undefined, source: string): Search {
  const found = useAsync(
    () => (source === '' || tree === undefined ? Promise.resolve(undefined) : askDesk('match', { source })),
    [tree, source],
  );
  return useMemo(() => {
    if (source === '') return { matched: undefined, problem: '' };
    const problem = found.error?.message ?? '';
    // Of another tree: wait for the answer to this one.
    const fits = found.value !== undefined && found.value.length === tree?.frames.names.length;
    return { matched: fits && problem === '' ? found.value : undefined, problem };
  }, [found, source, tree]);
}

/** What the matching frames stand for together, a stack counted once. */
export function matchedTotal(tree: FlameTree, matched: Uint8Array): number {
  let total = 0;
  for (let node = 1; node < tree.length;) {
    if (matched[tree.frame[node]] === 1) {
      total += tree.total[node];
      node = tree.end[node];
    } else node++;
  }
  return total;
}
