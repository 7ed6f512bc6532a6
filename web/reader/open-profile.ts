/** Opens a file: what kind of profile it is, when it was taken, its families and the known leaks they match. */
import { FormatError } from '../../src/base/errors.ts';
import { agesByFamily } from '../../src/judge/ages/finding-ages.ts';
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { matchFamily } from '../../src/knowledge/match.ts';
import { FileContent } from '../../src/evidence/formats/file-content.ts';
import { EMPTY_FILE, UNRECOGNIZED_FILE } from '../../src/profile/formats/unrecognized.ts';
import type { Reading } from '../../src/evidence/formats/read.ts';
import {
  type FormatName,
  FORMATS,
  isProfileFormat,
  type ProfileFormatName,
  recogniseFormat,
} from '../../src/evidence/formats/registry.ts';
import { isDeltaProfile, kindOf } from '../../src/evidence/snapshots/read-member.ts';
import type { FindingAges } from '../../src/judge/analysis.ts';
import type { FamilyCount, FamilyTable } from '../../src/profile/families/family.ts';
import type { Match } from '../../src/knowledge/known-leak-match.ts';
import type { Profile, ValueType } from '../../src/profile/profile.ts';
import type { SnapshotKind } from '../../src/evidence/snapshots/snapshot.ts';
import { sampleIndexByName } from '../../src/profile/pprof/sample-index.ts';
import { isTar } from '../../src/base/sniff.ts';

export interface OpenedProfile {
  readonly name: string;
  readonly kind: SnapshotKind;
  readonly format: ProfileFormatName;
  readonly sampleTypes: readonly ValueType[];
  readonly defaultSampleType: string;
  /** Unix seconds; undefined if the file does not say. */
  readonly takenAt: number | undefined;
  readonly durationSeconds: number;
  /** The build id of the program's binary; '' if the file does not say. */
  readonly buildId: string;
  readonly isDelta: boolean;
  /** Notes of the format's reader, a sentence each. */
  readonly notes: readonly string[];
  /** Only for goroutines and live heap. */
  readonly families: FamilyTable | undefined;
  /** By family id: the known leaks that match, the best match first. */
  readonly matches: ReadonlyMap<string, readonly Match[]>;
  /** By family id: how long its goroutines have waited; only from a dump that lists them. */
  readonly ages: ReadonlyMap<string, FindingAges>;
}

/** What the worker keeps of an open file; the page only gets `opened`. */
export interface LoadedProfile {
  readonly opened: OpenedProfile;
  readonly profile: Profile;
}

/** `content` must be uncompressed. Throws a FormatError that says what to do instead. */
export function openProfile(content: Uint8Array, name: string): LoadedProfile {
  const reading = readProfile(content);
  const { profile, dump } = reading;
  if (profile.sampleTypes.length === 0) throw new FormatError('the profile has no sample types, so it is empty');
  const kind = kindOf(reading, name);
  const families = familiesOf({ kind, profile, dump });
  return {
    profile,
    opened: {
      name,
      kind,
      format: reading.format,
      sampleTypes: profile.sampleTypes,
      defaultSampleType: profile.sampleTypes[sampleIndexByName(profile, '')]?.type ?? '',
      takenAt: profile.timeNanos === 0n ? undefined : Number(profile.timeNanos / 1_000_000n) / 1000,
      durationSeconds: Number(profile.durationNanos) / 1e9,
      buildId: profile.mappings[0]?.buildId ?? '',
      isDelta: isDeltaProfile(kind, profile),
      notes: reading.notes,
      families,
      matches: families === undefined ? new Map() : matchesOf(families.counts, () => undefined),
      ages: families === undefined ? new Map() : agesByFamily(families),
    },
  };
}

/** The unit of a sample type: `bytes`, `count`, `nanoseconds` ... */
export function unitOf(sampleTypes: readonly ValueType[], sampleType: string): string {
  return sampleTypes.find(({ type }) => type === sampleType)?.unit ?? '';
}

/** Only the largest families are compared with the catalogue. */
const MATCHED_FAMILIES = 300;

/** `grows` says whether a family grows; undefined if that is unknown, as with one snapshot. */
export function matchesOf(
  counts: readonly FamilyCount[],
  grows: (id: string) => boolean | undefined,
): Map<string, readonly Match[]> {
  const found = new Map<string, readonly Match[]>();
  for (const { family, creators, states } of counts.slice(0, MATCHED_FAMILIES)) {
    const stack = {
      kind: family.kind,
      frames: family.frames,
      creators: [...creators.keys()],
      states: [...states.keys()],
    };
    const matches = matchFamily({ ...stack, grows: grows(family.id) }, {}, BUNDLED_LEAKS);
    // Half of a healthy kubelet's stacks match some leak as 'possible'.
    const relevant = matches.filter(match => match.grade !== 'possible');
    if (relevant.length > 0) found.set(family.id, relevant);
  }
  return found;
}

function readProfile(content: Uint8Array): Reading {
  if (content.length === 0) throw new FormatError(EMPTY_FILE);
  const file = new FileContent(content);
  const format = recogniseFormat(file);
  if (format !== undefined && isProfileFormat(format)) return { format, ...FORMATS[format].read(file) };
  throw new FormatError(whatItIs(file.head, format));
}

function whatItIs(head: Uint8Array, format: FormatName | undefined): string {
  if (isTar(head)) {
    return 'an archive; drop the files inside it, or read it with `oakum analyze FILE`';
  }
  if (format === 'exposition' || format === 'range-query') {
    return 'metrics, not a profile; read them with `oakum analyze FILE` or `oakum detect FILE`';
  }
  const what = format === undefined ? UNRECOGNIZED_FILE : `${format}, not a profile`;
  return `${what}; get one from /debug/pprof/heap or /debug/pprof/goroutine?debug=2`;
}
