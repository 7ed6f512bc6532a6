/**
 * Merges profiles: equal samples are summed, and only what they use is kept.
 *
 * Two samples are equal if their merged locations and all their labels are. Two locations are equal if they have the
 * same lines at the same offset of the same mapping. Two mappings are equal if size, offset and build id (or file)
 * agree. Order and numbering follow first appearance, as in google/pprof.
 */
import { Uint32ColumnBuilder } from '../../../base/columns.ts';
import { compareText } from '../../../base/text.ts';
import { ProfileBuilder, type LabelRow } from '../../profile-builder.ts';
import type { Mapping, Profile, ValueType } from '../../profile.ts';
import { truncateToInt64 } from '../../../base/int64.ts';
import { sameUnitFamily, scale } from '../measurement.ts';
import { scaleValues } from './scale-values.ts';
import { Failure, expected } from '../../../base/errors.ts';

/** Sums profiles of compatible types; a single profile is returned unchanged. */
export function combine(profiles: readonly Profile[]): Profile {
  const compatible = shareUnits(shareSampleTypes(profiles));
  return compatible.length === 1 ? compatible[0] : merge(compatible);
}

export function merge(profiles: readonly Profile[]): Profile {
  for (const profile of profiles.slice(1)) checkCompatible(profiles[0], profile);
  const merged = new Merger(profiles).run();
  const { values, length } = merged.samples;
  for (let sample = 0; sample < length; sample++) {
    // Merging the result once more drops samples that cancelled out and renumbers the rest.
    if (values.every(column => column[sample] == 0)) return merge([merged]);
  }
  return merged;
}

export function checkCompatible(a: Profile, b: Profile): void {
  const same = (x: { type: string; unit: string }, y: { type: string; unit: string }): boolean =>
    x.type === y.type && x.unit === y.unit;
  if (!same(a.periodType, b.periodType)) {
    throw new Failure('unreadable', `incompatible period types &${goText(a.periodType)} and &${goText(b.periodType)}`);
  }
  if (
    a.sampleTypes.length !== b.sampleTypes.length ||
    !a.sampleTypes.every((type, t) => same(type, b.sampleTypes[t]))
  ) {
    const list = (profile: Profile): string => `[${profile.sampleTypes.map(goText).join(' ')}]`;
    throw new Failure('unreadable', `incompatible sample types ${list(a)} and ${list(b)}`);
  }
}

class Merger {
  private readonly profiles: readonly Profile[];
  private readonly builder: ProfileBuilder;
  private readonly mappingIndex = new Map<string, number>();
  private readonly locationIndex = new Map<string, number>();
  private readonly sampleIndex: SampleIndex;
  private readonly labelSets = new Map<string, number>();
  private readonly values: bigint[][];
  private readonly sampleRows: { profile: number; sample: number }[] = [];

  constructor(profiles: readonly Profile[]) {
    this.profiles = profiles;
    this.builder = new ProfileBuilder(profiles[0].sampleTypes);
    this.values = profiles[0].sampleTypes.map(() => []);
    this.sampleIndex = new SampleIndex();
  }

  run(): Profile {
    this.profiles.forEach((profile, p) => this.addProfile(profile, p));
    this.sampleRows.forEach(({ profile, sample }, row) => {
      this.builder.addSample(
        this.sampleIndex.stack(row),
        this.values.map(column => BigInt.asIntN(64, column[row])),
        labelRows(this.profiles[profile], sample),
      );
    });
    return this.builder.finish(this.header());
  }

  private addProfile(profile: Profile, p: number): void {
    const { samples, locations } = profile;
    const mappingOf = new Int32Array(profile.mappings.length).fill(-1);
    const locationOf = new Int32Array(locations.length).fill(-1);
    // The first mapping represents the main binary, even if no sample is in it.
    if (this.builder.mappings.length === 0 && profile.mappings.length > 0) this.mapMapping(profile, 0, mappingOf);
    const stack: number[] = [];
    for (let sample = 0; sample < samples.length; sample++) {
      if (samples.values.every(column => column[sample] == 0)) continue;
      stack.length = 0;
      for (let i = samples.stackStart[sample]; i < samples.stackStart[sample + 1]; i++) {
        const location = samples.stackLocations[i];
        if (locationOf[location] < 0) locationOf[location] = this.mapLocation(profile, location, mappingOf);
        stack.push(locationOf[location]);
      }
      const row = this.sampleIndex.intern(stack, this.labelSet(profile, sample));
      if (row === this.sampleRows.length) {
        this.sampleRows.push({ profile: p, sample });
        this.values.forEach((column, t) => column.push(BigInt(samples.values[t][sample])));
      } else {
        this.values.forEach((column, t) => (column[row] += BigInt(samples.values[t][sample])));
      }
    }
  }

