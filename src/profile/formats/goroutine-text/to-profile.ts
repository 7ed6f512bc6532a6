/**
 * A goroutine dump as a Profile, so that every report works on text captures too.
 *
 * debug=1 becomes what debug=0 of the same moment says, save the runtime frames at the leaf, whose names Go hides.
 * debug=2 has no addresses; a goroutine's state, wait, creator and leak status become labels:
 *
 *     state: chan receive   wait_minutes: 38 (minutes)   creator: main.main   leaked: true
 */
import { goroutineFlags, type GoroutineDump } from '../../goroutine-dump.ts';
import { ProfileBuilder, type LabelRow, type ProfileHeader } from '../../profile-builder.ts';
import type { Profile } from '../../profile.ts';
import { SequenceInterner } from './interners.ts';

export function goroutineDumpToProfile(dump: GoroutineDump, header: ProfileHeader = {}): Profile {
  const type = { type: dump.sections[0]?.name ?? 'goroutine', unit: 'count' };
  const builder = new ProfileBuilder([type]);
  const stackLocations = dump.format === 'debug1' ? pcStacks(dump, builder) : frameStacks(dump, builder);
  const samples = sumEqualRows(dump);
  for (const { row, count } of samples) {
    builder.addSample(stackLocations[dump.goroutines.stack[row]], [count], labelsOf(dump, row));
  }
  return builder.finish({ periodType: type, period: 1n, ...header });
}

/** Rows that become the same sample, in order of first appearance. */
function sumEqualRows(dump: GoroutineDump): { row: number; count: number }[] {
  const { goroutines } = dump;
  const keys = new SequenceInterner();
  const key = new Int32Array(6);
  const samples: { row: number; count: number }[] = [];
  for (let row = 0; row < goroutines.length; row++) {
    const creator = goroutines.creator[row];
    key[0] = goroutines.stack[row];
    key[1] = goroutines.labels[row];
    key[2] = goroutines.state[row];
    key[3] = goroutines.waitMinutes[row];
    key[4] = creator < 0 ? 0 : dump.frames.fn[creator];
    key[5] = goroutines.flags[row] & goroutineFlags.leaked;
    const sample = keys.intern(key, key.length);
    if (sample === samples.length) samples.push({ row, count: 0 });
    samples[sample].count += goroutines.count[row];
  }
  return samples;
}

function labelsOf(dump: GoroutineDump, row: number): LabelRow[] {
  const { goroutines, labelSets, strings, frames } = dump;
  const labels: LabelRow[] = [];
  const set = goroutines.labels[row];
  for (let i = labelSets.start[set]; i < labelSets.start[set + 1]; i++) {
    labels.push({ key: strings[labelSets.key[i]], str: strings[labelSets.value[i]] });
  }
  if (goroutines.state[row] !== 0) labels.push({ key: 'state', str: strings[goroutines.state[row]] });
  if (goroutines.waitMinutes[row] >= 0) {
    labels.push({ key: 'wait_minutes', num: goroutines.waitMinutes[row], unit: 'minutes' });
  }
  const creator = goroutines.creator[row];
  if (creator >= 0) labels.push({ key: 'creator', str: strings[frames.fn[creator]] });
  if ((goroutines.flags[row] & goroutineFlags.leaked) !== 0) labels.push({ key: 'leaked', str: 'true' });
  return labels;
}

/** debug=2: one location per physical frame, with the frames inlined into it. */
function frameStacks(dump: GoroutineDump, builder: ProfileBuilder): number[][] {
  const { stacks, frames } = dump;
  const groups = new SequenceInterner();
  const locationOf: number[] = [];
  const out: number[][] = [];
  for (let stack = 0; stack < stacks.length; stack++) {
    const locations: number[] = [];
    const end = stacks.frameStart[stack + 1];
    const elidedAt = stacks.elidedAt[stack] < 0 ? -1 : stacks.frameStart[stack] + stacks.elidedAt[stack];
    let from = stacks.frameStart[stack];
    for (let i = from; i < end; i++) {
      const last = i + 1 === end || i + 1 === elidedAt;
      // Go's own profiles keep a recursive call apart from the one it is inlined into.
      const next = last ? -1 : stacks.frames[i + 1];
      const inlined =
        frames.inlined[stacks.frames[i]] === 1 && !last && frames.fn[next] !== frames.fn[stacks.frames[i]];
      if (inlined) continue;
      const group = Int32Array.from(stacks.frames.subarray(from, i + 1));
      const id = groups.intern(group, group.length);
      if (id === locationOf.length) locationOf.push(addLocation(dump, builder, group));
      locations.push(locationOf[id]);
      from = i + 1;
    }
    out.push(locations);
  }
  return out;
}

function addLocation(dump: GoroutineDump, builder: ProfileBuilder, group: Int32Array): number {
  const { frames, strings } = dump;
  return builder.addLocation({
    address: frames.pc[group[0]],
    lines: Array.from(group, frame => ({
      fn: builder.internFunction(strings[frames.fn[frame]], strings[frames.file[frame]]),
      line: frames.line[frame],
    })),
  });
}

