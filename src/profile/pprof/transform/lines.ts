/** Rebuilds a profile's location lines: filters drop inlined frames one by one. */
import { Uint32ColumnBuilder } from '../../../base/columns.ts';
import type { LocationTable, Profile } from '../../profile.ts';
import { pick } from './stacks.ts';

/**
 * Keeps the lines that `keep` marks. `keep` gets a location's first line and the one after its last, and returns
 * which of them stay: undefined for all, or a predicate on line indexes.
 */
export function selectLines(
  profile: Profile,
  keep: (location: number, from: number, to: number) => undefined | ((line: number) => boolean),
): Profile {
  const { locations } = profile;
  const { lines } = locations;
  const rows = new Uint32ColumnBuilder(lines.length);
  const lineStart = new Uint32Array(locations.length + 1);
  for (let location = 0; location < locations.length; location++) {
    const from = locations.lineStart[location];
    const to = locations.lineStart[location + 1];
    const stays = keep(location, from, to);
    for (let line = from; line < to; line++) if (stays === undefined || stays(line)) rows.push(line);
    lineStart[location + 1] = rows.length;
  }
  if (rows.length === lines.length) return profile;
  const kept = rows.finish();
  const next: LocationTable = {
    ...locations,
    lineStart,
    lines: {
      length: kept.length,
      fn: Int32Array.from(kept, row => lines.fn[row]),
      line: pick(lines.line, kept),
      column: pick(lines.column, kept),
    },
  };
  return { ...profile, locations: next };
}
