import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../pile.ts';
import { readRecording, type Recording, type RecordingOptions } from './read-recording.ts';

interface Given {
  readonly mtimeSeconds?: number;
  readonly damage?: string;
}

function member(path: string, text: string, { mtimeSeconds, damage }: Given = {}): PileItem {
  return { kind: 'member', path, bytes: encodeText(text), mtimeSeconds, damage };
}

async function read(items: readonly PileItem[], options?: RecordingOptions): Promise<Recording> {
  async function* given(): AsyncGenerator<PileItem> {
    yield* items;
  }
  return readRecording(given(), options);
}

/** `target  time metric=value ...`, a line for each moment. */
function show({ targets }: Recording): string[] {
  return targets.flatMap(({ name, timeline }) =>
    [...timeline.until(Infinity)].map(({ atSeconds, values }) => {
      const pairs = Object.entries(values).map(([metric, value]) => `${metric}=${value}`);
      return [name, atSeconds, ...pairs.sort()].join(' ');
    }),
  );
}

const matrix = (...series: { metric: object; values: [number, string][] }[]): string =>
  JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: series } });

const DAY = Date.UTC(2026, 7, 4) / 1000;

describe('reading recorded metrics', () => {
  it('leaves out scrapes whose time no calendar has, which would take for ever to replay', async () => {
    const scrape = (ts: string): string => `# LAB scrape ts=${ts} node=w1 status=200\ngo_goroutines 12\n`;
    const recording = await read([member('a.prom', scrape('9223372036854775808.0') + scrape('-5') + scrape(`${DAY}`))]);
    assert.deepEqual(show(recording), [`w1 ${DAY} go_goroutines=12 oakum_scrape_series=1`]);
    assert.deepEqual(recording.notes, ['a.prom: samples before 1970 or after the year 9999 are left out']);
  });

  it('joins the endpoints of a recording, adds up labels, and counts series on the main endpoint only', async () => {
    const main = `# LAB scrape ts=${DAY} node=w1 path=/metrics status=200
go_goroutines 10
container_memory_working_set_bytes{id="/podruntime.slice/kubelet.service"} 3
container_memory_working_set_bytes{id="/kubepods.slice/pod1"} 90
rest_client_requests_total{code="200"} 5
rest_client_requests_total{code="500"} 2
unwanted 1
# LAB scrape ts=${DAY + 60} node=w1 path=/metrics status=0
# connection refused
# LAB scrape ts=${DAY + 120} node=w1 path=/metrics status=200
go_goroutines 12
`;
    const probes = `# LAB scrape ts=${DAY + 30} node=w1 path=/metrics/probes status=200
prober_probe_total{pod="a",result="successful"} 7
prober_probe_total{pod="b",result="failed"} 1
`;
    const recording = await read([member('x/w1/metrics-probes.prom', probes), member('x/w1/metrics.prom', main)]);
    assert.deepEqual(show(recording), [
      `w1 ${DAY} container_memory_working_set_bytes=3 go_goroutines=10 oakum_scrape_series=6 rest_client_requests_total=7`,
      `w1 ${DAY + 30} prober_probe_total=8`,
      `w1 ${DAY + 120} go_goroutines=12 oakum_scrape_series=1`,
    ]);
    assert.deepEqual(recording.notes, ['x/w1/metrics.prom: 1 of 3 scrapes failed']);
  });

  it('takes the time of a plain scrape from the name, the last collection or the date, and its target from the path', async () => {
    const gc = (seconds: number): string => `go_goroutines 1\ngo_memstats_last_gc_time_seconds ${seconds}\n`;
    const recording = await read([
      member('w1/metrics-20260804T010000Z.prom', 'go_goroutines 1\n', { mtimeSeconds: 2e9 }),
      member('w1/metrics-20260804T000000Z.prom', 'kubelet_goroutines 2\n'),
      member('flat/w2.prom', gc(DAY), { mtimeSeconds: DAY + 100 }),
      member('flat/w3.prom', gc(DAY), { mtimeSeconds: DAY + 9000 }),
      member('flat/w4.prom', 'go_goroutines 4\n', { mtimeSeconds: DAY + 5 }),
      member('flat/scrape-1.prom', `kubelet_node_name{node="w5"} 1\n${gc(DAY)}`),
      member('flat/scrape-2.prom', `kubelet_node_name{node="w6"} 1\n${gc(DAY)}`),
    ]);
    assert.deepEqual(
      show(recording).map(line => line.split(' ').slice(0, 3).join(' ')),
      [
        `w1 ${DAY} go_goroutines=2`,
        `w1 ${DAY + 3600} go_goroutines=1`,
        `w2 ${DAY + 100} go_goroutines=1`,
        `w3 ${DAY} go_goroutines=1`,
        `w4 ${DAY + 5} go_goroutines=4`,
        `w5 ${DAY} go_goroutines=1`,
        `w6 ${DAY} go_goroutines=1`,
      ],
    );
    assert.ok(
      recording.notes.includes('w1/metrics-20260804T000000Z.prom: kubelet_goroutines is read as go_goroutines'),
    );
  });

  it('leaves out a scrape whose only time is a file date outside the recording', async () => {
    const recording = await read([
      member('w1/metrics.prom', `# LAB scrape ts=${DAY} status=200\ngo_goroutines 1\n`),
      member('w1/once/metrics-slis.prom', 'process_start_time_seconds 5\n', { mtimeSeconds: DAY + 99_999 }),
    ]);
    assert.deepEqual(show(recording), [`w1 ${DAY} go_goroutines=1 oakum_scrape_series=1`]);
    assert.match(recording.notes.join(), /^1 scrapes are not used: .* date of their file/);
  });

  it('names targets by label: the node, with the job if a node has several, or the label that the user chose', async () => {
    const series = (name: string, labels: object, value: string): { metric: object; values: [number, string][] } => ({
      metric: { __name__: name, ...labels },
      values: [[DAY, value]],
    });
    const w1 = { node: 'w1', instance: '10.0.0.1:10250', job: 'kubelet' };
    const w2 = { node: 'w2', instance: '10.0.0.2:10250', job: 'kubelet' };
    const other = { node: 'w1', instance: '10.0.0.1:9100', job: 'node-exporter' };
    const files = [
      member('goroutines.json', matrix(series('go_goroutines', w1, '1'), series('go_goroutines', other, '9'))),
      member('more.json', matrix(series('go_goroutines', w2, '2'), series('kubelet_running_pods', w2, '50'))),
      member(
        'probes.json',
        matrix(
          series('prober_probe_total', { ...w1, metrics_path: '/metrics/probes', pod: 'a' }, '3'),
          series('prober_probe_total', { ...w1, metrics_path: '/metrics/probes', pod: 'b' }, '4'),
        ),
      ),
    ];
    assert.deepEqual(show(await read(files)), [
      `w1/kubelet ${DAY} go_goroutines=1 prober_probe_total=7`,
      `w1/node-exporter ${DAY} go_goroutines=9`,
      `w2 ${DAY} go_goroutines=2 kubelet_running_pods=50`,
    ]);
    const byInstance = await read(files, { by: 'instance' });
    assert.deepEqual(
      byInstance.targets.map(({ name }) => name),
      ['10.0.0.1:10250', '10.0.0.1:9100', '10.0.0.2:10250'],
    );
    const byUnknown = await read(files, { by: 'zone' });
    assert.match(byUnknown.notes.join(), /no series has the label zone/);
  });

  it('counts samples once if pages overlap or files are given twice', async () => {
    const page = (...times: number[]): string =>
      matrix({
        metric: { __name__: 'rest_client_requests_total', instance: 'a', code: '200' },
        values: times.map(time => [time, String(time)]),
      });
    const recording = await read([member('a.json', page(1, 2) + page(2, 3)), member('b.json', page(3, 4))]);
    assert.deepEqual(
      show(recording),
      [1, 2, 3, 4].map(time => `a ${time} rest_client_requests_total=${time}`),
    );
  });

  it('names series of expressions after their file, or says that it cannot', async () => {
    const answer = matrix({ metric: { instance: 'a' }, values: [[DAY, '5']] });
    assert.deepEqual(show(await read([member('go_goroutines.json', answer)])), [`a ${DAY} go_goroutines=5`]);
    const lost = await read([member('x.json', answer)]);
    assert.equal(lost.targets.length, 0);
    assert.match(lost.notes.join(), /1 series have no metric name: query the metric itself/);
  });

  it('joins nodes of the same name unless they were recorded at the same time', async () => {
    const scrape = (at: number): string => `# LAB scrape ts=${at} node=w1 status=200\ngo_goroutines 1\n`;
    const names = async (...items: PileItem[]): Promise<string[]> =>
      (await read(items)).targets.map(({ name }) => name);
    assert.deepEqual(await names(member('a/x.prom', scrape(DAY)), member('b/x.prom', scrape(DAY))), ['a/w1', 'b/w1']);
    assert.deepEqual(await names(member('a/x.prom', scrape(DAY)), member('b/x.prom', scrape(DAY + 60))), ['w1']);
  });

  it('holds a bounded number of samples and says how many it dropped', async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `go_goroutines{instance="a"} ${i} ${(DAY + i * 60) * 1000}`);
    const recording = await read([member('a.prom', lines.join('\n'))], { maxValues: 500 });
    assert.equal(recording.targets[0].timeline.rowCount, 500);
    assert.deepEqual(recording.notes, ['one of every 2 samples was kept: there are too many to hold']);
  });

  it('skips files without metrics and names files that it cannot read', async () => {
    const recording = await read([
      member('heap.txt', 'heap profile: 1: 2 [3: 4] @ heap/1048576\n'),
      member('failed.json', '{"status":"error","errorType":"timeout","error":"query timed out"}'),
      { kind: 'problem', path: 'gone', message: 'no such file or directory' },
      member('w.prom', `# TYPE go_goroutines gauge\ngo_goroutines 1 ${DAY * 1000}\n!\n`, {
        damage: 'its gzip stream ends',
      }),
    ]);
    assert.equal(recording.otherCount, 1);
    assert.deepEqual(
      recording.unread.map(({ path }) => path),
      ['failed.json', 'gone'],
    );
    assert.match(recording.unread[0].message, /query timed out; ask for less at once/);
    assert.deepEqual(recording.notes, [
      'w.prom: cut: its gzip stream ends',
      'w.prom: 1 lines could not be read, the first is line 3: metric name expected',
    ]);
  });
});