/** Without the runtime frames that Go hid at either end: they have an address and no name, and would top every report. */
function shownPart(locations: readonly PcLocation[]): readonly PcLocation[] {
  const isNamed = ({ frames }: PcLocation): boolean => frames.length > 0;
  const first = locations.findIndex(isNamed);
  return first < 0 ? locations : locations.slice(first, locations.findLastIndex(isNamed) + 1);
}

/** debug=1: one location per pc. */
function pcStacks(dump: GoroutineDump, builder: ProfileBuilder): number[][] {
  const { stacks, frames, strings } = dump;
  const locationOf = new Map<string, number>();
  const out: number[][] = [];
  for (let stack = 0; stack < stacks.length; stack++) {
    const indexes = stacks.frames.subarray(stacks.frameStart[stack], stacks.frameStart[stack + 1]);
    // A pc of an unknown function says no more than the row's own list does.
    const known = indexes.filter(i => frames.fn[i] !== 0);
    const lines = Array.from(known, i => ({ pc: frames.pc[i], offset: frames.offset[i], name: strings[frames.fn[i]] }));
    const pcs = stacks.pcs.subarray(stacks.pcStart[stack], stacks.pcStart[stack + 1]);
    const locations: number[] = [];
    for (const { address, frames: group } of shownPart(alignPcs(pcs, lines))) {
      const key = `${address} ${group.map(i => known[i]).join()}`;
      let location = locationOf.get(key);
      if (location === undefined) {
        location = builder.addLocation({
          address,
          lines: group.map(i => ({
            fn: builder.internFunction(strings[frames.fn[known[i]]], strings[frames.file[known[i]]]),
            line: frames.line[known[i]],
          })),
        });
        locationOf.set(key, location);
      }
      locations.push(location);
    }
    out.push(locations);
  }
  return out;
}

/**
 * Joins a debug=1 row's program counters with its `#` lines.
 *
 *     1 @ 0x484e2a 0x447a37 0x4840e5 0x4b459d 0x4b458b 0x48b3a1
 *         ^ hidden, runtime          ^ waitRead  ^ Accept, which waitRead is inlined into   ^ runtime.goexit
 *     #   0x4840e4  internal/poll.runtime_pollWait+0x84
 *     #   0x4b459c  internal/poll.(*pollDesc).waitRead+0x27c
 *     #   0x4b458a  internal/poll.(*FD).Accept+0x26a
 *
 * The pcs are return addresses; a `#` line shows the pc before. Go's protobuf writer makes one location of frames
 * with the same function entry (pc - offset) and different names, which are inlined calls: the same is done here, so
 * that the locations are those of the debug=0 profile. It also leaves runtime.goexit out.
 */
interface FramePc {
  readonly pc: bigint;
  readonly offset: number;
  readonly name: string;
}

interface PcLocation {
  readonly address: bigint;
  /** Indexes of its frames, innermost first; none for a hidden runtime function. */
  readonly frames: readonly number[];
}

export function alignPcs(pcs: BigUint64Array, frames: readonly FramePc[]): PcLocation[] {
  const locations: { address: bigint; frames: number[] }[] = [];
  let next = 0;
  let f = 0;
  while (f < frames.length) {
    const { pc } = frames[f];
    // Runs of one pc are recursion when the row repeats it as often, else inlined calls that share it.
    let lines = 1;
    while (f + lines < frames.length && frames[f + lines].pc === pc) lines++;
    const at = indexOfPc(pcs, pc, next);
    let repeats = 1;
    if (at >= 0) {
      for (let i = next; i < at; i++) locations.push({ address: pcs[i] - 1n, frames: [] });
      while (repeats < lines && at + repeats < pcs.length && pcs[at + repeats] === pcs[at]) repeats++;
      next = at + repeats;
    }
    if (lines % repeats !== 0) repeats = 1;
    const perPc = lines / repeats;
    for (let r = 0; r < repeats; r++) {
      const group = Array.from({ length: perPc }, (_, k) => f + r * perPc + k);
      const last = locations.at(-1);
      if (last !== undefined && isInlinedInto(frames, last.frames.at(-1), group[0])) last.frames.push(...group);
      else locations.push({ address: pc, frames: group });
    }
    f += lines;
  }
  // With frames above it, the last pc is that of runtime.goexit, or zero padding behind it.
  const hiddenEnd = frames.length > 0 && next < pcs.length ? next + 1 : next;
  for (let i = hiddenEnd; i < pcs.length; i++) locations.push({ address: BigInt.asUintN(64, pcs[i] - 1n), frames: [] });
  return locations;
}

function indexOfPc(pcs: BigUint64Array, pc: bigint, from: number): number {
  for (let i = from; i < pcs.length; i++) if (pcs[i] === pc + 1n || pcs[i] === pc) return i;
  return -1;
}

function isInlinedInto(frames: readonly FramePc[], inner: number | undefined, outer: number): boolean {
  if (inner === undefined) return false;
  const a = frames[inner];
  const b = frames[outer];
  if (a.name === '' || b.name === '' || a.name === b.name) return false;
  return a.pc - BigInt(a.offset) === b.pc - BigInt(b.offset);
}
