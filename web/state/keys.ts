/**
 * The keyboard. Keys are one character or two in a row; nothing fires while the user types in a field.
 *
 *     useKeys('Rows', { j: ['next row', down], k: ['previous row', up], 'g f': ['to the fleet', toFleet] });
 */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export type KeyBindings = Readonly<Record<string, readonly [does: string, act: () => void]>>;

interface Layer {
  readonly title: string;
  readonly bindings: () => KeyBindings;
}

/** What is bound now, the last one first to be asked. */
export const layers = signal<readonly Layer[]>([]);

const SECOND_KEY_MS = 900;
let first: { readonly key: string; readonly at: number } | undefined;

export function useKeys(title: string, bindings: KeyBindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    const layer: Layer = { title, bindings: () => latest.current };
    layers.value = [...layers.value, layer];
    return () => void (layers.value = layers.value.filter(other => other !== layer));
  }, [title]);
}

export function listenToKeys(): void {
  addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // A dialog has the keyboard for itself.
    if (document.querySelector('dialog[open]') !== null) return;
    const typing = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    // Escape leaves a field; every other key is the field's.
    if (typing && event.key !== 'Escape') return;
    const { key, timeStamp: at } = event;
    const pair = first !== undefined && at - first.at < SECOND_KEY_MS ? `${first.key} ${key}` : undefined;
    first = undefined;
    if (act(pair) || act(key)) event.preventDefault();
    else if (isPrefix(key)) first = { key, at };
  });
}

function act(key: string | undefined): boolean {
  if (key === undefined) return false;
  const binding = layers.value
    .toReversed()
    .flatMap(layer => [layer.bindings()[key]])
    .find(found => found !== undefined);
  binding?.[1]();
  return binding !== undefined;
}

function isPrefix(key: string): boolean {
  return layers.value.some(layer => Object.keys(layer.bindings()).some(name => name.startsWith(`${key} `)));
}
