import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RECORDINGS } from '../../../test/places.ts';
import fc from 'fast-check';
import { encodeText } from '../../base/text.ts';
import { ExpositionReader, readExposition } from './read-exposition.ts';
import { isUsedFor } from '../metric-names.ts';
import { NameTable } from './exposition-names.ts';
import { sniffExposition, seriesKey, aliasNotes, toSeries } from './exposition.ts';

const everything = { select: (): boolean => true };
const read = (text: string): ReturnType<typeof readExposition> => readExposition(encodeText(text), everything);

describe('exposition', () => {
  it('reads labels, escapes, special values, timestamps and exemplars', () => {
    const text = `# HELP a_total What
# TYPE a_total counter
a_total{path="/x\\"y\\\\z\\n{}",code="200"} 3 1794772040123
a_total{} NaN
b 	+Inf  1794772041.5
c_bucket{le="0.5",} 1e-3 # {trace_id="abc"} 0.4 1794772041
{"my.metric","odd name"="v"} -Inf
d -1.5
# EOF
`;
    const got = read(text);
    assert.deepEqual(got.problems, []);
    assert.deepEqual(
      got.series.map(series => ({ name: series.name, labels: { ...series.labels } })),
      [
        { name: 'a_total', labels: { path: '/x"y\\z\n{}', code: '200' } },
        { name: 'a_total', labels: {} },
        { name: 'b', labels: {} },
        { name: 'c_bucket', labels: { le: '0.5' } },
        { name: 'my.metric', labels: { 'odd name': 'v' } },
        { name: 'd', labels: {} },
      ],
    );
    assert.deepEqual([...got.samples.values], [3, NaN, Infinity, 0.001, -Infinity, -1.5]);
    assert.deepEqual([...got.samples.times], [1794772040.123, NaN, 1794772041.5, NaN, NaN, NaN]);
    assert.equal(got.scrapes.length, 1);
    assert.equal(got.scrapes[0].atSeconds, 1794772041.5);
    assert.equal(got.seriesCount, 6);
    assert.equal(got.lineCount, 9);
  });

  it('names bad lines and keeps the good ones', () => {
    const got = read('a 1\n!b 2\nc{x="1 3\nd{x="1"} x3\ne{x=1} 4\nf 5 soon\ng 6\n');
    assert.deepEqual(
      got.problems.map(problem => [problem.line, problem.expected]),
      [
        [2, 'metric name'],
        [3, 'labels'],
        [4, 'value'],
        [5, 'labels'],
        [6, 'timestamp'],
      ],
    );
    assert.deepEqual([...got.samples.values], [1, 6]);
    const unchosen = readExposition(encodeText('c{x="1 3\nd{x="1"} x3\ng 6\n'), { select: new Set(['g']) });
    assert.equal(unchosen.problemCount, 2);
    assert.deepEqual([...unchosen.samples.values], [6]);
  });

  it('splits scrapes at marks, at # EOF and where the first series comes again; skips failed ones', () => {
    const marked = read(`# LAB scrape ts=100.5 node=n1 path=/metrics status=200 bytes=1
a 1
# LAB scrape ts=110 node=n1 path=/metrics status=0 bytes=0
# connection refused
# LAB scrape ts=120 node=n1 path=/metrics status=200
a 2
b 3
`);
    assert.deepEqual(
      marked.scrapes.map(scrape => [scrape.atSeconds, scrape.seriesCount, scrape.node]),
      [
        [100.5, 1, 'n1'],
        [120, 2, 'n1'],
      ],
    );
    assert.equal(marked.failedScrapeCount, 1);
    assert.deepEqual([...(toSeries(marked).get('a')?.times ?? [])], [100.5, 120]);

    assert.equal(read('a 1\nb 2\n# EOF\nb 3\n# EOF\n').scrapes.length, 2);
    const appended = read('# TYPE a gauge\na{x="1"} 1\na{x="2"} 1\n# TYPE a gauge\na{x="1"} 2\na{x="2"} 2\n');
    assert.deepEqual(
      appended.scrapes.map(scrape => scrape.seriesCount),
      [2, 2],
    );
    assert.equal(read('a 1 1000000000000\na 2 1000000060000\n').scrapes.length, 1, 'samples with times are one scrape');
  });

  it('folds the parts of histograms into families, largest first', () => {
    const got = read('# TYPE h histogram\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\nx_count 1\n');
    assert.deepEqual(got.biggestFamilies, [
      { name: 'h', seriesCount: 4, firstSeriesCount: 4 },
      { name: 'x_count', seriesCount: 1, firstSeriesCount: 1 },
    ]);
    const open = read(`# TYPE c counter
# UNIT c seconds
c_total{a="1"} 1 # {trace_id="x"} 0.5 1794772041
c_created{a="1"} 1794772000.5
# TYPE h histogram
h_bucket{le="+Inf"} 1
h_count 1
h_sum 2
h_created 1794772000.5
# EOF
`);
    assert.equal(open.problemCount, 0);
    assert.deepEqual(
      open.biggestFamilies.map(family => [family.name, family.seriesCount]),
      [
        ['h', 4],
        ['c_total', 2],
      ],
    );
  });

  it('reads what Prometheus dumps of its database', () => {
    const dump =
      '{__name__="up",job="a",path="} \\" __name__=\\"x"} 1 1000000000000\n{Zone="z",__name__="up"} 2 1000000060000\n';
    assert.ok(sniffExposition(encodeText(dump)));
    const got = read(`${dump}{job="a"} 3\n{} 4\n`);
    assert.deepEqual(
      got.series.map(series => ({ name: series.name, labels: { ...series.labels } })),
      [
        { name: 'up', labels: { job: 'a', path: '} " __name__="x' } },
        { name: 'up', labels: { Zone: 'z' } },
      ],
    );
    assert.deepEqual(
      got.problems.map(problem => [problem.line, problem.expected]),
      [
        [3, 'metric name'],
        [4, 'metric name'],
      ],
    );
  });

  it('reads the same in chunks, wherever they are cut, from a buffer that is used again', () => {
    const text = `\ufeff# LAB scrape ts=100 node=n1 status=200
# TYPE a gauge
a{x="1"} 1
a{x="2"} 2
b_total 3
# LAB scrape ts=110 node=n1 status=200
a{x="1"} 4
!bad
b_total 5`;
    const bytes = encodeText(text);
    const whole = readExposition(bytes, everything);
    assert.equal(whole.samples.values.length, 5);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), sizes => {
        const reader = new ExpositionReader(everything);
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const buffer = Buffer.from(bytes.slice(at, at + sizes[i % sizes.length]));
          reader.push(buffer);
          at += buffer.length;
          buffer.fill(0x0a);
        }
        assert.deepEqual(reader.finish(), whole);
      }),
    );
  });

  it('reads the same quickly, with the names of earlier scrapes', () => {
    const isRead = (name: string): boolean => name.startsWith('go_');
    const names = new NameTable(isRead);
    const name = fc.constantFrom('go_goroutines', 'go_threads', 'go_threads_total', 'a', 'ab', 'a_bucket', 'a_sum');
    const line = fc.oneof(
      fc
        .tuple(name, fc.constantFrom('', '{x="1"}', '{x="}\\n\\""}', '{ y = "2" } '), fc.nat(99))
        .map(([metric, labels, value]) => `${metric}${labels} ${value}`),
      name.map(metric => `# TYPE ${metric} gauge`),
      fc.constantFrom('', '# HELP a b', '# EOF', '# LAB scrape ts=100 node=n1 status=200', '{"go_info",v="1"} 1'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), lines => {
        const bytes = encodeText(lines.join('\n'));
        const quick = readExposition(bytes, { quick: names });
        const { biggestFamilies: _, ...checked } = readExposition(bytes, { select: isRead });
        assert.deepEqual({ ...quick, biggestFamilies: undefined }, { ...checked, biggestFamilies: undefined });
      }),
    );
    assert.ok(names.names.length <= 8, 'each name once');
  });

  it('reads aliases as what they mean, and says so', () => {
    const got = readExposition(encodeText('kubelet_goroutines 7\nkubelet_running_pod_count 5\nother 1\n'));
    assert.deepEqual([...toSeries(got).keys()], ['go_goroutines', 'kubelet_running_pods']);
    assert.deepEqual(aliasNotes(got), [
      'kubelet_goroutines is read as go_goroutines',
      'kubelet_running_pod_count is read as kubelet_running_pods',
    ]);
    const evictions = readExposition(encodeText('kubelet_evictions_total{eviction_signal="x"} 2\n'), {
      select: name => isUsedFor(name, 'cycle'),
    });
    assert.deepEqual([...toSeries(evictions).keys()], ['kubelet_evictions{eviction_signal="x"}']);
    assert.deepEqual(aliasNotes(evictions), ['kubelet_evictions_total is read as kubelet_evictions']);

    const both = read('go_goroutines 7\nkubelet_goroutines 7\n');
    assert.deepEqual([...(toSeries(both).get('go_goroutines')?.values ?? [])], [7], 'counted once');
    assert.deepEqual(aliasNotes(both), []);
  });

  it('is recognised, and other text is not', () => {
    for (const text of [
      '# HELP a b\n',
      'go_goroutines 3\n',
      '# LAB scrape ts=1 status=500\n# no\n',
      'a_bytes{x="1"} 3\n',
    ]) {
      assert.ok(sniffExposition(encodeText(text)), text);
    }
    for (const text of [
      'main;work 3\n',
      'goroutine profile: total 3\n3 @ 0x1\n',
      'goroutine 1 [running]:\nmain.main()\n',
      'heap profile: 1: 2 [3: 4] @ heap/1048576\n# runtime.MemStats\n# Alloc = 5\n',
      '{"kind": "List"}\n',
      'ok',
      '',
    ]) {
      assert.ok(!sniffExposition(encodeText(text)), text);
    }
  });

  it('reads back what was rendered', () => {
    const name = fc.stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,12}$/);
    const labels = fc.dictionary(fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,6}$/), fc.string({ unit: 'grapheme' }), {
      maxKeys: 4,
      noNullPrototype: true,
    });
    const sample = fc.record({
      name,
      labels,
      value: fc.double(),
      atMillis: fc.option(fc.integer({ min: 2e11, max: 4e12 })),
    });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 20 }), samples => {
        const lines = samples.map(({ name, labels, value, atMillis }) => {
          const number = Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN';
          return `${seriesKey(name, labels)} ${number}${atMillis === null ? '' : ` ${atMillis}`}`;
        });
        const got = read(lines.join('\n'));
        assert.deepEqual(got.problems, []);
        assert.equal(got.samples.values.length, samples.length);
        samples.forEach((sample, i) => {
          const series = got.series[got.samples.series[i]];
          assert.equal(seriesKey(series.name, series.labels), seriesKey(sample.name, sample.labels));
          assert.ok(
            Object.is(got.samples.values[i], sample.value) ||
              sample.value === 0 ||
              got.samples.values[i] === sample.value,
          );
          if (sample.atMillis !== null) assert.equal(got.samples.times[i], sample.atMillis / 1000);
        });
      }),
    );
  });

  it('never fails, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        const got = readExposition(bytes, everything);
        assert.ok(got.samples.values.length <= got.lineCount);
        sniffExposition(bytes);
      }),
    );
  });

  it('reads the recorded node whole', () => {
    const bytes = gunzipSync(readFileSync(`${RECORDINGS}lab/leak-b/metrics.prom.gz`));
    const got = readExposition(bytes);
    assert.equal(got.problemCount, 0);
    assert.equal(got.scrapes.length, 205);
    assert.equal(got.failedScrapeCount, 1);
    const starts = toSeries(got).get('process_start_time_seconds');
    assert.deepEqual([...new Set(starts?.values)], [1794771941.72, 1794772843.18]);
  });
});
