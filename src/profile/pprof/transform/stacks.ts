/** Rebuilds a profile's sample table: which samples stay, and which part of their stacks. */
import { Uint32ColumnBuilder } from '../../../base/columns.ts';
import type { Int64Column } from '../../../base/int64.ts';
import type { LabelTable, Profile, SampleTable, LocationTable } from '../../profile.ts';

/** Keeps the samples for which `keep` is true. */
export function selectSamples(profile: Profile, keep: (sample: number) => boolean): Profile {
  return rebuildStacks(profile, (sample, copy) => {
    if (!keep(sample)) return false;
    copy(profile.samples.stackStart[sample], profile.samples.stackStart[sample + 1]);
    return true;
  });
}

/**
 * Calls `rebuild` for each sample, which copies ranges of `stackLocations` and/or pushes locations, and returns whether
 * the sample stays.
 */
export function rebuildStacks(
  profile: Profile,
  rebuild: (sample: number, copy: (from: number, to: number) => void, push: (location: number) => void) => boolean,
): Profile {
  const { samples } = profile;
  const stack = new Uint32ColumnBuilder(samples.stackLocations.length);
  const stackStart = new Uint32ColumnBuilder(samples.length + 1);
  const kept = new Uint32ColumnBuilder(samples.length);
  stackStart.push(0);
  const copy = (from: number, to: number): void => {
    stack.reserve(to - from);
    for (let i = from; i < to; i++) stack.items[stack.length++] = samples.stackLocations[i];
  };
  const push = (location: number): void => stack.push(location);
  for (let sample = 0; sample < samples.length; sample++) {
    const before = stack.length;
    if (rebuild(sample, copy, push)) {
      kept.push(sample);
      stackStart.push(stack.length);
    } else {
      stack.length = before;
    }
  }
  const rows = kept.finish();
  const whole = rows.length === samples.length;
  const next: SampleTable = {
    length: rows.length,
    stackStart: stackStart.finish(),
    stackLocations: stack.finish(),
    values: whole ? samples.values : samples.values.map(column => pick(column, rows)),
    ...(whole ? { labelStart: samples.labelStart, labels: samples.labels } : pickLabels(samples, rows)),
  };
  return { ...profile, samples: next };
}

/** The rows of a column, in this order. */
function pick(column: Int64Column, rows: Uint32Array): Int64Column {
  const out = column instanceof Float64Array ? new Float64Array(rows.length) : new BigInt64Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = column[rows[i]];
  return out;
}

function pickLabels(samples: SampleTable, rows: Uint32Array): { labelStart: Uint32Array; labels: LabelTable } {
  const labelStart = new Uint32Array(rows.length + 1);
  const labelRows = new Uint32ColumnBuilder(samples.labels.length);
  for (let i = 0; i < rows.length; i++) {
    for (let row = samples.labelStart[rows[i]]; row < samples.labelStart[rows[i] + 1]; row++) labelRows.push(row);
    labelStart[i + 1] = labelRows.length;
  }
  return { labelStart, labels: selectLabels(samples.labels, labelRows.finish()) };
}

function selectLabels(labels: LabelTable, rows: Uint32Array): LabelTable {
  return {
    length: rows.length,
    key: Uint32Array.from(rows, row => labels.key[row]),
    str: Uint32Array.from(rows, row => labels.str[row]),
    num: pick(labels.num, rows),
    unit: Uint32Array.from(rows, row => labels.unit[row]),
  };
}

/** Keeps the label rows for which `keep` is true. */
export function filterLabels(profile: Profile, keep: (row: number) => boolean): Profile {
  const { samples } = profile;
  const labelStart = new Uint32Array(samples.length + 1);
  const rows = new Uint32ColumnBuilder(samples.labels.length);
  for (let sample = 0; sample < samples.length; sample++) {
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      if (keep(row)) rows.push(row);
    }
    labelStart[sample + 1] = rows.length;
  }
  if (rows.length === samples.labels.length) return profile;
  return { ...profile, samples: { ...samples, labelStart, labels: selectLabels(samples.labels, rows.finish()) } };
}

/**
 * Rebuilds a profile's location lines: filters drop inlined frames one by one.
 *
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
