/** The long-running work of a watch, in its own thread. Started by background-client.ts. */
import { workerData } from 'node:worker_threads';
import { digestsFor } from '../../evidence/io/digests.ts';
import { DEFAULT_ARCHIVE_LIMITS, tarGzArchive } from '../../evidence/io/tar-gz.ts';
import { type PackedShape, unpackRows } from '../../store/codec/packed-rows.ts';
import { inProcessBackground } from '../../watch/in-process-background.ts';
import { isSelf } from '../../watch/state/watched-target.ts';
import { clusterOf } from '../../evidence/target.ts';
import type { TargetVerdict } from '../../judge/detect/detection.ts';
import { serveCalls } from '../../store/io/start-thread.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { LeastGrowth } from '../options/shared.ts';

/** What the main thread tells the background thread. */
export interface BackgroundSettings {
  readonly timeScale: number;
  readonly leastGrowth: LeastGrowth;
  /** Limits that no metric shows: by target, by cluster where there are several, and for all others. */
  readonly limitBytesByTarget: Readonly<Record<string, number>>;
  readonly limitBytesByCluster?: Readonly<Record<string, number>>;
  readonly limitBytes: number | undefined;
  readonly catalogue: readonly KnownLeak[];
  readonly oakumVersion: string;
}

/** The verdicts of one evaluation, waiting to be fetched. */
export interface KeptVerdicts {
  readonly id: number;
  readonly count: number;
}

serveBackground(workerData as BackgroundSettings);

function serveBackground(settings: BackgroundSettings): void {
  const { timeScale, leastGrowth, limitBytesByTarget, limitBytesByCluster, limitBytes, catalogue, oakumVersion } =
    settings;
  const background = inProcessBackground({
    detector: {
      timeScale,
      leastGrowth,
      memoryLimitBytes: target =>
        isSelf(target)
          ? undefined
          : (limitBytesByTarget[target] ?? limitBytesByCluster?.[clusterOf(target) ?? ''] ?? limitBytes),
    },
    catalogue,
    oakumVersion,
    ports: () => ({ archive: tarGzArchive(DEFAULT_ARCHIVE_LIMITS), digests: digestsFor(undefined) }),
  });
  const { replay, ...calls } = background;
  /** Verdicts that have not been fetched yet, by evaluation. */
  const kept = new Map<number, TargetVerdict[]>();
  let nextId = 1;

  serveCalls({
    ...calls,
    observe: (rows: readonly PackedShape[]) => background.observe(unpackRows(rows)),
    observeReplay: (rows: readonly PackedShape[]) => replay.observe(unpackRows(rows)),
    evaluateReplay: replay.evaluate,
    joinReplay: replay.join,
    async evaluate(at: number): Promise<KeptVerdicts> {
      const verdicts = await background.evaluate(at);
      const id = nextId++;
      if (verdicts.length > 0) kept.set(id, [...verdicts]);
      return { id, count: verdicts.length };
    },
    nextVerdicts(id: number, most: number): TargetVerdict[] {
      const left = kept.get(id) ?? [];
      const part = left.splice(0, most);
      if (left.length === 0) kept.delete(id);
      return part;
    },
  });
}
