import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../base/text.ts';
import type { Reply } from './reply.ts';
import type { RecordedTarget } from '../evidence/recording/read-recording.ts';
import { readFleetHistory } from './read-fleet-history.ts';
import type { MetricsHistory } from './ports.ts';

const HOUR = 3600;
/** Ten minutes past an hour. */
const NOW = 500_000 * HOUR + 600;

interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly (readonly [atSeconds: number, value: number])[];
}

/** Answers as Prometheus does: the last sample of five minutes, or an aggregate over an hour. */
function prometheusOf(all: readonly Series[]): MetricsHistory {
  const answer = (result: unknown): Promise<Reply> =>
    Promise.resolve({
      kind: 'answer',
      status: 200,
      headers: {},
      body: encodeText(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } })),
      cut: undefined,
      headAtSeconds: 0,
      dateSeconds: undefined,
      tookSeconds: 0,
    });
  return {
    address: 'http://prometheus',
    instant: query =>
      answer(
        query.startsWith('group by (__name__)')
          ? [...new Set(all.map(({ name }) => name))].map(__name__ => ({ metric: { __name__ } }))
          : query.startsWith('group by (cluster')
            ? [{ metric: { instance: 'a:10250', job: 'kubelet' } }]
            : [],
      ),
    range: ({ query, fromSeconds, toSeconds, stepSeconds }) => {
      const [, over = ''] = /\((avg|min|last)_over_time\(/.exec(query) ?? [];
      const reach = over === '' ? 300 : HOUR;
      const asked = all.filter(({ name }) => query.includes(name));
      return answer(
        asked.flatMap(({ labels, samples }) => {
          const values: [number, string][] = [];
          for (let at = fromSeconds; at <= toSeconds; at += stepSeconds) {
            const last = samples.findLast(([time]) => time > at - reach && time <= at);
            if (last !== undefined) values.push([at, String(last[1])]);
          }
          return values.length === 0 ? [] : [{ metric: labels, values }];
        }),
      );
    },
  };
}

async function onlyTarget(history: MetricsHistory): Promise<RecordedTarget> {
  const targets: RecordedTarget[] = [];
  const parts = readFleetHistory(history, {
    selector: '',
    nowSeconds: NOW,
    sinceSeconds: 4 * 86_400,

    pace: { timeScale: 1, intervalSeconds: 60 },
    signal: new AbortController().signal,
    sleep: async () => {},
    progress: () => {},
  });
  for await (const { targets: more } of parts) targets.push(...more);
  assert.equal(targets.length, 1);
  return targets[0];
}

/** A kubelet that is scraped once an hour, two minutes before its end. */
describe('a fleet that is scraped once an hour', () => {
  const target = { instance: 'a:10250', job: 'kubelet' };
  const scrapes = Array.from({ length: 72 }, (_, i) => NOW - 600 - 120 - (71 - i) * HOUR);
  const every = (name: string, value: (i: number) => number): Series => ({
    name,
    labels: target,
    samples: scrapes.map((at, i) => [at, value(i)]),
  });
  const version = (git_version: string, has: (i: number) => boolean): Series => ({
    name: 'kubernetes_build_info',
    labels: { ...target, git_version },
    samples: scrapes.filter((_, i) => has(i)).map(at => [at, 1]),
  });
  const isNew = (i: number): boolean => i >= 40 && i < 50;
  const history = prometheusOf([
    every('process_start_time_seconds', () => NOW - 1e6),
    every('go_goroutines', i => 300 + i),
    every('process_open_fds', i => 50 + i),
    version('v1.36.0', isNew),
    version('v1.35.7', i => !isNew(i)),
  ]);

  it('has each scrape in its own hour, the last ones too', async () => {
    const { timeline } = await onlyTarget(history);
    const seen: Record<string, Map<number, number>> = { go_goroutines: new Map(), process_open_fds: new Map() };
    for (const { atSeconds, values } of timeline.until(NOW)) {
      for (const [metric, hours] of Object.entries(seen)) {
        const value = values[metric];
        if (value !== undefined) hours.set(Math.floor(atSeconds / HOUR), value);
      }
    }
    for (const [metric, level] of [
      ['go_goroutines', 300],
      ['process_open_fds', 50],
    ] as const) {
      assert.deepEqual(
        [...(seen[metric] ?? [])].sort((a, b) => a[0] - b[0]),
        scrapes.map((at, i) => [Math.floor(at / HOUR), level + i]),
        metric,
      );
    }
  });

  it('has each version in the hours in which it ran, also when it was rolled back', async () => {
    const { timeline } = await onlyTarget(history);
    const hourOf = (i: number): number => Math.floor((scrapes[i] ?? NaN) / HOUR);
    assert.deepEqual(
      timeline.descriptions.map(({ atSeconds, attributes }) => [Math.floor(atSeconds / HOUR), attributes['version']]),
      [
        [hourOf(0), 'v1.35.7'],
        [hourOf(40), 'v1.36.0'],
        [hourOf(50), 'v1.35.7'],
      ],
    );
  });
});
