/** A profile with every index resolved and every column spread out, so that two of them can be compared. */
import { compareText } from '../../src/base/text.ts';
import type { Profile } from '../../src/profile/profile.ts';

export interface PlainLabel {
  readonly key: string;
  readonly str: string;
  readonly num: bigint;
  readonly unit: string;
}

export interface PlainSample {
  readonly stack: readonly number[];
  readonly values: readonly bigint[];
  /** String labels first, each kind by key; values of a key in their order. */
  readonly labels: readonly PlainLabel[];
}

export interface PlainProfile {
  readonly samples: readonly PlainSample[];
  readonly locations: readonly unknown[];
  readonly functions: readonly unknown[];
  readonly rest: unknown;
}

export function plainProfile(profile: Profile): PlainProfile {
  const { samples, locations, functions, strings, ...rest } = profile;
  const { labels } = samples;
  return {
    samples: Array.from({ length: samples.length }, (_, s) => ({
      stack: [...samples.stackLocations.subarray(samples.stackStart[s], samples.stackStart[s + 1])],
      values: samples.values.map(column => BigInt(column[s])),
      labels: range(samples.labelStart[s], samples.labelStart[s + 1])
        .map(row => ({
          key: strings[labels.key[row]],
          str: strings[labels.str[row]],
          num: BigInt(labels.num[row]),
          unit: strings[labels.unit[row]],
        }))
        .sort((a, b) => Number(a.str === '') - Number(b.str === '') || compareText(a.key, b.key)),
    })),
    locations: Array.from({ length: locations.length }, (_, l) => ({
      id: locations.id[l],
      mapping: locations.mapping[l],
      address: locations.address[l],
      isFolded: locations.isFolded[l],
      lines: range(locations.lineStart[l], locations.lineStart[l + 1]).map(i => ({
        fn: locations.lines.fn[i],
        line: BigInt(locations.lines.line[i]),
        column: BigInt(locations.lines.column[i]),
      })),
    })),
    functions: Array.from({ length: functions.length }, (_, f) => ({
      id: functions.id[f],
      name: strings[functions.name[f]],
      systemName: strings[functions.systemName[f]],
      filename: strings[functions.filename[f]],
      startLine: BigInt(functions.startLine[f]),
    })),
    rest,
  };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
