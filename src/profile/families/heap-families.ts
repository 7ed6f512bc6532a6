/**
 * Families of a heap profile: which code allocated what is still in use, and through which call.
 *
 *     leaf   context.(*cancelCtx).propagateCancel
 *            context.withCancel
 *            context.WithCancel                     <- what the owner calls: the exported function next to it
 *            kubelet.(*podWorkers).startPodSync     <- owner: the first frame outside shared packages
 *            kubelet.(*podWorkers).podWorkerLoop
 *     key    context.WithCancel  kubelet.(*podWorkers).startPodSync
 *
 * A library allocates in many places for one call; they are one family, so that it has as many samples as possible.
 * `frames` is the longest path from an allocation to the owner in the profile. A heap profile shows the code that
 * allocated memory, not what keeps it.
 */
import type { Int64Column } from '../../base/int64.ts';
import { SequenceTrie } from '../../base/sequence-trie.ts';
import type { FamilyCount, FamilyTable, HeapAmount, HeapSite } from './family.ts';
import type { Profile } from '../profile.ts';
import { bySize, familyId, heapTitle } from './family-draft.ts';
import { frameKind, FrameInterner } from './frame-interner.ts';
import { packageOf } from './normalise.ts';
import { leadingIndex } from './shared-packages.ts';
import { exampleOfSample, idsOfLines, placesInSample } from './profile-families.ts';
import { NO_STACK, ROOTS } from './stack-key.ts';

/** How many frames at the root show initialisation: `runtime.main`, `runtime.doInit`, `runtime.doInit1`. */
const INIT_DEPTH = 4;

interface Draft {
  readonly key: readonly number[];
  /** The longest path of memory in use, as frame ids; ties go by text. */
  path: readonly number[];
  /** A sample that has this path. */
  pathSample: number;
  readonly sites: HeapSites;
  exampleSample: number;
  exampleBytes: number;
}

export function familiesOfHeap(profile: Profile): FamilyTable {
  const { samples } = profile;
  const interner = new FrameInterner();
  const lineIds = idsOfLines(profile, { interner });
  const columns = heapColumns(profile);
  const isInit = initTester(profile, interner, lineIds);
  const period = Number(profile.period);
  const drafts = new Drafts(profile, interner, lineIds);
  const column = (index: number): Int64Column => samples.values[index] ?? new Float64Array(samples.length);
  const [bytes, objects] = [column(columns.bytes), column(columns.objects)];
  const [allocatedBytes, allocatedObjects] = [column(columns.allocatedBytes), column(columns.allocatedObjects)];
  for (let sample = 0; sample < samples.length; sample++) {
    const live = amountOf(Number(bytes[sample]), Number(objects[sample]), period);
    const allocated = amountOf(Number(allocatedBytes[sample]), Number(allocatedObjects[sample]), period);
    const isFreed = live.bytes === 0 && live.objects === 0;
    if (isFreed && allocated.objects === 0) continue;
    const { draft, site, path } = drafts.entryOf(sample);
    draft.sites.add(site, live, allocated, isInit(sample));
    if (isFreed) continue;
    if (path !== draft.path && isLonger(interner, path, draft.path)) [draft.path, draft.pathSample] = [path, sample];
    if (live.bytes > draft.exampleBytes) [draft.exampleBytes, draft.exampleSample] = [live.bytes, sample];
  }
  // A family with nothing in use has no path.
  const used = [...drafts.byKey.values()].filter(({ path }) => path.length > 0);
  used.sort((a, b) => b.sites.live.bytes - a.sites.live.bytes);
  const counts = used
    .map((draft, rank) => toCount(profile, interner, lineIds, draft, rank < WITH_EXAMPLE))
    .sort(bySize);
  return { kind: 'heap', total: counts.reduce((sum, { bytes }) => sum + bytes, 0), counts };
}

interface StackEntry {
  readonly draft: Draft;
  readonly site: SiteDraft;
  readonly path: readonly number[];
}

/** Families and sites by stack: most stacks of a profile are alike up to their owner. */
class Drafts {
  readonly byKey = new Map<string, Draft>();
  private readonly profile: Profile;
  private readonly interner: FrameInterner;
  private readonly lineIds: Int32Array;
  /** The frame ids of stacks from the leaf to the owner; an entry for each end. */
  private readonly trie = new SequenceTrie();
  private readonly entries: (StackEntry | undefined)[] = [];

  constructor(profile: Profile, interner: FrameInterner, lineIds: Int32Array) {
    this.profile = profile;
    this.interner = interner;
    this.lineIds = lineIds;
  }

