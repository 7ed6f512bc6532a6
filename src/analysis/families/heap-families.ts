/**
 * Families of a heap profile: who allocated what is still in use, and by calling what.
 *
 *     leaf   context.(*cancelCtx).propagateCancel
 *            context.withCancel
 *            context.WithCancel                     <- what the owner calls: the exported function next to it
 *            kubelet.(*podWorkers).startPodSync     <- owner: the first frame outside shared packages
 *            kubelet.(*podWorkers).podWorkerLoop
 *     key    context.WithCancel  kubelet.(*podWorkers).startPodSync
 *
 * The many places in which a library allocates for one call are one family, so that it rests on as many samples as
 * possible. `frames` is the longest path from an allocation to the owner that the profile has. A heap profile shows who
 * allocated, not who holds on to it.
 */
import type { FamilyCount, FamilyTable } from '../../model/family.ts';
import type { Profile } from '../../model/profile.ts';
import { bySize } from './family-draft.ts';
import { familyId } from './family-id.ts';
import { frameKind, FrameInterner } from './frame-interner.ts';
import { estimateOf } from './heap-sampling.ts';
import { packageOf } from '../../model/go-name/normalise.ts';
import { ownerIndex } from './owner.ts';
import { exampleOfSample, idsOfLines, stackIds } from './profile-families.ts';
import { NO_STACK } from './stack-key.ts';
import { heapTitle } from './title.ts';

interface Draft {
  readonly key: readonly number[];
  /** The longest path seen, as frame ids; equal lengths are settled by text. */
  path: readonly number[];
  objects: number;
  bytes: number;
  samples: number;
  variance: number;
  exampleSample: number;
  exampleBytes: number;
}

export function familiesOfHeap(profile: Profile): FamilyTable {
  const { samples } = profile;
  const interner = new FrameInterner();
  const lineIds = idsOfLines(profile, { interner });
  const columns = inUseColumns(profile);
  const byKey = new Map<string, Draft>();
  for (let sample = 0; sample < samples.length; sample++) {
    const bytes = columns.bytes < 0 ? 0 : Number(samples.values[columns.bytes][sample]);
    const objects = columns.objects < 0 ? 0 : Number(samples.values[columns.objects][sample]);
    if (bytes === 0 && objects === 0) continue; // freed since
    const { path, key } = allocationPath(interner, stackIds(profile, sample, lineIds));
    const text = key.join(' ');
    let draft = byKey.get(text);
    if (draft === undefined) {
      draft = { key, path, objects: 0, bytes: 0, samples: 0, variance: 0, exampleSample: sample, exampleBytes: 0 };
      byKey.set(text, draft);
    }
    const estimate = estimateOf(bytes, objects, Number(profile.period));
    draft.bytes += bytes;
    draft.objects += objects;
    draft.samples += estimate.samples;
    draft.variance += estimate.variance;
    if (isLonger(interner, path, draft.path)) draft.path = path;
    if (bytes > draft.exampleBytes) [draft.exampleBytes, draft.exampleSample] = [bytes, sample];
  }
  const drafts = [...byKey.values()].sort((a, b) => b.bytes - a.bytes);
  const counts = drafts.map((draft, rank) => toCount(profile, interner, draft, rank < WITH_EXAMPLE)).sort(bySize);
  return { kind: 'heap', total: counts.reduce((sum, { bytes }) => sum + bytes, 0), counts };
}

/** Of a profile's thousands of families, the largest show a full stack. */
const WITH_EXAMPLE = 500;

function toCount(profile: Profile, interner: FrameInterner, draft: Draft, withExample: boolean): FamilyCount {
  const names = draft.key.map(id => interner.names[id]);
  const owner = names[names.length - 1];
  return {
    family: {
      id: familyId('heap', names),
      kind: 'heap',
      frames: draft.path.map(id => interner.names[id]),
      title: heapTitle(owner, names.length > 1 ? names[0] : ''),
      ownerPackage: packageOf(owner),
    },
    count: draft.objects,
    bytes: draft.bytes,
    samples: Math.round(draft.samples),
    bytesError: Math.sqrt(draft.variance),
    states: new Map(),
    waitMinutes: undefined,
    creators: new Map(),
    labelSets: [],
    leaked: 0,
    example: withExample ? exampleOfSample(profile, draft.exampleSample) : [],
  };
}

/** The path from the allocation to its owner, each function once, and what of it makes the family. */
export function allocationPath(interner: FrameInterner, ids: readonly number[]): { path: number[]; key: number[] } {
  const path: number[] = [];
  for (const id of ids) {
    const kind = interner.kinds[id];
    if (kind === frameKind.hidden || kind === frameKind.wrapper || path.includes(id)) continue;
    path.push(id);
    if (!interner.shared[id]) break;
  }
  if (path.length === 0) path.push(ids.findLast(id => interner.names[id] !== '') ?? interner.intern(NO_STACK));
  const at = ownerIndex(path.map(id => interner.shared[id]));
  const called = path.slice(0, at).findLast(id => interner.exported[id]);
  return { path, key: called === undefined ? [path[at]] : [called, path[at]] };
}

function isLonger(interner: FrameInterner, a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return a.length > b.length;
  if (a.every((id, i) => id === b[i])) return false; // nearly always
  const text = (path: readonly number[]): string => path.map(id => interner.names[id]).join('\n');
  return text(a) < text(b);
}

/** Columns by name: their order and number differ between heap, allocs and foreign profiles; -1 when there is none. */
function inUseColumns(profile: Profile): { bytes: number; objects: number } {
  const find = (...names: string[]): number => {
    for (const name of names) {
      const at = profile.sampleTypes.findIndex(({ type }) => type === name);
      if (at >= 0) return at;
    }
    return -1;
  };
  return { bytes: find('inuse_space', 'space', 'bytes'), objects: find('inuse_objects', 'objects') };
}
