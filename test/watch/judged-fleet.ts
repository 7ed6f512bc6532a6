/** A watch of many targets, `node/n0` and so on, that were sampled for an hour; `say` judges the target with a number. */
import type { Verdict } from '../../src/judge/verdict.ts';
import { resource } from './scripted-node.ts';
import { realBackground, T0, watchBench, type WatchBench } from './watch-bench.ts';

const MIB = 1024 * 1024;

export async function judgedFleet(count: number, say: (index: number) => Verdict): Promise<WatchBench> {
  const name = (index: number): string => `node/n${index}`;
  const bench = watchBench({
    background: {
      ...realBackground(1),
      observe: () => {},
      describe: () => {},
      cohorts: async () => [],
      evaluate: async () =>
        Array.from({ length: count }, (_, i) => ({
          target: name(i),
          verdict: say(i),
          resources: [resource(say(i), say(i) === 'leak' ? [i + 1, i + 9] : undefined)],
        })),
    },
  });
  for (let i = 0; i < count; i++) {
    bench.watch.addTarget({
      name: name(i),
      connection: undefined,
      attributes: { pool: i % 2 === 0 ? 'even' : 'odd', 'gate/Fast': i % 3 === 0 ? 'on' : 'off' },
    });
    for (const minutes of [60, 30, 0])
      bench.watch.addSample(name(i), T0 - minutes * 60, { go_gc_heap_live_bytes: (50 + i) * MIB, go_goroutines: 10 });
  }
  await bench.watch.evaluate(T0);
  return bench;
}
