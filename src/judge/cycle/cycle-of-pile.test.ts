import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeText } from '../../base/text.ts';
import type { CycleReport } from '../../evidence/cycle/cycle.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { cycleReport, type CycleReportOptions } from './cycle-of.ts';

const NOW = Date.UTC(2026, 10, 16) / 1000;
const KILL =
  'Memory cgroup out of memory: Killed process 989 (kubelet) total-vm:9kB, anon-rss:1000000kB, file-rss:0kB, shmem-rss:0kB';

async function* pile(files: Readonly<Record<string, string | Uint8Array>>): AsyncGenerator<PileItem> {
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? encodeText(content) : content;
    yield { kind: 'member', path, bytes, mtimeSeconds: NOW, damage: undefined };
  }
}

const report = (
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<CycleReportOptions> = {},
): Promise<CycleReport> => cycleReport(pile(files), { nowSeconds: NOW, ...options });

const stagesIn = ({ cycles }: CycleReport): string[] => cycles.map(({ target, stage }) => `${target} ${stage}`);

const metrics = (more = ''): string =>
  ['process_start_time_seconds 1794726000', 'kubelet_pleg_relist_duration_seconds_count 10', more, ''].join('\n');
const marked = (seconds: number, node: string, body: string): string =>
  `# LAB scrape ts=${seconds} node=${node} path=/metrics status=200\n${body}`;

