/** -tagroot and -tagleaf: label values as pseudo frames at the root or the leaf of each stack. */
import { Int64ColumnBuilder, type Int64Column } from '../../../base/int64.ts';
import type { Profile } from '../../profile.ts';
import { scaledLabel } from '../measurement.ts';
import { numericLabels, stringLabels } from './sample-labels.ts';
import { rebuildStacks } from './stacks.ts';

export interface TagFrames {
  readonly profile: Profile;
  readonly rootMatched: boolean;
  readonly leafMatched: boolean;
}

/** Adds one frame per key: named by the sample's comma-joined values, in a file named by the key. */
export function addTagFrames(
  profile: Profile,
  rootKeys: readonly string[],
  leafKeys: readonly string[],
  outputUnit: string,
): TagFrames {
  if (rootKeys.length === 0 && leafKeys.length === 0) return { profile, rootMatched: false, leafMatched: false };
  const frames = new FrameTable(profile);
  const matched = { root: false, leaf: false };

  const framesFor = (sample: number, keys: readonly string[], end: 'root' | 'leaf'): number[] => {
    const out: number[] = [];
    // Backwards: the first key ends up closest to the root, the last closest to the leaf.
    for (let i = keys.length - 1; i >= 0; i--) {
      const values = formatValues(profile, sample, keys[i], outputUnit);
      if (values.length > 0) matched[end] = true;
      out.push(frames.intern(values.join(','), keys[i]));
    }
    return out;
  };

  const { stackStart } = profile.samples;
  const withFrames = rebuildStacks(profile, (sample, copy, push) => {
    const roots = framesFor(sample, rootKeys, 'root');
    const leaves = framesFor(sample, leafKeys, 'leaf');
    leaves.forEach(push);
    copy(stackStart[sample], stackStart[sample + 1]);
    roots.forEach(push);
    return true;
  });
  return {
    profile: frames.addTo(withFrames),
    rootMatched: matched.root,
    leafMatched: matched.leaf,
  };
}

function formatValues(profile: Profile, sample: number, key: string, outputUnit: string): string[] {
  const values = [...(stringLabels(profile, sample).get(key) ?? [])];
  const numeric = numericLabels(profile, sample).get(key);
  numeric?.values.forEach((value, i) => {
    values.push(
      numeric.units.length > 0 ? scaledLabel(value, numeric.units[i], outputUnit) : scaledLabel(value, '', ''),
    );
  });
  return values;
}

/** New functions and locations, appended to a profile's tables. */
class FrameTable {
  private readonly strings: string[];
  private readonly stringIndex = new Map<string, number>();
  private readonly frames = new Map<string, number>();
  private readonly names: number[] = [];
  private readonly files: number[] = [];
  private readonly firstLocation: number;

  constructor(profile: Profile) {
    this.strings = [...profile.strings];
    this.firstLocation = profile.locations.length;
  }

  intern(name: string, file: string): number {
    const key = `${name}\0${file}`;
    let location = this.frames.get(key);
    if (location === undefined) {
      location = this.firstLocation + this.names.length;
      this.frames.set(key, location);
      this.names.push(this.internString(name));
      this.files.push(this.internString(file));
    }
    return location;
  }

  private internString(text: string): number {
    if (text === '') return 0;
    let index = this.stringIndex.get(text);
    if (index === undefined) {
      index = this.strings.push(text) - 1;
      this.stringIndex.set(text, index);
    }
    return index;
  }

  addTo(profile: Profile): Profile {
    const { locations, functions } = profile;
    const count = this.names.length;
    const nextFunction = largest(functions.id) + 1n;
    const nextLocation = largest(locations.id) + 1n;
    const newIds = (first: bigint): bigint[] => Array.from({ length: count }, (_, i) => first + BigInt(i));
    const zeros = new Array<number>(count).fill(0);
    const lineCount = locations.lines.length;
    return {
      ...profile,
      strings: this.strings,
      functions: {
        length: functions.length + count,
        id: BigUint64Array.from([...functions.id, ...newIds(nextFunction)]),
        name: Uint32Array.from([...functions.name, ...this.names]),
        systemName: Uint32Array.from([...functions.systemName, ...zeros]),
        filename: Uint32Array.from([...functions.filename, ...this.files]),
        startLine: extend(functions.startLine, count),
      },
      locations: {
        length: locations.length + count,
        id: BigUint64Array.from([...locations.id, ...newIds(nextLocation)]),
        mapping: Int32Array.from([...locations.mapping, ...zeros.map(() => -1)]),
        address: BigUint64Array.from([...locations.address, ...zeros.map(() => 0n)]),
        isFolded: Uint8Array.from([...locations.isFolded, ...zeros]),
        lineStart: Uint32Array.from([...locations.lineStart, ...zeros.map((_, i) => lineCount + i + 1)]),
        lines: {
          length: lineCount + count,
          fn: Int32Array.from([...locations.lines.fn, ...zeros.map((_, i) => functions.length + i)]),
          line: extend(locations.lines.line, count),
          column: extend(locations.lines.column, count),
        },
      },
    };
  }
}

function largest(ids: BigUint64Array): bigint {
  let max = 0n;
  for (const id of ids) if (id > max) max = id;
  return max;
}

function extend(column: Int64Column, zeros: number): Int64Column {
  const builder = new Int64ColumnBuilder(column.length + zeros);
  for (const value of column) builder.push(value);
  for (let i = 0; i < zeros; i++) builder.push(0);
  return builder.finish();
}
