/** Labels of samples: which values a key has, and how much of the profile each value covers. */
import type { Profile } from '../../src/model/profile.ts';
import { scaledLabel } from '../../src/pprof/units/measurement.ts';

export interface LabelPair {
  readonly key: string;
  readonly value: string;
}

export interface LabelSummary {
  readonly key: string;
  /** The hundred largest, the largest first. */
  readonly values: readonly { readonly value: string; readonly total: number }[];
  readonly valueCount: number;
}

const MAX_KEYS = 40;
const MAX_VALUES = 100;
/** Stop counting there: the values of some labels, such as ids, are all different. */
const MAX_COUNTED = 20_000;

/** The text of a label; numbers include their unit. */
export function labelValue({ samples, strings }: Profile, row: number): string {
  const { str, num, unit } = samples.labels;
  if (str[row] !== 0) return strings[str[row]];
  const unitName = strings[unit[row]];
  return unitName === '' ? String(num[row]) : scaledLabel(num[row], unitName, 'auto');
}

/** The first value of `key` in a sample; undefined if there is none. */
export function labelOf(profile: Profile, sample: number, key: string): string | undefined {
  const { labelStart, labels } = profile.samples;
  for (let row = labelStart[sample]; row < labelStart[sample + 1]; row++) {
    if (profile.strings[labels.key[row]] === key) return labelValue(profile, row);
  }
  return undefined;
}

/** True if the sample has one of the wanted values for every wanted key. */
export function hasLabels(profile: Profile, sample: number, wanted: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (wanted.size === 0) return true;
  const { labelStart, labels } = profile.samples;
  const met = new Set<string>();
  for (let row = labelStart[sample]; row < labelStart[sample + 1]; row++) {
    const key = profile.strings[labels.key[row]];
    if (wanted.get(key)?.has(labelValue(profile, row)) === true) met.add(key);
  }
  return met.size === wanted.size;
}

/** The wanted values by key. */
export function byKey(pairs: readonly LabelPair[]): ReadonlyMap<string, ReadonlySet<string>> {
  const wanted = new Map<string, Set<string>>();
  for (const { key, value } of pairs) wanted.set(key, (wanted.get(key) ?? new Set()).add(value));
  return wanted;
}

/** Totals of every key and value for one sample type. */
export function summariseLabels(profile: Profile, sampleIndex: number): LabelSummary[] {
  const { samples, strings } = profile;
  const totals = new Map<string, Map<string, number>>();
  for (let sample = 0; sample < samples.length; sample++) {
    const weight = Math.abs(Number(samples.values[sampleIndex][sample]));
    if (weight === 0) continue;
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      const key = strings[samples.labels.key[row]];
      let values = totals.get(key);
      if (values === undefined) {
        if (totals.size >= MAX_KEYS) continue;
        totals.set(key, (values = new Map()));
      }
      const value = labelValue(profile, row);
      if (values.size < MAX_COUNTED || values.has(value)) values.set(value, (values.get(value) ?? 0) + weight);
    }
  }
  return Array.from(totals, ([key, values]) => ({
    key,
    valueCount: values.size,
    values: [...values]
      .map(([value, total]) => ({ value, total }))
      .sort((a, b) => b.total - a.total || (a.value < b.value ? -1 : 1))
      .slice(0, MAX_VALUES),
  }));
}
