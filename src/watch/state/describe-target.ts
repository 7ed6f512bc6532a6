/** What targets are, as watch learns it: kept by the store, on the timeline, and given to the detector. */
import { changeText, readChangeText } from '../incidents/phrases.ts';
import type { DescribedRow } from '../background.ts';
import { GATE_PREFIX } from '../../evidence/attributes-of-series.ts';
import type { WatchedTarget } from './watched-target.ts';
import type { WatchState } from './watch-state.ts';
import type { Attributes } from '../../evidence/target.ts';
import type { WatchedEvent } from '../../store/records.ts';

/** Attributes of the watch itself, not of the target. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['sampled']);

/**
 * Notes what is new about a target. What is seen of it for the first time was there before; a value that differs from
 * the last one is a change at `at`.
 */
export function describeTarget(state: WatchState, target: WatchedTarget, seen: Attributes, at: number): void {
  const gates = Object.fromEntries(Object.entries(seen).filter(([key]) => key.startsWith(GATE_PREFIX)));
  const others = Object.fromEntries(Object.entries(seen).filter(([key]) => !key.startsWith(GATE_PREFIX)));
  const hasNewGates = noteChanges(state, target, target.gates, gates, at);
  if (hasNewGates) target.gates = { ...target.gates, ...gates };
  if (hasNewGates && state.share.owns(target.name)) state.outgoing?.putAttributes(target.name, target.gates);
  if (noteChanges(state, target, target.attributes, others, at)) {
    target.attributes = { ...target.attributes, ...others };
    if (state.share.owns(target.name)) state.ports.store.putTarget(target.name, target.attributes);
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
    if (from === undefined || NOT_COMPARED.has(attribute) || !state.share.owns(target.name)) continue;
    const text = changeText({ attribute, from, to: value });
    state.ports.store.put({ kind: 'event', record: { target: target.name, at, kind: 'change', text } });
  }
  describeToDetector(state, target.name, first, -Infinity);
  describeToDetector(state, target.name, changed, at);
  return Object.keys(first).length + Object.keys(changed).length > 0;
}

function describeToDetector({ described }: WatchState, target: string, attributes: Attributes, at: number): void {
  const kept = compared(attributes);
  if (Object.keys(kept).length > 0) described.push({ target, at, attributes: kept });
}

/** What a target was, from what it is and the changes that the store kept: the oldest first. */
export function storedDescriptions(now: Attributes, events: readonly WatchedEvent[]): Omit<DescribedRow, 'target'>[] {
  const changes = events.flatMap(({ at, kind, text }) => {
    const change = kind === 'change' ? readChangeText(text) : undefined;
    return change === undefined ? [] : [{ at, ...change }];
  });
  // In the beginning: what it is now, with the changes undone, the last one first.
  const original: Record<string, string> = { ...now };
  for (const { attribute, from: before } of [...changes].reverse()) original[attribute] = before;
  return [
    { at: -Infinity, attributes: compared(original) },
    ...changes.map(({ at, attribute, to }) => ({ at, attributes: compared({ [attribute]: to }) })),
  ].filter(({ attributes }) => Object.keys(attributes).length > 0);
}

function compared(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([attribute]) => !NOT_COMPARED.has(attribute)));
}
