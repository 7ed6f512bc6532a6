/** Labels of samples: which values a key has, and how much of the profile each value covers. */
import type { Profile } from '../../src/profile/profile.ts';
import { scaledLabel } from '../../src/profile/pprof/measurement.ts';

export interface LabelPair {
  readonly key: string;
  readonly value: string;
}

export interface LabelSummary {
  readonly key: string;
  /** The hundred largest, the largest first. */
  readonly values: readonly LabelTotal[];
  readonly valueCount: number;
}

export interface LabelTotal {
  readonly value: string;
  readonly total: number;
  /** In the earlier of two profiles; 0 if nothing is compared. */
  readonly before: number;
}

const MAX_KEYS = 40;
const MAX_VALUES = 100;
/** Stop counting there: the values of some labels, such as ids, are all different. */
const MAX_COUNTED = 20_000;

/** The text of a label; numbers include their unit. */
function labelValue({ samples, strings }: Profile, row: number): string {
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

/** Totals of every key and value for one sample type, by its name: in a profile, and in an earlier one if it is given. */
export function summariseLabels(after: Profile, before: Profile | undefined, sampleType: string): LabelSummary[] {
  const totals = new Map<string, Totals>();
  addLabels(totals, after, sampleType, 'total');
  if (before !== undefined) addLabels(totals, before, sampleType, 'before');
  return Array.from(totals, ([key, byText]) => {
    const size = ({ total, before: was }: LabelTotal): number => Math.max(total, was);
    const values = [...byText.values()].sort((a, b) => size(b) - size(a) || (a.value < b.value ? -1 : 1));
    return { key, valueCount: values.length, values: values.slice(0, MAX_VALUES) };
  });
}

interface Sum {
  readonly value: string;
  total: number;
  before: number;
}

/** By the text of a value. */
type Totals = Map<string, Sum>;

function addLabels(totals: Map<string, Totals>, profile: Profile, sampleType: string, side: 'total' | 'before'): void {
  const { samples, strings, sampleTypes } = profile;
  const values = samples.values[sampleTypes.findIndex(({ type }) => type === sampleType)];
  if (values === undefined) return;
  const keys = new Map<number, ValueSums>();
  for (let sample = 0; sample < samples.length; sample++) {
    const weight = Math.abs(Number(values[sample]));
    if (weight === 0) continue;
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      const key = samples.labels.key[row];
      let ofKey = keys.get(key);
      if (ofKey === undefined) {
        let byText = totals.get(strings[key]);
        if (byText === undefined) {
          if (totals.size >= MAX_KEYS) continue;
          totals.set(strings[key], (byText = new Map()));
        }
        keys.set(key, (ofKey = new ValueSums(profile, byText)));
      }
      const sum = ofKey.of(row);
      if (sum !== undefined) sum[side] += weight;
    }
  }
}

/** Finds the sum for a label. Most samples share a few values, whose texts are made once. */
class ValueSums {
  private readonly profile: Profile;
  private readonly byText: Totals;
  private readonly byString = new Map<number, Sum | undefined>();
  /** By unit, then by number. */
  private readonly byNumber = new Map<number, Map<number | bigint, Sum | undefined>>();

  constructor(profile: Profile, byText: Totals) {
    this.profile = profile;
    this.byText = byText;
  }

  /** Undefined once there are too many values. */
  of(row: number): Sum | undefined {
    const { str, num, unit } = this.profile.samples.labels;
    if (str[row] !== 0) return this.find(this.byString, str[row], row);
    let ofUnit = this.byNumber.get(unit[row]);
    if (ofUnit === undefined) this.byNumber.set(unit[row], (ofUnit = new Map()));
    return this.find(ofUnit, num[row], row);
  }

  /** Several numbers may have one text: `1023B` and `1kB`, rounded. */
  private find<K>(known: Map<K, Sum | undefined>, value: K, row: number): Sum | undefined {
    if (known.has(value)) return known.get(value);
    const text = labelValue(this.profile, row);
    let sum = this.byText.get(text);
    if (sum === undefined && this.byText.size < MAX_COUNTED) {
      this.byText.set(text, (sum = { value: text, total: 0, before: 0 }));
    }
    if (known.size < MAX_COUNTED) known.set(value, sum);
    return sum;
  }
}
