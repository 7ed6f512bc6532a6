/**
 * Finds each location's mapping: the first that covers its address, in the order of the list.
 *
 * Ranges may overlap, and one range may grow while locations are looked up (see `extend`), so sorting is not enough.
 * Going through all mappings for each location is what pprof does, but it is quadratic; here both questions are
 * answered by segment trees over the ranges' ends.
 */
import type { Draft } from './draft.ts';
import type { MutableMapping } from './mapping-entry.ts';

const USUAL_START = 0x400000n;
const MAX_ADDRESS = 0xffffffffffffffffn;

/** Sets the draft's mappings and each location's mapping. */
export function locateMappings(draft: Draft, entries: readonly MutableMapping[]): void {
  const mappings = [...entries];
  if (mappings.length > 1 && mappings[0].file.startsWith('/anon_hugepage') && mappings[0].limit === mappings[1].start) {
    mappings.shift();
  }
  if (mappings.length > 0 && BigInt.asUintN(64, mappings[0].start - mappings[0].offset) === USUAL_START) {
    mappings[0].start = USUAL_START;
    mappings[0].offset = 0n;
  }
  const real = mappings.length;
  const index = new MappingIndex(mappings);
  let fake = -1;
  for (let i = 0; i < draft.order.length; i++) {
    const address = draft.addresses.value(draft.order[i]);
    // pprof has set a Java address to 0 by now if there is a symbol for it.
    if (address === 0n || (!draft.keepAddresses && draft.lines.has(draft.order[i]))) continue;
    let found = index.covering(address);
    // Once it exists the catch-all comes before extending anything, and it ends just short of the last address.
    if (found < 0 && fake >= 0 && address < MAX_ADDRESS) found = fake;
    if (found < 0) found = index.extend(address);
    if (found < 0) {
      if (fake < 0) {
        fake = real;
        mappings.push({ start: 0n, limit: MAX_ADDRESS, offset: 0n, file: '', buildId: '' });
      }
      found = fake;
    }
    draft.locationMapping[i] = found;
  }
  draft.mappings = mappings.map((mapping, i) => ({
    id: BigInt(i + 1),
    ...mapping,
    hasFunctions: false,
    hasFilenames: false,
    hasLineNumbers: false,
    hasInlineFrames: false,
  }));
}

class MappingIndex {
  private readonly mappings: readonly MutableMapping[];
  /** Every address at which an answer can change. */
  private readonly cuts: BigUint64Array;
  private readonly size: number;
  /** Per tree node, 1 + the first mapping that covers all of it. */
  private readonly covers: Uint32Array;
  /** Per tree node, the mappings whose missing first part covers all of it, in order; taken ones are skipped. */
  private readonly missing: number[][];
  private readonly missingHead: Uint32Array;

  constructor(mappings: readonly MutableMapping[]) {
    this.mappings = mappings;
    const ends: bigint[] = [];
    for (const { start, limit, offset } of mappings) ends.push(start, limit, BigInt.asUintN(64, start - offset));
    this.cuts = BigUint64Array.from(new Set(ends)).sort();
    this.size = 1;
    while (this.size < this.cuts.length) this.size *= 2;
    this.covers = new Uint32Array(this.size * 2);
    this.missing = Array.from({ length: this.size * 2 }, () => []);
    this.missingHead = new Uint32Array(this.size * 2);
    mappings.forEach(({ start, limit, offset }, m) => {
      this.cover(m, start, limit);
      if (offset !== 0n) {
        this.forEachNode(BigInt.asUintN(64, start - offset), start, node => this.missing[node].push(m));
      }
    });
  }

  covering(address: bigint): number {
    let best = 0;
    this.forEachAncestor(address, node => {
      if (this.covers[node] !== 0 && (best === 0 || this.covers[node] < best)) best = this.covers[node];
    });
    return best - 1;
  }

  /**
   * Some handlers leave out the first part of a mapping that is split: the first mapping whose file offset says that
   * its missing part covers the address is extended to it.
   */
  extend(address: bigint): number {
    let best = -1;
    this.forEachAncestor(address, node => {
      const list = this.missing[node];
      while (this.missingHead[node] < list.length && this.mappings[list[this.missingHead[node]]].offset === 0n) {
        this.missingHead[node]++;
      }
      const first = list[this.missingHead[node]];
      if (first !== undefined && (best < 0 || first < best)) best = first;
    });
    if (best >= 0) {
      const mapping = this.mappings[best];
      mapping.start -= mapping.offset;
      mapping.offset = 0n;
      this.cover(best, mapping.start, mapping.limit);
    }
    return best;
  }

  private cover(m: number, start: bigint, limit: bigint): void {
    this.forEachNode(start, limit, node => {
      if (this.covers[node] === 0 || this.covers[node] > m + 1) this.covers[node] = m + 1;
    });
  }

  /** The nodes that together are [start, limit); both are cuts. */
  private forEachNode(start: bigint, limit: bigint, each: (node: number) => void): void {
    if (start >= limit) return;
    let left = this.size + this.cutAtOrBefore(start);
    let right = this.size + this.cutAtOrBefore(limit);
    for (; left < right; left >>= 1, right >>= 1) {
      if (left & 1) each(left++);
      if (right & 1) each(--right);
    }
  }

  private forEachAncestor(address: bigint, each: (node: number) => void): void {
    const cut = this.cutAtOrBefore(address);
    if (cut < 0) return;
    for (let node = this.size + cut; node >= 1; node >>= 1) each(node);
  }

  private cutAtOrBefore(address: bigint): number {
    let low = 0;
    let high = this.cuts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.cuts[middle] <= address) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
