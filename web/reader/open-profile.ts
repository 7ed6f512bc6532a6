/** A file opened: what it is, when it was taken, its families and what is known of them. */
import { FormatError } from '../../src/base/errors.ts';
import { decodeText } from '../../src/base/text.ts';
import { familiesOf } from '../../src/analysis/families/families-of.ts';
import { BUNDLED_LEAKS } from '../../src/catalogue/bundled.ts';
import { matchFamily } from '../../src/catalogue/match.ts';
import { sniffExposition } from '../../src/formats/exposition/sniff.ts';
import { readAny, type FormatName, type Reading } from '../../src/formats/read.ts';
import { isDeltaProfile, kindOf } from '../../src/formats/snapshot-kind.ts';
import type { FamilyCount, FamilyTable } from '../../src/model/family.ts';
import type { Match } from '../../src/model/known-leak.ts';
import type { Profile, ValueType } from '../../src/model/profile.ts';
import type { SnapshotKind } from '../../src/model/snapshot.ts';
import { sampleIndexByName } from '../../src/pprof/units/sample-index.ts';

export interface OpenedProfile {
  readonly name: string;
  readonly kind: SnapshotKind;
  readonly format: FormatName;
  readonly sampleTypes: readonly ValueType[];
  readonly defaultSampleType: string;
  /** Unix seconds; undefined when the content does not tell. */
  readonly takenAt: number | undefined;
  readonly durationSeconds: number;
  /** Of the program's binary; '' when not told. */
  readonly buildId: string;
  readonly isDelta: boolean;
  /** The reader's remarks, a sentence each. */
  readonly notes: readonly string[];
  /** Goroutines and live heap only. */
  readonly families: FamilyTable | undefined;
  /** By family id: the known leaks it may be, the surest first. */
  readonly matches: ReadonlyMap<string, readonly Match[]>;
}

export interface Opening {
  readonly opened: OpenedProfile;
  readonly profile: Profile;
}

const HEAD_BYTES = 64 * 1024;

/** `content` is out of its compression. Throws FormatError with what to do instead. */
export function openProfile(content: Uint8Array, name: string): Opening {
  const head = content.subarray(0, HEAD_BYTES);
  const reading = readProfile(content, head);
  const { profile, dump } = reading;
  if (profile.sampleTypes.length === 0) throw new FormatError('a profile without sample types: there is nothing in it');
  const kind = kindOf(reading, decodeText(head), name);
  const families = familiesOf({ kind, profile, dump });
  return {
    profile,
    opened: {
      name,
      kind,
      format: reading.format,
      sampleTypes: profile.sampleTypes,
      defaultSampleType: profile.sampleTypes[sampleIndexByName(profile, '')].type,
      takenAt: profile.timeNanos === 0n ? undefined : Number(profile.timeNanos / 1_000_000n) / 1000,
      durationSeconds: Number(profile.durationNanos) / 1e9,
      buildId: profile.mappings[0]?.buildId ?? '',
      isDelta: isDeltaProfile(kind, profile),
      notes: reading.notes,
      families,
      matches: families === undefined ? new Map() : matchesOf(families.counts, undefined),
    },
  };
}

/** Of thousands of families only the largest are held against the catalogue. */
const MATCHED_FAMILIES = 300;

/** `growing` has the ids of those that grow; undefined when one snapshot cannot tell. */
export function matchesOf(
  counts: readonly FamilyCount[],
  growing: ReadonlySet<string> | undefined,
): Map<string, readonly Match[]> {
  const found = new Map<string, readonly Match[]>();
  for (const { family, creators, states } of counts.slice(0, MATCHED_FAMILIES)) {
    const stack = {
      kind: family.kind,
      frames: family.frames,
      creators: [...creators.keys()],
      states: [...states.keys()],
    };
    const matches = matchFamily({ ...stack, grows: growing?.has(family.id) }, {}, BUNDLED_LEAKS);
    // What is merely possible would name a leak beside half of a healthy kubelet's stacks.
    const telling = matches.filter(match => match.grade !== 'possible');
    if (telling.length > 0) found.set(family.id, telling);
  }
  return found;
}

function readProfile(content: Uint8Array, head: Uint8Array): Reading {
  try {
    return readAny(content);
  } catch (error) {
    if (!(error instanceof FormatError) || error.message !== 'unrecognized profile format') throw error;
    throw new FormatError(whatItIs(head), { cause: error });
  }
}

/** `ustar` stands in the header of every archive that tar writes. */
const TAR_MAGIC_AT = 257;

function whatItIs(head: Uint8Array): string {
  if (decodeText(head, TAR_MAGIC_AT, TAR_MAGIC_AT + 5) === 'ustar') {
    return 'an archive; drop the files that are in it, or read it with `oakum analyze FILE`';
  }
  if (sniffExposition(head))
    return 'metrics, not a profile; read them with `oakum analyze FILE` or `oakum detect FILE`';
  return 'neither a profile nor a goroutine dump; /debug/pprof/heap and /debug/pprof/goroutine?debug=2 give one';
}
