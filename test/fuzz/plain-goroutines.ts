/** A dump as a list of plain objects, for tests and small dumps. Large ones stay in columns. */
import { goroutineFlags, type GoroutineDump } from '../../src/profile/goroutine-dump.ts';

export interface PlainFrame {
  readonly fn: string;
  readonly file: string;
  readonly line: number;
  readonly inlined: boolean;
}

export interface PlainGoroutine {
  readonly id: number;
  readonly count: number;
  readonly state: string;
  readonly waitMinutes: number;
  readonly flags: readonly string[];
  readonly bubble: number;
  readonly labels: readonly (readonly [string, string])[];
  readonly stack: readonly PlainFrame[];
  readonly creator: PlainFrame | undefined;
  readonly creatorGoroutine: number;
}

export function plainGoroutines(dump: GoroutineDump): PlainGoroutine[] {
  return Array.from({ length: dump.goroutines.length }, (_, row) => plainGoroutine(dump, row));
}

function plainGoroutine(dump: GoroutineDump, row: number): PlainGoroutine {
  const { goroutines, strings, stacks, labelSets } = dump;
  const stack = goroutines.stack[row];
  const set = goroutines.labels[row];
  const labels: [string, string][] = [];
  for (let i = labelSets.start[set]; i < labelSets.start[set + 1]; i++) {
    labels.push([strings[labelSets.key[i]], strings[labelSets.value[i]]]);
  }
  const frames = stacks.frames.subarray(stacks.frameStart[stack], stacks.frameStart[stack + 1]);
  return {
    id: goroutines.id[row],
    count: goroutines.count[row],
    state: strings[goroutines.state[row]],
    waitMinutes: goroutines.waitMinutes[row],
    flags: Object.entries(goroutineFlags)
      .filter(([, bit]) => (goroutines.flags[row] & bit) !== 0)
      .map(([name]) => name),
    bubble: goroutines.bubble[row],
    labels,
    stack: Array.from(frames, frame => plainFrame(dump, frame)),
    creator: goroutines.creator[row] < 0 ? undefined : plainFrame(dump, goroutines.creator[row]),
    creatorGoroutine: goroutines.creatorGoroutine[row],
  };
}

function plainFrame({ frames, strings }: GoroutineDump, frame: number): PlainFrame {
  return {
    fn: strings[frames.fn[frame]],
    file: strings[frames.file[frame]],
    line: frames.line[frame],
    inlined: frames.inlined[frame] === 1,
  };
}
