/** What the writers of root-first formats share: locations as frames, names for frames that have none. */
import { Uint32ColumnBuilder } from '../../base/columns.ts';
import type { Profile } from '../profile.ts';

/** frames[start[l], start[l + 1]) are the frames of location l, the outermost first, inlined ones after it. */
export interface LocationFrames {
  readonly start: Uint32Array;
  readonly frames: Uint32Array;
}

/** `frameOf` numbers the frame of a function, or of a location without one (fn = -1). */
export function expandLocations(profile: Profile, frameOf: (fn: number, location: number) => number): LocationFrames {
  const { length, lineStart, lines } = profile.locations;
  const start = new Uint32Array(length + 1);
  const frames = new Uint32ColumnBuilder(lines.length + length);
  for (let location = 0; location < length; location++) {
    for (let line = lineStart[location + 1] - 1; line >= lineStart[location]; line--) {
      frames.push(frameOf(lines.fn[line], location));
    }
    if (lineStart[location + 1] === lineStart[location]) frames.push(frameOf(-1, location));
    start[location + 1] = frames.length;
  }
  return { start, frames: frames.finish() };
}

/** The function's name, or what is known instead: address, object file. */
export function frameName(profile: Profile, fn: number, location: number): string {
  const name = fn < 0 ? '' : profile.strings[profile.functions.name[fn]];
  if (name !== '') return name;
  const address = profile.locations.address[location];
  if (address !== 0n) return `0x${address.toString(16)}`;
  const mapping = profile.mappings[profile.locations.mapping[location]];
  return mapping === undefined || mapping.file === '' ? '<unknown>' : `[${mapping.file.replace(/^.*\//, '')}]`;
}

/** The sample type that pprof would show: the profile's default, else its last. */
export function defaultSampleIndex(profile: Profile): number {
  const index = profile.sampleTypes.findIndex(({ type }) => type === profile.defaultSampleType);
  return index >= 0 ? index : profile.sampleTypes.length - 1;
}
