/** Chooses each rule's parameters on the tuning seeds: the best F1; on a tie, the one with fewer false alarms. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ScoresBySubject } from '../run-fleet.ts';
import { ratesOf } from '../score/summary.ts';
import type { NamedVariant, TunedParameters } from './baseline-panel.ts';

const FILE = fileURLToPath(new URL('tuned.json', import.meta.url));

export function readTuned(): TunedParameters {
  return JSON.parse(readFileSync(FILE, 'utf8')) as TunedParameters;
}

export function writeTuned(tuned: TunedParameters): void {
  writeFileSync(FILE, `${JSON.stringify(tuned, undefined, 2)}\n`);
}

export function chooseBest(variants: readonly NamedVariant[], scores: ScoresBySubject): TunedParameters {
  const best = new Map<string, { readonly f1: number; readonly falseAlarms: number; readonly variant: NamedVariant }>();
  for (const variant of variants) {
    const { f1, falseAlarmsPerYear: falseAlarms } = ratesOf(scores.get(variant.subject) ?? []);
    const { rule } = variant.variant;
    const before = best.get(rule);
    const isBetter = before === undefined || f1 > before.f1 || (f1 === before.f1 && falseAlarms < before.falseAlarms);
    if (isBetter) best.set(rule, { f1, falseAlarms, variant });
  }
  return Object.fromEntries(Array.from(best, ([rule, { variant }]) => [rule, variant.variant.parameters]));
}
