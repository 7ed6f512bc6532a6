/** What the API server says about nodes, for timelines and the OOM cycle: events, and changed conditions. */
import type { ConditionObservation, CycleObservation, KubeEventObservation } from '../../evidence/cycle/cycle.ts';
import type { WatchedEvent } from '../../store/records.ts';

const MAX_OBSERVATIONS = 300;
const MAX_TEXT = 300;

/** Conditions for which `True` is good. */
const GOOD = new Set(['Ready', 'Registered']);

export class NodeFacts {
  readonly #observations = new Map<string, CycleObservation[]>();
  readonly #seen = new Map<string, Set<string>>();

  of(target: string): readonly CycleObservation[] {
    return this.#observations.get(target) ?? [];
  }

  forget(target: string): void {
    this.#observations.delete(target);
    this.#seen.delete(target);
  }

  /** What to put on the target's timeline; undefined when it says nothing new. */
  add(target: string, observation: CycleObservation): WatchedEvent | undefined {
    const before = this.#observations.get(target) ?? [];
    const changed = observation.kind !== 'condition' || isChange(observation, before);
    const key = keyOf(observation);
    const seen = this.#seen.get(target) ?? new Set();
    if (seen.has(key)) return undefined;
    this.#seen.set(target, seen.add(key));
    before.push(observation);
    if (before.length > MAX_OBSERVATIONS) seen.delete(keyOf(before.shift() ?? observation));
    this.#observations.set(target, before);
    if (observation.kind === 'kube-event') return eventOf(observation);
    return observation.kind === 'condition' && changed ? conditionEvent(observation) : undefined;
  }
}

/** Heartbeats of a condition are not events; repetitions of an event are. */
function keyOf(observation: CycleObservation): string {
  switch (observation.kind) {
    case 'kube-event':
      return `${observation.reason} ${observation.message} ${observation.atSeconds} ${observation.count}`;
    case 'condition':
      return `${observation.type} ${observation.status} ${observation.sinceSeconds}`;
    case 'boot':
      return observation.bootId;
    default:
      return `${observation.kind} ${observation.source} ${observation.atSeconds}`;
  }
}

/** A condition from before the start is an event only if it is bad. */
function isChange({ type, status }: ConditionObservation, before: readonly CycleObservation[]): boolean {
  const last = before.findLast(one => one.kind === 'condition' && one.type === type);
  if (last?.kind === 'condition') return last.status !== status;
  return status !== (GOOD.has(type) ? 'True' : 'False');
}

function eventOf({ reason, message, atSeconds, lastSeconds, kill }: KubeEventObservation): WatchedEvent | undefined {
  const at = lastSeconds ?? atSeconds;
  if (at === undefined) return undefined;
  const text = `${reason}: ${message}`.slice(0, MAX_TEXT);
  if (kill !== undefined) return { at, kind: 'oom', text };
  return { at, kind: reason === 'Rebooted' ? 'reboot' : 'event', text };
}

function conditionEvent({ type, status, reason, message, ...times }: ConditionObservation): WatchedEvent | undefined {
  const at = times.sinceSeconds ?? times.atSeconds;
  if (at === undefined || type === 'Registered') return undefined;
  const why = [reason, message].filter(part => part !== '').join(': ');
  return { at, kind: 'condition', text: `${type} is ${status}${why === '' ? '' : ` (${why})`}`.slice(0, MAX_TEXT) };
}
