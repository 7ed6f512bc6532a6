/**
 * Keyboard shortcuts: one key, or two in a row. None of them fires while the user types in a field.
 *
 *     useKeys('Rows', { j: ['next row', down], k: ['previous row', up], 'g f': ['go to the fleet', toFleet] });
 */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export type KeyBindings = Readonly<Record<string, readonly [action: string, run: () => void]>>;

interface KeyLayer {
  readonly title: string;
  readonly bindings: () => KeyBindings;
}

/** The current bindings. The last layer takes precedence. */
export const keyLayers = signal<readonly KeyLayer[]>([]);

const SECOND_KEY_MS = 900;

export function useKeys(title: string, bindings: KeyBindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  // Before the paint: what is seen can be used.
  useLayoutEffect(() => {
    const layer: KeyLayer = { title, bindings: () => latest.current };
    keyLayers.value = [...keyLayers.value, layer];
    return () => void (keyLayers.value = keyLayers.value.filter(other => other !== layer));
  }, [title]);
}

export function listenToKeys(): void {
  let first: { readonly key: string; readonly at: number } | undefined;
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // An open dialog handles its own keys.
    if (document.querySelector('dialog[open]') !== null) return;
    const typing = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    // Escape leaves a field; every other key belongs to it.
    if (typing && event.key !== 'Escape') return;
    const { key, timeStamp: at } = event;
    const pair = first !== undefined && at - first.at < SECOND_KEY_MS ? `${first.key} ${key}` : undefined;
    first = undefined;
    if (run(pair) || run(key)) event.preventDefault();
    else if (isPrefix(key)) first = { key, at };
  });
}

function run(key: string | undefined): boolean {
  if (key === undefined) return false;
  const binding = keyLayers.value
    .toReversed()
    .flatMap(layer => [layer.bindings()[key]])
    .find(found => found !== undefined);
  binding?.[1]();
  return binding !== undefined;
}

function isPrefix(key: string): boolean {
  return keyLayers.value.some(layer => Object.keys(layer.bindings()).some(name => name.startsWith(`${key} `)));
}
