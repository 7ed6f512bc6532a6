/** What targets are, as watch learns it: kept by the store, on the timeline, and given to the detector. */
import type { Attributes } from '../../../model/cohort.ts';
import { changeText, readChangeText } from '../../../model/attribute-change-text.ts';
import { GATE_PREFIX } from '../../../evidence/attributes/of-series.ts';
import type { WatchedTarget } from './watched-target.ts';
import type { WatchState } from './watch-state.ts';

/** Attributes of the watch itself, not of the target. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['sampled']);

/**
 * Notes what is new about a target. What is seen of it for the first time was there before; a value that differs from
 * the last one is a change at `at`.
 */
export function describeTarget(state: WatchState, target: WatchedTarget, seen: Attributes, at: number): void {
  const gates = Object.fromEntries(Object.entries(seen).filter(([key]) => key.startsWith(GATE_PREFIX)));
  const others = Object.fromEntries(Object.entries(seen).filter(([key]) => !key.startsWith(GATE_PREFIX)));
  noteChanges(state, target, target.gates, gates, at);
  target.gates = { ...target.gates, ...gates };
  if (noteChanges(state, target, target.attributes, others, at)) {
    target.attributes = { ...target.attributes, ...others };
    state.ports.samples.putTarget(target.name, target.attributes);
  }
}

/** Whether anything is new. */
function noteChanges(
  state: WatchState,
  target: WatchedTarget,
  before: Attributes,
  seen: Attributes,
  at: number,
): boolean {
  const first: Record<string, string> = {};
  const changed: Record<string, string> = {};
  for (const [attribute, value] of Object.entries(seen)) {
    const from = before[attribute];
    if (from === value) continue;
    (from === undefined ? first : changed)[attribute] = value;
    if (from === undefined || NOT_COMPARED.has(attribute)) continue;
    const text = changeText({ attribute, from, to: value });
    state.ports.incidents.addEvent(target.name, { at, kind: 'change', text });
  }
  tellDetector(state, target.name, first, -Infinity);
  tellDetector(state, target.name, changed, at);
  return Object.keys(first).length + Object.keys(changed).length > 0;
}

function tellDetector({ described }: WatchState, target: string, attributes: Attributes, at: number): void {
  const compared = Object.entries(attributes).filter(([attribute]) => !NOT_COMPARED.has(attribute));
  if (compared.length > 0) described.push({ target, at, attributes: Object.fromEntries(compared) });
}

/** Tells a new detector what a target is and was, from what the store kept. */
export async function recallDescription(state: WatchState, target: WatchedTarget, from: number): Promise<void> {
  const { ports } = state;
  const events = await ports.incidents.events(target.name, from, Infinity);
  const changes = events.flatMap(({ at, kind, text }) => {
    const change = kind === 'change' ? readChangeText(text) : undefined;
    return change === undefined ? [] : [{ at, ...change }];
  });
  // What it was in the beginning: what it is now, with the changes undone, the last one first.
  const original: Record<string, string> = { ...target.gates, ...target.attributes };
  for (const { attribute, from: before } of [...changes].reverse()) original[attribute] = before;
  tellDetector(state, target.name, original, -Infinity);
  for (const { at, attribute, to } of changes) tellDetector(state, target.name, { [attribute]: to }, at);
}
