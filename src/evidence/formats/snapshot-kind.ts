/** Which kind of profile it is, by its content: sample types first, then what stacks of each kind always end in. */
import type { SnapshotKind } from '../snapshots/snapshot.ts';
import type { Profile } from '../../profile/profile.ts';
import type { Reading } from './read.ts';

export function kindOf(reading: Reading, path: string): SnapshotKind {
  const { profile, dump } = reading;
  if (dump !== undefined) return namedKind(dump.sections[0]?.name ?? 'goroutine');
  const types = new Set(profile.sampleTypes.map(type => type.type));
  // As text, a process that has freed nothing shows what is in use only, as pprof reads it.
  const isHeap = types.has('inuse_space') || (reading.format === 'heap-text' && types.has('space'));
  if (isHeap) {
    if (profile.defaultSampleType === 'alloc_space') return 'allocs';
    // The text of both is the same.
    return reading.format !== 'pprof' && /allocs/.test(fileName(path)) ? 'allocs' : 'heap';
  }
  if (types.has('cpu') || profile.periodType.type === 'cpu') return 'cpu';
  if (types.has('contentions')) return reading.contention ?? contentionKind(profile, path);
  for (const type of types) {
    const kind = namedKind(type);
    if (kind !== 'profile') return kind;
  }
  return 'profile';
}

function namedKind(name: string): SnapshotKind {
  return name === 'goroutine' || name === 'goroutineleak' || name === 'threadcreate' ? name : 'profile';
}

/** A mutex profile is sampled where a lock is given up, a block profile where something is waited for. */
const UNLOCKS = /^(?:internal\/)?sync\.\(\*(?:RW)?Mutex\)\.R?Unlock|^runtime\.(?:unlock|_LostContendedRuntimeLock)/;
const WAITS = /\.(?:Lock|RLock|Wait|lockSlow)$|^runtime\.(?:chanrecv|chansend|selectgo|block|semacquire|gopark)/;

function contentionKind(profile: Profile, path: string): SnapshotKind {
  let unlocks = 0;
  let waits = 0;
  const { samples } = profile;
  for (let i = 0; i < samples.length; i++) {
    if (samples.stackStart[i] === samples.stackStart[i + 1]) continue;
    const leaf = leafName(profile, samples.stackLocations[samples.stackStart[i]]);
    if (UNLOCKS.test(leaf)) unlocks++;
    else if (WAITS.test(leaf)) waits++;
  }
  if (unlocks !== waits) return unlocks > waits ? 'mutex' : 'block';
  const name = fileName(path);
  return /mutex/.test(name) ? 'mutex' : /block/.test(name) ? 'block' : 'profile';
}

function leafName(profile: Profile, location: number): string {
  const { lineStart, lines } = profile.locations;
  if (lineStart[location] === lineStart[location + 1]) return '';
  const fn = lines.fn[lineStart[location]];
  return fn < 0 ? '' : profile.strings[profile.functions.name[fn]];
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

/** Kinds of which a `?seconds=` request gives the difference. A CPU profile always has a duration. */
const SNAPSHOT_KINDS: ReadonlySet<SnapshotKind> = new Set([
  'goroutine',
  'goroutineleak',
  'heap',
  'allocs',
  'threadcreate',
  'block',
  'mutex',
]);

export function isDeltaProfile(kind: SnapshotKind, profile: Profile): boolean {
  if (!SNAPSHOT_KINDS.has(kind)) return false;
  return profile.durationNanos > 0n || profile.samples.values.some(column => column.some(value => value < 0));
}