describe('a pile of evidence', () => {
  it('gives a log without a host to the node beside it, or to the only node', async () => {
    const beside = await report({
      'a/worker-17/metrics.prom': marked(1794726700, 'worker-17', metrics()),
      'a/worker-17/dmesg.txt': `[Sun Nov 15 07:12:25 2026] ${KILL}\n`,
      'a/worker-18/metrics.prom': marked(1794726700, 'worker-18', metrics()),
    });
    assert.deepEqual(stagesIn(beside), ['worker-17 killed', 'worker-18 healthy']);
    const only = await report({
      'dmesg.txt': `[Sun Nov 15 07:12:25 2026] ${KILL}\n`,
      'x/metrics.prom': marked(1794726700, 'worker-17', metrics()),
    });
    assert.deepEqual(stagesIn(only), ['worker-17 killed']);
    const line = `[Sun Nov 15 07:12:25 2026] ${KILL}\n`;
    const named = await report({ 'worker-4-dmesg.txt': line, 'worker-5/kern.log.1': line, 'dmesg.txt': line });
    assert.deepEqual(stagesIn(named), ['node killed', 'worker-4 killed', 'worker-5 killed']);
  });

  it('reads answers of Prometheus to range queries, one metric in each file', async () => {
    const times = Array.from({ length: 13 }, (_, i) => 1794726000 + 300 * i);
    const answer = (name: string, valueAt: (i: number) => number): string =>
      JSON.stringify({
        status: 'success',
        data: {
          resultType: 'matrix',
          result: [
            {
              metric: { __name__: name, job: 'kubelet', instance: 'worker-17:10250', node: 'worker-17' },
              values: times.map((time, i) => [time, String(valueAt(i))]),
            },
          ],
        },
      });
    const restartAt = 6;
    const files = {
      'start.json': answer('process_start_time_seconds', i =>
        i < restartAt ? 1794000000 : 1794726000 + 300 * restartAt,
      ),
      'rss.json': answer('process_resident_memory_bytes', i => (i < restartAt ? 9e8 + 1e7 * i : 1e8)),
    };
    const { cycles, inputs } = await report(files);
    assert.deepEqual(inputs.unused, 0);
    const [cycle] = cycles;
    assert.equal(cycle?.target, 'worker-17');
    assert.match(JSON.stringify(cycle?.timeline), /kubelet started again/);
    const log = `2026-11-15T${new Date((1794726000 + 300 * restartAt - 5) * 1000).toISOString().slice(11, 19)}Z worker-17 kernel: ${KILL}\n`;
    assert.deepEqual(stagesIn(await report({ ...files, 'kern.log': log })).length, 1);
  });

  it('takes the full name of a host for the node of its short name', async () => {
    const read = await report({
      'a.log': `2026-11-15T07:12:25Z worker-17.example.com kernel: ${KILL}\n`,
      'm.prom': marked(1794726700, 'worker-17', metrics()),
    });
    assert.deepEqual(stagesIn(read), ['worker-17 killed']);
  });

  it('finds years, time zones and boot times, or uses the given ones', async () => {
    const at = async (
      line: string,
      options?: Partial<CycleReportOptions>,
      more = {},
    ): Promise<number | null | undefined> =>
      (await report({ 'w/kern.log': `${line} ${KILL}\n`, ...more }, options)).cycles[0].deaths[0].atSeconds;
    const expected = Date.UTC(2026, 10, 15, 7, 12, 25) / 1000;
    assert.equal(await at('Nov 15 07:12:25 w kernel:'), expected);
    assert.equal(await at('Nov 15 09:12:25 w kernel:', { utcOffsetSeconds: 7200 }), expected);
    assert.equal(await at('[  625.000000]'), null);
    assert.equal(
      await at('[  625.000000]', {}, { 'w/node.prom': `node_boot_time_seconds ${expected - 625}\n` }),
      expected,
    );
    const clock = `[    1.000000] rtc_cmos 00:00: setting system clock to 2026-11-15T07:02:01 UTC (${expected - 624})\n`;
    assert.equal(await at(`${clock}[  625.000000]`), expected);
    const { notes } = await report({ 'kern.log': `Nov 15 07:12:25 w kernel: ${KILL}\n` });
    assert.match(notes.join(), /read as UTC; --zone/);
  });

  it('separates federated metrics by node and job', async () => {
    const line = (job: string, node: string, start: number): string =>
      `process_start_time_seconds{job="${job}",instance="${node}:10250"} ${start} 1794726700000\n`;
    const read = await report({
      'federate.prom': `# TYPE process_start_time_seconds gauge\n${line('kubelet', 'n1', 1794726000)}${line('kubelet', 'n2', 1794726001)}${line('etcd', 'n1', 1794720000)}`,
    });
    assert.deepEqual(stagesIn(read), ['etcd/n1 healthy', 'n1 healthy', 'n2 healthy']);
  });

  it('counts 5xx, 429 and transport failures as API errors, and evictions for memory only', async () => {
    const storm = (at: number, age: number): string =>
      marked(
        at,
        'w',
        metrics(`rest_client_requests_total{code="200"} ${age * 20}
rest_client_requests_total{code="<error>"} ${age}
rest_client_requests_total{code="503"} ${age}
rest_client_requests_total{code="404"} ${age}
kubelet_evictions{eviction_signal="nodefs.available"} ${age}`).replace('1794726000', '1794726650'),
      );
    const before = marked(1794726600, 'w', metrics());
    const read = await report({ 'm.prom': `${before}${storm(1794726660, 10)}${storm(1794726670, 20)}` });
    assert.deepEqual(stagesIn(read), ['w storm']);
    assert.match(read.cycles[0].sentence, /460 API requests in 20s \(23\/s at most\), 40 of them failed/);
  });

  it('does not take the date of a file for the time of a scrape', async () => {
    const body = metrics('kubelet_pleg_last_seen_seconds 1794726690');
    const dated = await report({ 'm.prom': body });
    assert.doesNotMatch(JSON.stringify(dated.cycles), /PLEG/);
    const named = await report({ 'metrics-1794726990.prom': body });
    assert.match(JSON.stringify(named.cycles), /PLEG not seen for up to 5m/);
  });

  it('counts files without evidence and skips them', async () => {
    const read = await report({
      'heap.pb': Uint8Array.of(10, 4, 0, 1),
      'pods.json': '{"items":[{"kind":"Pod"}]}',
      'a.txt': 'hello\n',
    });
    assert.deepEqual([read.cycles.length, read.inputs.used, read.inputs.unused], [0, 0, 3]);
  });

  it('does not depend on the order of the files', async () => {
    const files = {
      'w/kern.log': `Nov 15 07:12:25 w kernel: ${KILL}\n`,
      'w/events.json': JSON.stringify({
        reason: 'Starting',
        firstTimestamp: '2026-11-15T07:12:36Z',
        involvedObject: { kind: 'Node', name: 'w' },
        source: { component: 'kubelet' },
      }),
      'w/metrics.prom': marked(1794726900, 'w', metrics().replace('1794726000', '1794726755')),
      'dmesg.txt': `[  625.000000] ${KILL}\n`,
    };
    const expected = (await report(files)).cycles;
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(Object.entries(files), { minLength: 4 }), async entries => {
        assert.deepEqual((await report(Object.fromEntries(entries))).cycles, expected);
      }),
      { numRuns: 24 },
    );
  });

  it('survives any bytes', async () => {
    const head = fc.constantFrom(
      '',
      '{',
      '[{',
      '# LAB scrape ts=1 node=a\n',
      '[1.0] ',
      '# TYPE go_goroutines gauge\n',
      '{"log":"',
    );
    await fc.assert(
      fc.asyncProperty(head, fc.uint8Array({ maxLength: 200 }), async (begin, bytes) => {
        const read = await report({ f: Uint8Array.from([...encodeText(begin), ...bytes]) });
        assert.equal(read.inputs.used + read.inputs.unused + read.inputs.unread.length, 1);
      }),
    );
  });
});
