/** A profile as Go's encoding/json prints pprof's `profile.Profile`: nested objects instead of ids. */
import { ProfileBuilder } from '../../src/profile/profile-builder.ts';
import type { LabelRow } from '../../src/profile/profile-builder.ts';
import type { Mapping, Profile, ValueType } from '../../src/profile/profile.ts';

// JSON.stringify has no 64-bit integers: they are strings with this mark.
const MARK = '\u0001';

export function profileToJson(profile: Profile): string {
  const { samples, functions } = profile;
  const listed = <T>(length: number, item: (index: number) => T): T[] => Array.from({ length }, (_, i) => item(i));
  const value = {
    SampleType: profile.sampleTypes.map(typeJson),
    DefaultSampleType: profile.defaultSampleType,
    Sample: listed(samples.length, sample => ({
      Location: Array.from(stackOf(profile, sample), location => locationJson(profile, location)),
      Value: samples.values.map(column => column[sample]),
      ...labelsJson(profile, sample),
    })),
    Mapping: profile.mappings.map(mappingJson),
    Location: listed(profile.locations.length, location => locationJson(profile, location)),
    Function: listed(functions.length, fn => functionJson(profile, fn)),
    Comments: profile.comments.length === 0 ? null : profile.comments,
    DropFrames: profile.dropFrames,
    KeepFrames: profile.keepFrames,
    TimeNanos: profile.timeNanos,
    DurationNanos: profile.durationNanos,
    PeriodType: typeJson(profile.periodType),
    Period: profile.period,
  };
  const mark = (_: string, item: unknown): unknown => (typeof item === 'bigint' ? `${MARK}${item}` : item);
  const json = JSON.stringify(value, mark, 2).replace(/"\\u0001(-?\d+)"/g, '$1');
  return json.replace(/[<>&]/g, char => `\\u00${char.charCodeAt(0).toString(16)}`) + '\n';
}

const typeJson = ({ type, unit }: ValueType): object => ({ Type: type, Unit: unit });

function stackOf({ samples }: Profile, sample: number): Profile['samples']['stackLocations'] {
  return samples.stackLocations.subarray(samples.stackStart[sample], samples.stackStart[sample + 1]);
}

function locationJson(profile: Profile, index: number): object {
  const { locations } = profile;
  const { lineStart, lines } = locations;
  const mapping = profile.mappings[locations.mapping[index]];
  return {
    ID: locations.id[index],
    Mapping: mapping === undefined ? null : mappingJson(mapping),
    Address: locations.address[index],
    Line: Array.from({ length: lineStart[index + 1] - lineStart[index] }, (_, i) => ({
      Function: functionJson(profile, lines.fn[lineStart[index] + i]),
      Line: lines.line[lineStart[index] + i],
    })),
    IsFolded: locations.isFolded[index] === 1,
  };
}

function functionJson({ functions, strings }: Profile, index: number): object {
  return {
    ID: functions.id[index],
    Name: strings[functions.name[index]],
    SystemName: strings[functions.systemName[index]],
    Filename: strings[functions.filename[index]],
    StartLine: functions.startLine[index],
  };
}

function mappingJson(mapping: Mapping): object {
  return {
    ID: mapping.id,
    Start: mapping.start,
    Limit: mapping.limit,
    Offset: mapping.offset,
    File: mapping.file,
    BuildID: mapping.buildId,
    HasFunctions: mapping.hasFunctions,
    HasFilenames: mapping.hasFilenames,
    HasLineNumbers: mapping.hasLineNumbers,
    HasInlineFrames: mapping.hasInlineFrames,
  };
}

function labelsJson({ samples, strings }: Profile, sample: number): object {
  const label: Record<string, string[]> = {};
  const numLabel: Record<string, unknown[]> = {};
  const numUnit: Record<string, string[]> = {};
  for (let i = samples.labelStart[sample]; i < samples.labelStart[sample + 1]; i++) {
    const key = strings[samples.labels.key[i]];
    if (samples.labels.str[i] !== 0) (label[key] ??= []).push(strings[samples.labels.str[i]]);
    else {
      (numLabel[key] ??= []).push(samples.labels.num[i]);
      (numUnit[key] ??= []).push(strings[samples.labels.unit[i]]);
    }
  }
  const orNull = (map: object): object | null => (Object.keys(map).length === 0 ? null : map);
  return { Label: orNull(label), NumLabel: orNull(numLabel), NumUnit: orNull(numUnit) };
}

interface JsonLocation {
  readonly ID: number;
  readonly Mapping: { readonly ID: number } | null;
  readonly Address: number;
  readonly IsFolded: boolean;
  readonly Line: readonly { readonly Function: { readonly ID: number }; readonly Line: number }[];
}

/** The reverse. Integers too long for a double are quoted first. */
export function profileFromJson(json: string): Profile {
  const file = JSON.parse(json.replace(/: (-?\d{16,})(,?)$/gm, ': "$1"$2'));
  const type = (value: { Type: string; Unit: string }): ValueType => ({ type: value.Type, unit: value.Unit });
  const b = new ProfileBuilder(file.SampleType.map(type));
  const mappings = new Map<number, number>();
  for (const m of file.Mapping) {
    const [id, start, limit, offset] = [m.ID, m.Start, m.Limit, m.Offset].map(BigInt);
    const { File, BuildID, HasFunctions, HasFilenames, HasLineNumbers, HasInlineFrames } = m;
    const flags = { hasFunctions: HasFunctions, hasFilenames: HasFilenames, hasLineNumbers: HasLineNumbers };
    const row = { id, start, limit, offset, file: File, buildId: BuildID, ...flags, hasInlineFrames: HasInlineFrames };
    mappings.set(m.ID, b.addMapping(row));
  }
  const functions = new Map<number, number>();
  for (const f of file.Function) functions.set(f.ID, b.internFunction(f.Name, f.Filename, f.SystemName, f.StartLine));
  const locations = new Map<number, number>();
  for (const l of file.Location as JsonLocation[]) {
    const lines = l.Line.map(line => ({ fn: functions.get(line.Function.ID)!, line: line.Line }));
    const mapping = l.Mapping === null ? -1 : mappings.get(l.Mapping.ID)!;
    const row = { id: BigInt(l.ID), mapping, address: BigInt(l.Address), isFolded: l.IsFolded, lines };
    locations.set(l.ID, b.addLocation(row));
  }
  for (const sample of file.Sample) {
    const labels: LabelRow[] = [];
    for (const [key, values] of Object.entries<string[]>(sample.Label ?? {})) {
      for (const str of values) labels.push({ key, str });
    }
    for (const [key, values] of Object.entries<number[]>(sample.NumLabel ?? {})) {
      values.forEach((num, i) => labels.push({ key, num, unit: sample.NumUnit?.[key]?.[i] ?? '' }));
    }
    b.addSample(
      sample.Location.map((l: JsonLocation) => locations.get(l.ID)!),
      sample.Value,
      labels,
    );
  }
  return b.finish({
    defaultSampleType: file.DefaultSampleType,
    comments: file.Comments ?? [],
    dropFrames: file.DropFrames,
    keepFrames: file.KeepFrames,
    timeNanos: BigInt(file.TimeNanos),
    durationNanos: BigInt(file.DurationNanos),
    periodType: type(file.PeriodType),
    period: BigInt(file.Period),
  });
}