  private mapMapping(profile: Profile, mapping: number, mappingOf: Int32Array): number {
    if (mapping < 0) return -1;
    if (mappingOf[mapping] < 0) {
      const source = profile.mappings[mapping];
      const key = mappingKey(source);
      let index = this.mappingIndex.get(key);
      if (index === undefined) {
        index = this.builder.addMapping({ ...source, id: BigInt(this.builder.mappings.length + 1) });
        this.mappingIndex.set(key, index);
      }
      mappingOf[mapping] = index;
    }
    return mappingOf[mapping];
  }

  private mapLocation(profile: Profile, location: number, mappingOf: Int32Array): number {
    const { locations, functions, strings } = profile;
    const { lines } = locations;
    const from = locations.mapping[location];
    const mapping = this.mapMapping(profile, from, mappingOf);
    let address = locations.address[location];
    let start = 0n;
    if (mapping >= 0) {
      start = this.builder.mappings[mapping].start;
      address = BigInt.asUintN(64, address + start - profile.mappings[from].start);
    }
    const rows: { fn: number; line: number | bigint; column: number | bigint }[] = [];
    const parts: unknown[] = [BigInt.asUintN(64, address - start), mapping, locations.isFolded[location]];
    for (let i = locations.lineStart[location]; i < locations.lineStart[location + 1]; i++) {
      const fn = lines.fn[i];
      const row = {
        fn:
          fn < 0
            ? -1
            : this.builder.internFunction(
                strings[functions.name[fn]],
                strings[functions.filename[fn]],
                strings[functions.systemName[fn]],
                functions.startLine[fn],
              ),
        line: lines.line[i],
        column: lines.column[i],
      };
      rows.push(row);
      parts.push(row.fn, row.line);
    }
    // As in pprof, only the outermost line's column distinguishes locations.
    if (rows.length > 0) parts.push(rows[rows.length - 1].column);
    const key = parts.join('|');
    let index = this.locationIndex.get(key);
    if (index === undefined) {
      index = this.builder.addLocation({
        mapping,
        address,
        isFolded: locations.isFolded[location] === 1,
        lines: rows,
      });
      this.locationIndex.set(key, index);
    }
    return index;
  }

  /** A number that is equal for equal label sets. */
  private labelSet(profile: Profile, sample: number): number {
    const { labelStart } = profile.samples;
    if (labelStart[sample] === labelStart[sample + 1]) return 0;
    const key = labelRows(profile, sample)
      .sort((a, b) => Number(a.str === undefined) - Number(b.str === undefined) || compareText(a.key, b.key))
      .map(row => sized(row.key) + (row.str === undefined ? `#${row.num}${sized(row.unit ?? '')}` : sized(row.str)))
      .join('');
    let set = this.labelSets.get(key);
    if (set === undefined) {
      set = this.labelSets.size + 1;
      this.labelSets.set(key, set);
    }
    return set;
  }

  private header(): Partial<Profile> {
    const [first] = this.profiles;
    let timeNanos = 0n;
    let durationNanos = 0n;
    let period = 0n;
    const comments = new Set<string>();
    for (const profile of this.profiles) {
      if (timeNanos === 0n || profile.timeNanos < timeNanos) timeNanos = profile.timeNanos;
      durationNanos += profile.durationNanos;
      if (period === 0n || period < profile.period) period = profile.period;
      for (const comment of profile.comments) comments.add(comment);
    }
    return {
      dropFrames: first.dropFrames,
      keepFrames: first.keepFrames,
      periodType: first.periodType,
      timeNanos,
      durationNanos: BigInt.asIntN(64, durationNanos),
      period,
      comments: [...comments],
      defaultSampleType: this.profiles.find(profile => profile.defaultSampleType !== '')?.defaultSampleType ?? '',
      docUrl: this.profiles.find(profile => profile.docUrl !== '')?.docUrl ?? '',
    };
  }
}

function labelRows(profile: Profile, sample: number): LabelRow[] {
  const { samples, strings } = profile;
  const { labels } = samples;
  const rows: LabelRow[] = [];
  for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
    const key = strings[labels.key[row]];
    if (labels.str[row] !== 0) rows.push({ key, str: strings[labels.str[row]] });
    else rows.push({ key, num: labels.num[row], unit: strings[labels.unit[row]] });
  }
  return rows;
}

/** Text prefixed with its length, so that a list of texts is unambiguous. */
function sized(text: string): string {
  return `${text.length}:${text}`;
}

/** Address space randomisation moves a mapping; its size in whole pages, offset and build id do not change. */
function mappingKey(mapping: Mapping): string {
  const size = BigInt.asUintN(64, mapping.limit - mapping.start + 0xfffn);
  return `${size - (size % 0x1000n)}|${mapping.offset}|${mapping.buildId || mapping.file}`;
}

/** Interns (stack, label set) pairs by content, without making a string of each stack. */
class SampleIndex {
  private readonly stacks = new Uint32ColumnBuilder(1 << 12);
  private readonly start = new Uint32ColumnBuilder(1 << 10);
  private readonly sets = new Uint32ColumnBuilder(1 << 10);
  private readonly hashes = new Uint32ColumnBuilder(1 << 10);
  private slots = new Int32Array(1 << 12).fill(-1);

