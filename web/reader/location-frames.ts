/**
 * The frames of each location, at a granularity; named as `oakum pprof -top` names its rows.
 *
 *     functions       kubelet.(*podWorkers).startPodSync
 *     filefunctions   kubelet.(*podWorkers).startPodSync /src/kubelet/pod_workers.go
 *     files           /src/kubelet/pod_workers.go
 *     lines           kubelet.(*podWorkers).startPodSync /src/kubelet/pod_workers.go:1155
 *     addresses       0000000000458a12 kubelet.(*podWorkers).startPodSync /src/kubelet/pod_workers.go:1155
 */
import { Uint32ColumnBuilder } from '../../src/base/columns.ts';
import { frameName } from '../../src/profile/formats/folded/stacks.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { nameComponents } from '../../src/profile/pprof/graph/node-table.ts';
import type { Granularity } from '../../src/profile/pprof/transform/aggregate.ts';
import type { FrameTable } from '../call-tree/frame-table.ts';

/** frames[start[l], start[l + 1]) are the frames of location l, the outermost first, inlined ones after it. */
export interface LocationFrames {
  readonly start: Uint32Array;
  readonly frames: Uint32Array;
  /** By frame: its line; 0 when unknown. */
  readonly lines: Uint32Array;
}

export function locationFrames(profile: Profile, granularity: Granularity, table: FrameTable): LocationFrames {
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
