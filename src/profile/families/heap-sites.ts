/**
 * The sites of a heap family: each path from an allocation to its owner, with everything allocated there and how much
 * of it is live. One family mixes sites that keep and sites that free:
 *
 *     kubelet.(*podWorkers).startPodSync → context.WithCancel      15 of 21 samples live
 *         context.withCancel                                       13 of 13: the context itself
 *         context.(*cancelCtx).propagateCancel                      2 of  4: the parent's map, which doubles
 *         context.WithCancel                                        0 of  4: the function it returns
 */
import type { HeapAmount, HeapSite } from './family.ts';
import type { Profile } from '../profile.ts';
import type { FrameInterner } from './frame-interner.ts';
import { estimateOf } from './heap-sampling.ts';

type Sum = { -readonly [K in keyof HeapAmount]: HeapAmount[K] };

export interface SiteDraft {
  readonly path: readonly number[];
  readonly live: Sum;
  readonly allocated: Sum;
  isInit: boolean;
}

/** The sites of one family while a profile is read. */
export class HeapSites {
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

export function amountOf(bytes: number, objects: number, periodBytes: number): HeapAmount {
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

/** How many frames at the root show initialisation: `runtime.main`, `runtime.doInit`, `runtime.doInit1`. */
const INIT_DEPTH = 4;

/** Whether a sample was allocated during package initialisation. */
export function initTester(
  profile: Profile,
  interner: FrameInterner,
  lineIds: Int32Array,
): (sample: number) => boolean {
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
