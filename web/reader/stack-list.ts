/** The stacks of one profile, or of two, that the user selects: root first, with the values of one sample type. */
import type { Int64Column } from '../../src/base/int64.ts';
import type { Profile } from '../../src/profile/profile.ts';
import type { FrameTable } from '../profiles/call-tree.ts';
import type { StackList } from '../profiles/group-stacks.ts';
import type { TreeOptions } from './filters.ts';
import { byKey, hasLabels, labelOf } from './sample-labels.ts';
import { Uint32ColumnBuilder } from '../../src/base/columns.ts';
import { frameName } from '../../src/profile/formats/write-folded.ts';
import { nameComponents } from '../../src/profile/pprof/node-table.ts';
import type { Granularity } from '../../src/profile/pprof/transform/aggregate.ts';

/** The samples of one profile that have a value and the labels. */
interface Selected {
  readonly profile: Profile;
  readonly samples: Uint32Array;
  readonly values: Int64Column;
  readonly places: LocationFrames;
  /** How many steps all of them have. */
  readonly steps: number;
}

/** `sides` is the later profile, and the earlier one if two are compared. */
export function stackList(sides: readonly Profile[], table: FrameTable, options: TreeOptions): StackList {
  const selected = sides.map(profile => select(profile, table, options));
  const count = sum(selected.map(({ samples }) => samples.length));
  const roots = new RootSteps(table, sum(selected.map(({ places }) => places.frames.length)));
  const rootSteps = selected.map(side => options.roots.map(key => roots.stepsOf(side, key)));
  const stepCount = sum(selected.map(({ steps }) => steps)) + count * (options.roots.length + 1);
  // Two bytes do for nearly every profile, and half the memory is read faster.
  const steps = roots.length <= 0xffff ? new Uint16Array(stepCount) : new Uint32Array(stepCount);
  const start = new Uint32Array(count);
  const values = new Float64Array(count);
  let [stack, at, base] = [0, 0, 0];
  selected.forEach(({ profile: { samples }, places, ...side }, index) => {
    for (let row = 0; row < side.samples.length; row++) {
      const sample = side.samples[row];
      start[stack] = at;
      for (const column of rootSteps[index]) steps[at++] = column[row];
      for (let i = samples.stackStart[sample + 1] - 1; i >= samples.stackStart[sample]; i--) {
        const location = samples.stackLocations[i];
        const end = places.start[location + 1];
        for (let k = places.start[location]; k < end; k++) steps[at++] = base + k;
      }
      steps[at++] = roots.length;
      values[stack++] = Number(side.values[sample]);
    }
    base += places.frames.length;
  });
  const joined = (own: readonly Uint32Array[], ofRoots: readonly number[]): Uint32Array => {
    const out = new Uint32Array(roots.length);
    let end = 0;
    for (const column of own) {
      out.set(column, end);
      end += column.length;
    }
    out.set(ofRoots, end);
    return out;
  };
  return {
    start,
    steps,
    frames: joined(
      selected.map(({ places }) => places.frames),
      roots.frames,
    ),
    lines: joined(
      selected.map(({ places }) => places.lines),
      [],
    ),
    values,
    firstBefore: selected[0]?.samples.length ?? 0,
    frameCount: table.length,
  };
}

function select(profile: Profile, table: FrameTable, options: TreeOptions): Selected {
  const { samples } = profile;
  const column = profile.sampleTypes.findIndex(({ type }) => type === options.sampleType);
  const values = samples.values[column] ?? new Float64Array(0);
  const places = locationFrames(profile, options.filters?.granularity ?? '', table);
  const wanted = byKey(options.labels);
  const rows = new Uint32Array(values.length);
  let [count, steps] = [0, 0];
  for (let sample = 0; sample < values.length; sample++) {
    if (Number(values[sample]) === 0 || !hasLabels(profile, sample, wanted)) continue;
    rows[count++] = sample;
    for (let i = samples.stackStart[sample]; i < samples.stackStart[sample + 1]; i++) {
      const location = samples.stackLocations[i];
      steps += places.start[location + 1] - places.start[location];
    }
  }
  return { profile, samples: rows.subarray(0, count), values, places, steps };
}

