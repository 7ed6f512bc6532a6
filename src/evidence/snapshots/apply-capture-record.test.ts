import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../pile.ts';
import { readPile } from './read-pile.ts';

const AT = 1_794_772_000;

describe('files of a capture', () => {
  it('belong to the life in the metrics of their set, even if a restart follows at once', async () => {
    const starts = [AT - 600, AT + 1];
    const sets = starts.map((start, i) => ({ start, set: i + 1, at: AT + i * 300 }));
    const entry = (kind: string, file: string, set: number, takenAtSeconds: number): object => ({
      ...{ kind, set, file, takenAtSeconds, skewSeconds: 0 },
    });
    const manifest = {
      schema: 'oakum.capture/v1',
      target: 'node/worker-17',
      processStartSeconds: starts,
      entries: sets.flatMap(({ set, at }) => [
        entry('metrics', `metrics-${at}.prom`, set, at),
        entry('goroutine-d1', `goroutine-d1-${at}.txt`, set, at),
      ]),
    };
    const files: readonly (readonly [string, string])[] = [
      ['MANIFEST.json', JSON.stringify(manifest)],
      ...sets.flatMap(({ start, at }) => [
        [
          `metrics-${at}.prom`,
          `# TYPE go_goroutines gauge\ngo_goroutines 1\nprocess_start_time_seconds ${start}\n`,
        ] as const,
        [
          `goroutine-d1-${at}.txt`,
          'goroutine profile: total 1\n1 @ 0x1 0x2\n#\t0x1\tmain.main+0x1\t/src/main.go:1\n',
        ] as const,
      ]),
    ];
    async function* items(): AsyncGenerator<PileItem> {
      for (const [name, text] of files) {
        yield {
          kind: 'member',
          path: `c/${name}`,
          bytes: encodeText(text),
          mtimeSeconds: undefined,
          damage: undefined,
        };
      }
    }
    const { snapshots } = await readPile(items());
    const lifeOf = (name: string): number | undefined =>
      snapshots.find(({ path }) => path === `c/${name}`)?.process.startTimeSeconds;
    assert.deepEqual(
      sets.map(({ at }) => [lifeOf(`metrics-${at}.prom`), lifeOf(`goroutine-d1-${at}.txt`)]),
      starts.map(start => [start, start]),
    );
  });
});
