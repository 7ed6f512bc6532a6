/**
 * The demo on a clock that the test moves: the recorded cluster, the real engine and the real detector in simulated
 * time.
 *
 *     const demo = await startSteppedDemo();
 *     await demo.runToMinute(12.5);
 */
import { fileURLToPath } from 'node:url';
import { openRecordedCluster, type RecordedCluster } from '../../src/watch/io/recorded-cluster.ts';
import { DEMO_LIMIT_BYTES, DEMO_PACE, DEMO_TIME_SCALE, demoOptions, playDemo } from '../../src/watch/sampling/demo.ts';
import { realBackground, watchBench, type WatchBench } from './watch-bench.ts';

const FOLDER = fileURLToPath(new URL('../../demo', import.meta.url));

export interface SteppedDemo extends Pick<WatchBench, 'watch' | 'log'> {
  readonly replay: RecordedCluster;
  /** Minutes of the recording that have passed. */
  minute(): number;
  runToMinute(minute: number): Promise<void>;
  runToEnd(): Promise<void>;
  stop(): Promise<void>;
}

export async function startSteppedDemo(): Promise<SteppedDemo> {
  const replay = await openRecordedCluster(FOLDER);
  const { fromSeconds, toSeconds } = replay;
  const bench = watchBench({
    fromSeconds,
    options: demoOptions(replay, DEMO_PACE, '0.0.0'),
    background: realBackground(DEMO_TIME_SCALE, DEMO_LIMIT_BYTES),
  });
  const { watch, clock, log, traffic } = bench;
  await watch.start();
  const stop = new AbortController();
  const nodes = replay.nodes.map(node => ({
    ...node,
    connect: (now: () => number) => traffic.follow(node.connect(now)),
  }));
  const played = playDemo(watch, { ...replay, nodes }, clock, stop.signal);
  return {
    watch,
    log,
    replay,
    minute: () => (clock.now() - fromSeconds) / 60,
    runToMinute: minute => bench.runUntil(fromSeconds + minute * 60),
    async runToEnd() {
      await bench.runUntil(toSeconds);
      await played;
      await watch.evaluate();
    },
    async stop() {
      stop.abort();
      await played;
      await watch.stop();
    },
  };
}
