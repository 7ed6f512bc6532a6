/**
 * A sample's labels as pprof sees them: string labels and numeric labels, each a key with one or more values.
 *
 * Label rows with a string value are string labels, the others numeric; values of one key keep their order.
 */
import type { Profile } from '../../profile.ts';
import { Uint32ColumnBuilder } from '../../../base/columns.ts';
import { Int64ColumnBuilder } from '../../../base/int64.ts';

interface NumericLabel {
  readonly values: readonly (number | bigint)[];
  /** One per value, or empty if no value has a unit. */
  readonly units: readonly string[];
}

export function stringLabels(profile: Profile, sample: number): Map<string, string[]> {
  const { samples, strings } = profile;
  const { labels } = samples;
  const out = new Map<string, string[]>();
  for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
    if (labels.str[row] === 0) continue;
    const key = strings[labels.key[row]];
    const values = out.get(key);
    if (values === undefined) out.set(key, [strings[labels.str[row]]]);
    else values.push(strings[labels.str[row]]);
  }
  return out;
}

export function numericLabels(profile: Profile, sample: number): Map<string, NumericLabel> {
  const { samples, strings } = profile;
  const { labels } = samples;
  const out = new Map<string, { values: (number | bigint)[]; units: string[] }>();
  for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
    if (labels.str[row] !== 0) continue;
    const key = strings[labels.key[row]];
    let entry = out.get(key);
    if (entry === undefined) out.set(key, (entry = { values: [], units: [] }));
    entry.values.push(labels.num[row]);
    const unit = strings[labels.unit[row]];
    if (unit !== '') {
      while (entry.units.length < entry.values.length - 1) entry.units.push('');
      entry.units.push(unit);
    } else if (entry.units.length > 0) {
      entry.units.push('');
    }
  }
  return out;
}

/**
 * The unit of each numeric label key: the first one given, or one inferred from the key. Also the keys that occurred
 * with other units.
 */
export function numericLabelUnits(profile: Profile): {
  readonly units: ReadonlyMap<string, string>;
  readonly ignored: ReadonlyMap<string, readonly string[]>;
} {
  const { labels } = profile.samples;
  const { strings } = profile;
  const units = new Map<string, string>();
  const ignored = new Map<string, Set<string>>();
  const keys = new Set<number>();
  for (let row = 0; row < labels.length; row++) {
    if (labels.str[row] !== 0) continue;
    keys.add(labels.key[row]);
    if (labels.unit[row] === 0) continue;
    const key = strings[labels.key[row]];
    const unit = strings[labels.unit[row]];
    if (unit === '') continue;
    const wanted = units.get(key);
    if (wanted === undefined) units.set(key, unit);
    else if (wanted !== unit) {
      if (!ignored.has(key)) ignored.set(key, new Set());
      ignored.get(key)!.add(unit);
    }
  }
  for (const index of keys) {
    const key = strings[index];
    if (!units.has(key)) units.set(key, key === 'alignment' || key === 'request' ? 'bytes' : key);
  }
  return { units, ignored: new Map([...ignored].map(([key, others]) => [key, [...others].sort()])) };
}

/** Sets one string label on every sample, replacing any value under that key. */
export function setLabel(profile: Profile, key: string, value: string): Profile {
  const { samples, strings } = profile;
  const { labels } = samples;
  const keyIndex = strings.length;
  const labelStart = new Uint32Array(samples.length + 1);
  const size = labels.length + samples.length;
  const columns = {
    key: new Uint32ColumnBuilder(size),
    str: new Uint32ColumnBuilder(size),
    unit: new Uint32ColumnBuilder(size),
  };
  const num = new Int64ColumnBuilder(size);
  for (let sample = 0; sample < samples.length; sample++) {
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      if (labels.str[row] !== 0 && strings[labels.key[row]] === key) continue;
      columns.key.push(labels.key[row]);
      columns.str.push(labels.str[row]);
      columns.unit.push(labels.unit[row]);
      num.push(labels.num[row]);
    }
    columns.key.push(keyIndex);
    columns.str.push(keyIndex + 1);
    columns.unit.push(0);
    num.push(0);
    labelStart[sample + 1] = columns.key.length;
  }
  return {
    ...profile,
    strings: [...strings, key, value],
    samples: {
      ...samples,
      labelStart,
      labels: {
        length: columns.key.length,
        key: columns.key.finish(),
        str: columns.str.finish(),
        num: num.finish(),
        unit: columns.unit.finish(),
      },
    },
  };
}