  constructor() {
    this.start.push(0);
  }

  stack(row: number): Uint32Array {
    return this.stacks.items.subarray(this.start.items[row], this.start.items[row + 1]);
  }

  intern(stack: readonly number[], set: number): number {
    let hash = 0x811c9dc5 ^ set;
    for (const location of stack) hash = Math.imul(hash ^ location, 0x01000193) ^ (hash >>> 15);
    hash >>>= 0;
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (; this.slots[slot] >= 0; slot = (slot + 1) & mask) {
      const row = this.slots[slot];
      if (this.hashes.items[row] === hash && this.sets.items[row] === set && this.equals(row, stack)) return row;
    }
    const row = this.sets.length;
    this.slots[slot] = row;
    this.hashes.push(hash);
    this.sets.push(set);
    for (const location of stack) this.stacks.push(location);
    this.start.push(this.stacks.length);
    if (this.sets.length * 2 > this.slots.length) this.grow();
    return row;
  }

  private equals(row: number, stack: readonly number[]): boolean {
    const from = this.start.items[row];
    if (this.start.items[row + 1] - from !== stack.length) return false;
    for (let i = 0; i < stack.length; i++) if (this.stacks.items[from + i] !== stack[i]) return false;
    return true;
  }

  private grow(): void {
    const slots = new Int32Array(this.slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (let row = 0; row < this.sets.length; row++) {
      let slot = this.hashes.items[row] & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.slots = slots;
  }
}

/**
 * Makes profiles mergeable: the sample types they share, in the finest unit that any of them uses.
 *
 * Reduces every profile to the sample types that all of them have, in the order of the first.
 */
function shareSampleTypes(profiles: readonly Profile[]): Profile[] {
  const count = new Map<string, number>();
  for (const profile of profiles) {
    for (const { type } of profile.sampleTypes) count.set(type, (count.get(type) ?? 0) + 1);
  }
  const shared = profiles[0].sampleTypes.map(({ type }) => type).filter(type => count.get(type) === profiles.length);
  if (shared.length === 0) throw new Failure('unreadable', 'profiles have empty common sample type list');
  return profiles.map(profile => selectSampleTypes(profile, shared));
}

function selectSampleTypes(profile: Profile, types: readonly string[]): Profile {
  const columns = types.map(type => profile.sampleTypes.findIndex(candidate => candidate.type === type));
  if (columns.length === profile.sampleTypes.length && columns.every((column, i) => column === i)) return profile;
  return {
    ...profile,
    defaultSampleType: types.includes(profile.defaultSampleType) ? profile.defaultSampleType : types[0],
    sampleTypes: columns.map(column => profile.sampleTypes[column]),
    samples: { ...profile.samples, values: columns.map(column => profile.samples.values[column]) },
  };
}

/** Scales periods and values to the finest unit among the profiles. */
function shareUnits(profiles: readonly Profile[]): Profile[] {
  if (profiles.length < 2) return [...profiles];
  const periodType = named('period type', () => finestType(profiles.map(profile => profile.periodType)));
  const typeCount = profiles[0].sampleTypes.length;
  for (const profile of profiles) {
    if (profile.sampleTypes.length !== typeCount) {
      throw new Failure('unreadable', `inconsistent samples type count: ${typeCount} != ${profile.sampleTypes.length}`);
    }
  }
  const sampleTypes = profiles[0].sampleTypes.map((_, t) =>
    named('sample types', () => finestType(profiles.map(profile => profile.sampleTypes[t]))),
  );
  return profiles.map(profile => {
    const ratios = profile.sampleTypes.map((type, t) => scale(1, type.unit, sampleTypes[t].unit).value);
    const period = scale(profile.period, profile.periodType.unit, periodType.unit).value;
    return scaleValues(
      {
        ...profile,
        period: profile.periodType.unit === periodType.unit ? profile.period : truncateToInt64(period),
        periodType: { type: profile.periodType.type, unit: periodType.unit },
        sampleTypes: profile.sampleTypes.map((type, t) => ({ type: type.type, unit: sampleTypes[t].unit })),
      },
      ratios,
    );
  });
}

function named<T>(what: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    throw new Failure('unreadable', `${what}: ${expected(error).message}`);
  }
}

function finestType(types: readonly ValueType[]): ValueType {
  let finest = types[0];
  for (const type of types.slice(1)) {
    if (!compatible(finest, type))
      throw new Failure('unreadable', `incompatible types: ${goText(finest)} ${goText(type)}`);
    if (scale(1, type.unit, finest.unit).value < 1) finest = type;
  }
  return finest;
}

function compatible(a: ValueType, b: ValueType): boolean {
  const singular = (type: string): string => (type.endsWith('s') ? type.slice(0, -1) : type);
  return singular(a.type) === singular(b.type) && (a.unit === b.unit || sameUnitFamily(a.unit, b.unit));
}

/** A value type as Go's %v prints the struct pprof keeps it in. */
function goText({ type, unit }: ValueType): string {
  return `{${type} ${unit} 0 0}`;
}