  entryOf(sample: number): StackEntry {
    const end = this.endOf(sample);
    let entry = this.entries[end];
    if (entry === undefined) {
      while (this.entries.length <= end) this.entries.push(undefined);
      const { path, key } = allocationPath(this.interner, this.trie.path(end));
      const draft = this.draftOf(key, sample);
      this.entries[end] = entry = { draft, site: draft.sites.siteOf(path), path };
    }
    return entry;
  }

  /** From the leaf to the first frame outside shared packages, or to the root if there is none. */
  private endOf(sample: number): number {
    const { profile, interner, lineIds, trie } = this;
    const { samples, locations } = profile;
    let node = 0;
    for (let i = samples.stackStart[sample]; i < samples.stackStart[sample + 1]; i++) {
      const location = samples.stackLocations[i];
      for (let line = locations.lineStart[location]; line < locations.lineStart[location + 1]; line++) {
        const id = lineIds[line];
        node = trie.child(node, id);
        const kind = interner.kinds[id];
        if (kind !== frameKind.hidden && kind !== frameKind.wrapper && !interner.shared[id]) return node;
      }
    }
    return node;
  }

  private draftOf(key: readonly number[], sample: number): Draft {
    const text = key.join(' ');
    let draft = this.byKey.get(text);
    if (draft === undefined) {
      draft = { key, path: [], pathSample: sample, sites: new HeapSites(), exampleSample: sample, exampleBytes: 0 };
      this.byKey.set(text, draft);
    }
    return draft;
  }
}

/** Only the largest of a profile's thousands of families show a full stack. */
const WITH_EXAMPLE = 500;

function toCount(
  profile: Profile,
  interner: FrameInterner,
  lineIds: Int32Array,
  draft: Draft,
  withExample: boolean,
): FamilyCount {
  const names = draft.key.map(id => interner.names[id]);
  const owner = names[names.length - 1];
  const { live } = draft.sites;
  return {
    family: {
      id: familyId('heap', names),
      kind: 'heap',
      frames: draft.path.map(id => interner.names[id]),
      closures: [],
      title: heapTitle(owner, names.length > 1 ? names[0] : ''),
      ownerPackage: packageOf(owner),
    },
    count: live.objects,
    bytes: live.bytes,
    samples: Math.round(live.samples),
    bytesError: Math.sqrt(live.variance),
    sites: draft.sites.finish(interner),
    states: new Map(),
    waitMinutes: undefined,
    waits: undefined,
    creators: new Map(),
    creatorPlaces: new Map(),
    labelSets: [],
    leaked: 0,
    places: placesOfPath(profile, lineIds, draft),
    example: withExample ? exampleOfSample(profile, draft.exampleSample) : [],
  };
}

/** Where the most memory was allocated, as far as the largest sample has the functions of the path. */
function placesOfPath(profile: Profile, lineIds: Int32Array, { path, pathSample, exampleSample }: Draft): string[] {
  const places = placesInSample(profile, exampleSample, lineIds, path);
  if (places.every(place => place !== '')) return places;
  const others = placesInSample(profile, pathSample, lineIds, path);
  return places.map((place, i) => (place === '' ? others[i] : place));
}

/** The path from the allocation to its owner, each function once, and the part of it that identifies the family. */
export function allocationPath(interner: FrameInterner, ids: readonly number[]): { path: number[]; key: number[] } {
  const path: number[] = [];
  for (const id of ids) {
    const kind = interner.kinds[id];
    if (kind === frameKind.hidden || kind === frameKind.wrapper || path.includes(id)) continue;
    path.push(id);
    if (!interner.shared[id]) break;
  }
  // The runtime allocates for itself: `runtime.malg` for `runtime.newproc`, on a stack of its own.
  if (path.length === 0)
    path.push(...new Set(ids.filter(id => interner.names[id] !== '' && !ROOTS.has(interner.names[id]))));
  if (path.length === 0) path.push(ids.findLast(id => interner.names[id] !== '') ?? interner.intern(NO_STACK));
  const at = leadingIndex(
    path.map(id => interner.shared[id]),
    path.map(id => interner.names[id]),
  );
  const called = path.slice(0, at).findLast(id => interner.exported[id]);
  return { path, key: called === undefined ? [path[at]] : [called, path[at]] };
}

function isLonger(interner: FrameInterner, a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return a.length > b.length;
  if (a.every((id, i) => id === b[i])) return false; // nearly always
  const text = (path: readonly number[]): string => path.map(id => interner.names[id]).join('\n');
  return text(a) < text(b);
}

interface HeapColumns {
  readonly bytes: number;
  readonly objects: number;
  readonly allocatedBytes: number;
  readonly allocatedObjects: number;
}

/** Columns by name: their order and number differ between heap, allocs and other profiles; -1 if there is none. */
function heapColumns(profile: Profile): HeapColumns {
  const find = (...names: string[]): number => {
    for (const name of names) {
      const at = profile.sampleTypes.findIndex(({ type }) => type === name);
      if (at >= 0) return at;
    }
    return -1;
  };
  return {
    bytes: find('inuse_space', 'space', 'bytes'),
    objects: find('inuse_objects', 'objects'),
    allocatedBytes: find('alloc_space'),
    allocatedObjects: find('alloc_objects'),
  };
}

