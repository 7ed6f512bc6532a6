/** Families of a goroutine profile in protobuf form: debug=0, or a converted debug=2 dump. */
import type { FamilyTable, LabelledCount, LabelSet } from './family.ts';
import type { Profile } from '../profile.ts';
import { statesOf } from './dump-families.ts';
import { GoroutineFamilies, waitOf } from './family-draft.ts';
import { sourcePlace } from './normalise.ts';

interface Tally {
  count: number;
  leaked: number;
  readonly states: Map<string, number>;
  readonly creators: Map<string, number>;
  readonly minutes: Map<number, number>;
  readonly labels: Map<string, { readonly labels: LabelSet; count: number }>;
  /** Goroutines by stack, each with one of its samples. */
  readonly stacks: Map<string, { readonly sample: number; count: number }>;
}

export function familiesOfGoroutineProfile(profile: Profile): FamilyTable {
  const { samples, strings } = profile;
  const families = new GoroutineFamilies();
  const lineIds = idsOfLines(profile, families);
  const closures = closuresOfLines(profile, families);
  const column = valueColumn(profile);
  const converted = isConverted(profile);
  const allLeaked = profile.sampleTypes.some(({ type }) => type === 'goroutineleak') && !converted;
  const tallies: Tally[] = [];
  for (let sample = 0; sample < samples.length; sample++) {
    const family = families.familyOf(
      stackOf(profile, sample, line => lineIds[line]),
      stackOf(profile, sample, line => closures[line]),
    );
    const tally = (tallies[family] ??= newTally());
    const count = Number(samples.values[column][sample]);
    tally.count += count;
    addStack(tally, profile, sample, count);
    const pairs: [string, string][] = [];
    let isLeaked = allLeaked;
    let minutes = 0;
    for (let l = samples.labelStart[sample]; l < samples.labelStart[sample + 1]; l++) {
      const key = strings[samples.labels.key[l]];
      const value = strings[samples.labels.str[l]];
      if (converted && key === 'state') addTo(tally.states, value, count);
      else if (converted && key === 'creator') addTo(tally.creators, creatorName(families, value), count);
      else if (converted && key === 'leaked') isLeaked = value === 'true';
      else if (converted && key === 'wait_minutes') minutes = Number(samples.labels.num[l]);
      else if (samples.labels.str[l] !== 0) pairs.push([key, value]);
    }
    addTo(tally.minutes, minutes, count);
    if (isLeaked) tally.leaked += count;
    if (pairs.length > 0) addLabels(tally, pairs, count);
  }
  return families.finish(i => {
    const { count, leaked, states, creators, minutes, labels, stacks } = tallies[i];
    const { sample } = [...stacks.values()].reduce((most, one) => (one.count > most.count ? one : most));
    return {
      count,
      leaked,
      states: statesOf([...states], families.reasons[i], count),
      waitMinutes: waitOf([...minutes].sort((a, b) => a[0] - b[0])),
      waits: undefined,
      creators: new Map([...creators].sort((a, b) => b[1] - a[1])),
      creatorPlaces: new Map(),
      labelSets: [...labels.values()].sort((a, b) => b.count - a.count) satisfies LabelledCount[],
      places: placesInSample(profile, sample, lineIds, families.keys[i]),
      example: exampleOfSample(profile, sample),
    };
  });
}

/** A frame id for each line of each location. */
export function idsOfLines(
  profile: Profile,
  families: { readonly interner: GoroutineFamilies['interner'] },
): Int32Array {
  const { functions, strings, locations } = profile;
  const byFunction = new Int32Array(functions.length);
  for (let fn = 0; fn < functions.length; fn++) {
    byFunction[fn] = families.interner.idOf(strings[functions.name[fn]], strings[functions.filename[fn]]);
  }
  const unnamed = families.interner.intern('');
  const { fn } = locations.lines;
  return Int32Array.from({ length: locations.lines.length }, (_, line) =>
    fn[line] < 0 ? unnamed : byFunction[fn[line]],
  );
}

