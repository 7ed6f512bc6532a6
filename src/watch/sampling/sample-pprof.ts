/** Samples a Go daemon that has /debug/pprof and no /metrics, less often than metrics: each sample is two profiles. */
import { reasonNotToCollect } from '../../live/capture/capture-steps.ts';
import { explain } from '../../live/replies/explain.ts';
import { sampleOfPprof } from '../../evidence/pprof-sample.ts';
import type { Reply } from '../../live/reply.ts';
import { targetKind } from '../../evidence/target.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { WatchedTarget } from '../state/watched-target.ts';

export type PprofSample =
  | { readonly kind: 'sample'; readonly at: number; readonly values: Readonly<Record<string, number>> }
  /** Undefined where the requests were stopped. */
  | { readonly kind: 'none'; readonly why: string | undefined };

const EVERY_SECONDS = 300;
/** Only the first line is needed. */
const GOROUTINE_BYTES = 64 * 1024;
const HEAP_BYTES = 32 * 1024 * 1024;

/** Not a kubelet: it always has metrics, and its profiles need more rights. */
export function maySamplePprof(target: WatchedTarget): boolean {
  return targetKind(target.name) !== 'node';
}

/** Seconds between two samples of this kind. */
export function pprofSeconds({ options }: WatchState): number {
  return Math.max(options.intervalSeconds, EVERY_SECONDS / options.timeScale);
}

export async function samplePprof(state: WatchState, target: WatchedTarget): Promise<PprofSample> {
  const { connection } = target;
  if (connection === undefined) return { kind: 'none', why: undefined };
  const ask = (path: string, maxBytes: number): Promise<Reply> =>
    connection.get(path, { deadlineSeconds: state.options.deadlineSeconds, maxBytes, signal: state.stopping });
  const isCollected = state.options.gc && reasonNotToCollect(target.liveHeapBytes) === undefined;
  const goroutines = await ask('/debug/pprof/goroutine?debug=1', GOROUTINE_BYTES);
  const path = '/debug/pprof/goroutine';
  if (goroutines.kind !== 'answer' || goroutines.status !== 200) {
    const why = explain(goroutines, { ...connection, path });
    return { kind: 'none', why: why?.kind === 'stopped' ? undefined : why?.sentence };
  }
  const heap = await ask(`/debug/pprof/heap?${isCollected ? 'gc=1&' : ''}debug=1`, HEAP_BYTES);
  const heapText = heap.kind === 'answer' && heap.status === 200 && heap.cut === undefined ? heap.body : undefined;
  const at = goroutines.headAtSeconds;
  const values = sampleOfPprof({ goroutines: goroutines.body, heap: heapText, isCollected }, target.latest, at);
  if (values === undefined) return { kind: 'none', why: `${path} was answered, but not with a profile` };
  return { kind: 'sample', at, values };
}