/** Steps of label values, numbered behind those of locations. */
class RootSteps {
  readonly frames: number[] = [];
  private readonly table: FrameTable;
  private readonly base: number;
  private readonly byFrame = new Map<number, number>();

  constructor(table: FrameTable, base: number) {
    this.table = table;
    this.base = base;
  }

  get length(): number {
    return this.base + this.frames.length;
  }

  /** By selected sample: the step of its value of a label. */
  stepsOf({ profile, samples }: Selected, key: string): Uint32Array {
    const steps = new Uint32Array(samples.length);
    for (let row = 0; row < samples.length; row++) {
      const frame = this.table.internLabel(`${key}=${labelOf(profile, samples[row], key) ?? '(none)'}`);
      let step = this.byFrame.get(frame);
      if (step === undefined) {
        step = this.base + this.frames.push(frame) - 1;
        this.byFrame.set(frame, step);
      }
      steps[row] = step;
    }
    return steps;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The frames of each location, at a granularity; named as `oakum pprof -top` names its rows.
 *
 *     functions       kubelet.(*podWorkers).startPodSync
 *     filefunctions   kubelet.(*podWorkers).startPodSync /src/kubelet/pod_workers.go
 *     files           /src/kubelet/pod_workers.go
 *     lines           kubelet.(*podWorkers).startPodSync /src/kubelet/pod_workers.go:1155
 *     addresses       0000000000458a12 kubelet.(*podWorkers).startPodSync /src/kubelet/pod_workers.go:1155
 *
 * frames[start[l], start[l + 1]) are the frames of location l, the outermost first, inlined ones after it.
 */
interface LocationFrames {
  readonly start: Uint32Array;
  readonly frames: Uint32Array;
  /** By frame: its line; 0 when unknown. */
  readonly lines: Uint32Array;
}

function locationFrames(profile: Profile, granularity: Granularity, table: FrameTable): LocationFrames {
  const { length, lineStart, lines } = profile.locations;
  const start = new Uint32Array(length + 1);
  const frames = new Uint32ColumnBuilder(lines.length + length);
  const places = new Uint32ColumnBuilder(lines.length + length);
  const name = namer(profile, granularity);
  for (let location = 0; location < length; location++) {
    const [from, to] = [lineStart[location], lineStart[location + 1]];
    for (let row = to - 1; row >= from; row--) {
      const line = Math.max(0, Number(lines.line[row]));
      frames.push(table.intern(name(lines.fn[row], location, line), fileOf(profile, lines.fn[row])));
      places.push(line);
    }
    if (from === to) {
      frames.push(table.intern(name(-1, location, 0), ''));
      places.push(0);
    }
    start[location + 1] = frames.length;
  }
  return { start, frames: frames.finish(), lines: places.finish() };
}

function fileOf({ functions, strings }: Profile, fn: number): string {
  return fn < 0 ? '' : strings[functions.filename[fn]];
}

function namer(profile: Profile, granularity: Granularity): (fn: number, location: number, line: number) => string {
  // Without a name, an address says more than pprof's <unknown>.
  const plain = (fn: number, location: number): string => frameName(profile, fn, location);
  if (granularity === '' || granularity === 'functions') return plain;
  return (fn, location, line) => {
    const file = fileOf(profile, fn);
    if (granularity === 'files') return file === '' ? plain(fn, location) : file;
    const isLine = granularity === 'lines' || granularity === 'addresses';
    return nameComponents({
      name: plain(fn, location),
      address: granularity === 'addresses' ? profile.locations.address[location] : 0n,
      file,
      startLine: 0,
      line: isLine ? line : 0,
      column: 0,
      objectFile: '',
    }).join(' ');
  };
}
