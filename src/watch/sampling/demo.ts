/** The demo: plays a recorded cluster into watch as if it were live. */
import { recordOf } from '../../base/json.ts';
import { type KubeObject, timeOf } from '../../evidence/formats/kube-objects.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { CAPTURE_POLICY } from '../state/capture-policy.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { Watch } from '../watch-service.ts';
import { clusterSink } from './follow-cluster.ts';
import { WATCH_DEFAULTS, type WatchOptions } from '../state/watch-state.ts';

/** The nodes synced their pods every second instead of every minute or so: a leak of a week took half an hour. */
export const DEMO_TIME_SCALE = 340;
/** Plays 34 minutes in less than two and a half, so that a slow machine is done within three. */
export const DEMO_PACE = 14;
/** None of the recorded processes has a limit; this one makes the time to it worth looking at. */
export const DEMO_LIMIT_BYTES: number = 256 * 1024 * 1024;

/** What the demo needs from a recording. */
export interface Replay {
  readonly name: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly scrapeSeconds: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly object: unknown;
    readonly fromSeconds: number;
    connect(now: () => number): TargetConnection;
  }[];
  readonly events: readonly unknown[];
}

export function demoOptions(replay: Replay, pace: number, oakumVersion: string): WatchOptions {
  return {
    ...WATCH_DEFAULTS,
    mode: 'demo',
    cluster: replay.name,
    oakumVersion,
    pace,
    hourSeconds: 3600 / DEMO_TIME_SCALE,
    // Twice as often as it was scraped, so that jitter misses no scrape.
    intervalSeconds: replay.scrapeSeconds / 2,
    evaluateSeconds: 20,
    commitSeconds: 5,
    capturesAllowed: true,
    memoryLimitBytes: DEMO_LIMIT_BYTES,
    // Profiles were recorded every four and a half minutes.
    policy: {
      ...CAPTURE_POLICY,
      cooldownSeconds: 230,
      warmUpSeconds: 260,
      rampShare: 0.12,
      // Half an hour is too short for it.
      routineSeconds: Infinity,
    },
  };
}

/** Runs until the recording ends or the signal aborts. */
export async function playDemo(watch: Watch, replay: Replay, clock: WatchClock, signal: AbortSignal): Promise<void> {
  const byName = new Map(replay.nodes.map(node => [node.name, node]));
  const sink = clusterSink(watch, name => byName.get(name)?.connect(() => clock.now()));
  const waiting = [
    ...replay.nodes.map(({ fromSeconds, object }) => ({
      at: fromSeconds,
      show: () => sink.addNode(withoutConditions(recordOf(object))),
    })),
    ...replay.events.map(recordOf).map(object => ({
      at: timeOf(object['firstTimestamp']) ?? 0,
      show: () => sink.addEvent(object),
    })),
  ].sort((a, b) => a.at - b.at);
  const sleepUntil = async (at: number): Promise<void> => {
    while (!signal.aborted && clock.now() < at) await clock.sleep(Math.min(5, at - clock.now()), signal);
  };
  for (const { at, show } of waiting) {
    // Events from before the recording belong to nodes that do not exist yet.
    await sleepUntil(at);
    if (signal.aborted) return;
    show();
  }
  await sleepUntil(replay.toSeconds);
  if (!signal.aborted) await watch.finish();
}

/** Nodes were listed at the end; their conditions are not known before. */
function withoutConditions(object: KubeObject): KubeObject {
  return { ...object, status: { ...recordOf(object['status']), conditions: [] } };
}