/**
 * The sites of a heap family: each path from an allocation to its owner, with everything allocated there and how much
 * of it is live. One family mixes sites that keep and sites that free:
 *
 *     kubelet.(*podWorkers).startPodSync → context.WithCancel      15 of 21 samples live
 *         context.withCancel                                       13 of 13: the context itself
 *         context.(*cancelCtx).propagateCancel                      2 of  4: the parent's map, which doubles
 *         context.WithCancel                                        0 of  4: the function it returns
 */
type Sum = { -readonly [K in keyof HeapAmount]: HeapAmount[K] };

interface SiteDraft {
  readonly path: readonly number[];
  readonly live: Sum;
  readonly allocated: Sum;
  isInit: boolean;
}

/** The sites of one family while a profile is read. */
class HeapSites {
  readonly live: Sum = nothing();
  private readonly byPath = new Map<string, SiteDraft>();

  siteOf(path: readonly number[]): SiteDraft {
    const key = path.join(' ');
    let site = this.byPath.get(key);
    if (site === undefined) {
      site = { path, live: nothing(), allocated: nothing(), isInit: true };
      this.byPath.set(key, site);
    }
    return site;
  }

  add(site: SiteDraft, live: HeapAmount, allocated: HeapAmount, isInit: boolean): void {
    addTo(this.live, live);
    addTo(site.live, live);
    addTo(site.allocated, allocated);
    site.isInit &&= isInit;
  }

  /** Most live bytes first; empty if the profile does not record allocations. */
  finish(interner: FrameInterner): HeapSite[] {
    const sites = [...this.byPath.values()].filter(({ allocated }) => allocated.objects > 0);
    return sites
      .sort((a, b) => b.live.bytes - a.live.bytes || b.allocated.bytes - a.allocated.bytes)
      .map(({ path, live, allocated, isInit }) => ({
        frames: path.map(id => interner.names[id]),
        live,
        allocated,
        isInit,
      }));
  }
}

function amountOf(bytes: number, objects: number, periodBytes: number): HeapAmount {
  const { samples, variance } = estimateOf(bytes, objects, periodBytes);
  return { objects, bytes, samples, variance };
}

function nothing(): Sum {
  return { objects: 0, bytes: 0, samples: 0, variance: 0 };
}

function addTo(sum: Sum, { objects, bytes, samples, variance }: HeapAmount): void {
  sum.objects += objects;
  sum.bytes += bytes;
  sum.samples += samples;
  sum.variance += variance;
}

/** Whether a sample was allocated during package initialisation. */
function initTester(profile: Profile, interner: FrameInterner, lineIds: Int32Array): (sample: number) => boolean {
  const initIds = new Set(['runtime.doInit', 'runtime.doInit1'].map(name => interner.names.indexOf(name)));
  initIds.delete(-1);
  if (initIds.size === 0) return () => false;
  const { samples, locations } = profile;
  return sample => {
    const end = samples.stackStart[sample + 1];
    for (let i = Math.max(samples.stackStart[sample], end - INIT_DEPTH); i < end; i++) {
      const location = samples.stackLocations[i];
      for (let line = locations.lineStart[location]; line < locations.lineStart[location + 1]; line++) {
        if (initIds.has(lineIds[line])) return true;
      }
    }
    return false;
  };
}

/** With fewer samples, no verdict should be based on a family's bytes. */
export const MIN_SAMPLES_FOR_VERDICT = 20;

interface Estimate {
  /** Allocations that were sampled; a fraction if the scaling rounded. */
  readonly samples: number;
  /** Variance of the bytes. */
  readonly variance: number;
}

/**
 * The sampling error of a heap profile.
 *
 * Go samples about one allocation per `period` bytes and divides by the probability of being sampled:
 *
 *     p = 1 - exp(-size / period)      416 bytes at 512 KiB: 0.00079, so one sample counts as 1260 objects
 *
 * Reversing that gives the number of samples. Each sample adds (1 - p) (size / p)^2 to the variance.
 *
 * `bytes` and `objects` as scaled in the profile; a row of a profile has objects of one size.
 */
export function estimateOf(bytes: number, objects: number, periodBytes: number): Estimate {
  if (objects === 0 || bytes === 0) return { samples: 0, variance: 0 };
  const size = Math.abs(bytes / objects);
  const seen = periodBytes > 0 ? -Math.expm1(-size / periodBytes) : 1;
  const samples = Math.abs(objects) * seen;
  return { samples, variance: samples * (1 - seen) * (size / seen) ** 2 };
}