/** Which closure the function of each line is. */
function closuresOfLines({ functions, strings, locations }: Profile, { interner }: GoroutineFamilies): string[] {
  const byFunction = Array.from({ length: functions.length }, (_, fn) =>
    interner.closureOf(strings[functions.name[fn]]),
  );
  const { fn, length } = locations.lines;
  return Array.from({ length }, (_, line) => byFunction[fn[line]] ?? '');
}

/** Something of each frame of a sample, inlined calls included, leaf first. */
function stackOf<T>(profile: Profile, sample: number, of: (line: number) => T): T[] {
  const { samples, locations } = profile;
  const out: T[] = [];
  for (let i = samples.stackStart[sample]; i < samples.stackStart[sample + 1]; i++) {
    const location = samples.stackLocations[i];
    for (let line = locations.lineStart[location]; line < locations.lineStart[location + 1]; line++) {
      out.push(of(line));
    }
  }
  return out;
}

export function exampleOfSample(profile: Profile, sample: number): string[] {
  const { samples, locations, functions, strings } = profile;
  const out: string[] = [];
  for (let i = samples.stackStart[sample]; i < samples.stackStart[sample + 1]; i++) {
    const location = samples.stackLocations[i];
    const [from, to] = [locations.lineStart[location], locations.lineStart[location + 1]];
    if (from === to) out.push(`0x${locations.address[location].toString(16)}`);
    for (let line = from; line < to; line++) {
      const fn = locations.lines.fn[line];
      const file = fn < 0 ? '' : strings[functions.filename[fn]];
      const name = fn < 0 ? `0x${locations.address[location].toString(16)}` : strings[functions.name[fn]];
      out.push(file === '' ? name : `${name} ${file}:${locations.lines.line[line]}`);
    }
  }
  return out;
}

/** The place of each function in a sample, at its position nearest to the leaf; '' if it is not there. */
export function placesInSample(
  profile: Profile,
  sample: number,
  lineIds: Int32Array,
  ids: readonly number[],
): string[] {
  const { samples, locations, functions, strings } = profile;
  const places = new Map<number, string>();
  for (let i = samples.stackStart[sample]; i < samples.stackStart[sample + 1]; i++) {
    const location = samples.stackLocations[i];
    for (let line = locations.lineStart[location]; line < locations.lineStart[location + 1]; line++) {
      const fn = locations.lines.fn[line];
      if (fn < 0 || places.has(lineIds[line]) || !ids.includes(lineIds[line])) continue;
      const file = strings[functions.filename[fn]];
      places.set(lineIds[line], sourcePlace(file, Number(locations.lines.line[line]), strings[functions.name[fn]]));
    }
  }
  return ids.map(id => places.get(id) ?? '');
}

function valueColumn(profile: Profile): number {
  const named = profile.sampleTypes.findIndex(({ type }) => /^(goroutine|goroutineleak|goroutines|count)$/.test(type));
  return Math.max(named, 0);
}

/** Go writes addresses; a converted debug=2 dump has none, and keeps its header fields as labels. */
function isConverted(profile: Profile): boolean {
  return profile.locations.length > 0 && profile.locations.address.every(address => address === 0n);
}

function newTally(): Tally {
  return {
    count: 0,
    leaked: 0,
    states: new Map(),
    creators: new Map(),
    minutes: new Map(),
    labels: new Map(),
    stacks: new Map(),
  };
}

function addStack({ stacks }: Tally, { samples }: Profile, sample: number, count: number): void {
  const key = samples.stackLocations.subarray(samples.stackStart[sample], samples.stackStart[sample + 1]).join(' ');
  const known = stacks.get(key);
  if (known === undefined) stacks.set(key, { sample, count });
  else known.count += count;
}

function creatorName({ interner }: GoroutineFamilies, raw: string): string {
  return interner.names[interner.idOf(raw, '')];
}

function addTo<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function addLabels(tally: Tally, pairs: [string, string][], count: number): void {
  pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const key = JSON.stringify(pairs);
  const known = tally.labels.get(key);
  if (known === undefined) tally.labels.set(key, { labels: pairs, count });
  else known.count += count;
}
