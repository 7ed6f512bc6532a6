/**
 * The value of each attribute over time, as runs.
 *
 *     version   v1.35.7  10:00 .............. 13:50
 *     version   v1.36.0                             14:00 .......... 18:00
 */

import type { Attributes } from './target.ts';

export interface AttributeRun {
  readonly attribute: string;
  readonly value: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/** What a target is from a moment on: the attributes that differ from before. */
export interface Description {
  readonly atSeconds: number;
  readonly attributes: Attributes;
}

interface Run {
  readonly value: string;
  fromSeconds: number;
  toSeconds: number;
  /** The shortest time between two of its samples. */
  stepSeconds: number;
}

/** A scrape or two may be missing. */
const STEPS_MISSED = 1.5;
const MIN_GAP_SECONDS = 300;

export class AttributeRuns {
  readonly #runs = new Map<string, Run[]>();

  /** In any order; the samples of one series usually come together. */
  add(attribute: string, value: string, atSeconds: number): void {
    let runs = this.#runs.get(attribute);
    if (runs === undefined) this.#runs.set(attribute, (runs = []));
    const last = runs.at(-1);
    if (last?.value !== value || isAfterGap(last, atSeconds)) {
      runs.push({ value, fromSeconds: atSeconds, toSeconds: atSeconds, stepSeconds: Infinity });
      return;
    }
    if (atSeconds > last.toSeconds) last.stepSeconds = Math.min(last.stepSeconds, atSeconds - last.toSeconds);
    last.fromSeconds = Math.min(last.fromSeconds, atSeconds);
    last.toSeconds = Math.max(last.toSeconds, atSeconds);
  }

  all(): AttributeRun[] {
    return [...this.#runs].flatMap(([attribute, runs]) =>
      runs.map(({ value, fromSeconds, toSeconds }) => ({ attribute, value, fromSeconds, toSeconds })),
    );
  }
}

/** In a gap of its series the target may have had another value, which it gave up again: a version that was rolled back. */
function isAfterGap({ toSeconds, stepSeconds }: Run, atSeconds: number): boolean {
  return atSeconds - toSeconds > STEPS_MISSED * stepSeconds + MIN_GAP_SECONDS;
}

/**
 * In time order. Where two runs overlap, as two series do while one goes stale, the one that begins later counts, or of
 * two that begin together the one that lasts longer.
 */
export function descriptionsOf(runs: readonly AttributeRun[]): Description[] {
  const ordered = [...runs].sort((a, b) => a.fromSeconds - b.fromSeconds || a.toSeconds - b.toSeconds);
  const known = new Map<string, string>();
  const descriptions: { atSeconds: number; attributes: Record<string, string> }[] = [];
  for (const { attribute, value, fromSeconds } of ordered) {
    if (known.get(attribute) === value) continue;
    const isFirst = !known.has(attribute);
    known.set(attribute, value);
    // What is seen of a target for the first time was there before.
    const atSeconds = isFirst ? (descriptions[0]?.atSeconds ?? fromSeconds) : fromSeconds;
    const same = descriptions.find(one => one.atSeconds === atSeconds);
    if (same === undefined) descriptions.push({ atSeconds, attributes: { [attribute]: value } });
    else same.attributes[attribute] = value;
  }
  return descriptions;
}
