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
export interface FramePc {
  readonly pc: bigint;
  readonly offset: number;
  readonly name: string;
}

export interface PcLocation {
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
