import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeText } from '../../base/text.ts';
import { readRangeQuery } from './range-query.ts';
import type { RangeQuery } from './series-columns.ts';
import { sniffRangeQuery } from './registry.ts';

const read = (text: string): RangeQuery => readRangeQuery(encodeText(text));
const answer = (data: object): string => JSON.stringify({ status: 'success', data });
const matrix = (...result: object[]): string => answer({ resultType: 'matrix', result });

/** `name{a=1} time:value ...`, one for each series. */
function show({ series, samples }: RangeQuery): string[] {
  return series.map(({ name, labels }, id) => {
    const of = [...samples.series.keys()].filter(i => samples.series[i] === id);
    const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    return [`${name}{${pairs.join(',')}}`, ...of.map(i => `${samples.times[i]}:${samples.values[i]}`)].join(' ');
  });
}

describe('range query', () => {
  const two = matrix(
    {
      metric: { __name__: 'go_goroutines', instance: 'a:1', odd: 'x"\\é\n' },
      values: [
        [1794772040, '294'],
        [1794772100.25, 'NaN'],
        [1794772160, '+Inf'],
        [1794772220, '-1.5e+07'],
      ],
    },
    { values: [[1794772040, '7']], metric: { __name__: 'up' } },
  );

  it('reads a matrix, also with values before the labels, spaces and unknown members', () => {
    const expected = [
      'go_goroutines{instance=a:1,odd=x"\\é\n} 1794772040:294 1794772100.25:NaN 1794772160:Infinity 1794772220:-15000000',
      'up{} 1794772040:7',
    ];
    assert.deepEqual(show(read(two)), expected);
    assert.deepEqual(show(read(JSON.stringify(JSON.parse(two), null, 2))), expected);
    assert.deepEqual(show(read(two.replace('"data":', '"warnings":["a",{"b":[1,null]}],"data":'))), expected);
  });

  it('reads a vector, the bare list of promtool, and several answers in one file', () => {
    const vector = answer({
      resultType: 'vector',
      result: [{ metric: { __name__: 'up', node: 'n' }, value: [1794772040.5, '1'] }],
    });
    assert.deepEqual(show(read(vector)), ['up{node=n} 1794772040.5:1']);
    assert.deepEqual(show(read('[{"metric":{"__name__":"up"},"values":[[1,"2"]]}]')), ['up{} 1:2']);
    assert.deepEqual(show(read(`${vector}\n${vector}\n`)), ['up{node=n} 1794772040.5:1', 'up{node=n} 1794772040.5:1']);
  });

  it('leaves out samples whose time no calendar has', () => {
    const printed = read('up =>\n1 @[1794772040]\n2 @[1799223372036854775808]\n');
    assert.deepEqual(show(printed), ['up{} 1794772040:1']);
    assert.deepEqual(printed.notes, ['samples before 1970 or after the year 9999 are left out']);
    const values = [
      [-5, '1'],
      [1794772040, '2'],
      [1e300, '3'],
    ];
    assert.deepEqual(show(read(matrix({ metric: { __name__: 'up' }, values }))), ['up{} 1794772040:2']);
  });

  it('reads what promtool prints', () => {
    const text = `{} =>
15000000 @[1794772040]
go_goroutines{instance="a:1", node="a\\"x"} =>
40 @[1794772040]
NaN @[1794772100.25]
up{node="n"} => 1 @[1794772040.5]
`;
    assert.ok(sniffRangeQuery(encodeText(text)));
    assert.deepEqual(show(read(text)), [
      '{} 1794772040:15000000',
      'go_goroutines{instance=a:1,node=a"x} 1794772040:40 1794772100.25:NaN',
      'up{node=n} 1794772040.5:1',
    ]);
    assert.throws(() => read('up =>\n1 @[5]\nsoon\n'), { message: /a sample of promtool expected/, line: 3 });
  });

  it('keeps chosen metrics only', () => {
    const got = readRangeQuery(encodeText(two), { select: name => name === 'up' });
    assert.deepEqual(show(got), ['up{} 1794772040:7']);
  });

  it('says what Prometheus said when it failed, and what to ask instead', () => {
    const failed = (errorType: string, error: string): string => JSON.stringify({ status: 'error', errorType, error });
    assert.throws(
      () => read(failed('bad_data', 'exceeded maximum resolution of 11,000 points per timeseries.')),
      /Prometheus answered with an error \(bad_data\): exceeded .*; ask with a larger step/,
    );
    assert.throws(() => read(failed('timeout', 'query timed out')), /ask for less at once/);
    assert.throws(() => read('{"status":"error"}'), /no reason given/);
  });

  it('says why there is nothing', () => {
    assert.deepEqual(read(matrix()).notes, ['the query found no series']);
    assert.match(read('{"status":"success","data":["up","go_goroutines"]}').notes[0], /ask \/api\/v1\/query_range/);
    assert.match(read(answer({ resultType: 'scalar', result: [1794772040, '1'] })).notes[0], /a scalar is no series/);
    const histogram = { metric: { __name__: 'h' }, histograms: [[1, { count: '1', sum: '2', buckets: [] }]] };
    assert.deepEqual(read(matrix(histogram)).notes, ['1 series of native histograms are not used']);
  });

  it('says what Prometheus or Thanos warns of', () => {
    const warned = two.replace('"data":', '"warnings":["store a:1 did not\\nanswer",{"b":[1]}],"data":');
    assert.deepEqual(read(warned).notes, ['Prometheus warns: store a:1 did not answer']);
  });

  it('keeps the series before a cut, and says where it was', () => {
    const cut = two.slice(0, two.indexOf('"up"') + 2);
    const got = read(cut);
    assert.equal(show(got).length, 1);
    assert.deepEqual(got.notes, [
      `the JSON ends too early at byte ${encodeText(cut).length}; the 1 series before it were read`,
    ]);
    assert.throws(() => read(two.slice(0, 150)), /the JSON ends too early/);
    assert.throws(() => read(`{"status":"success","data":${'['.repeat(10_000)}`), /nested more than 64 deep/);
    assert.throws(() => read('{"data":'.repeat(10_000)), /nested more than 64 deep/);
  });

  it('is recognised, and other JSON is not', () => {
    for (const text of [two, '{"status":"error"}', ' {\n "data": { "resultType": 1', '[{"metric":{}', 'up => 1 @[5]']) {
      assert.ok(sniffRangeQuery(encodeText(text)), text);
    }
    for (const text of [
      '{"kind":"Status","status":"Failure"}',
      '{"data":{"key":"value"}}',
      '[{"name":"x"}]',
      'main;work 3\n',
      'go_goroutines 3\n',
      '',
    ]) {
      assert.ok(!sniffRangeQuery(encodeText(text)), text);
    }
  });

  it('reads back any matrix, and fails on any damage without anything but a FormatError', () => {
    const series = fc.record({
      metric: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' }), { maxKeys: 4, noNullPrototype: true }),
      values: fc
        .uniqueArray(fc.integer({ min: 0, max: 2e9 }), { maxLength: 6 })
        .map(times => times.sort((a, b) => a - b).map(time => [time, String(time / 7 ** (time % 20))] as const)),
    });
    fc.assert(
      fc.property(fc.array(series, { maxLength: 5 }), fc.nat(), fc.nat({ max: 255 }), (result, at, byte) => {
        const bytes = encodeText(matrix(...result));
        const got = readRangeQuery(bytes);
        assert.equal(got.series.length, result.length);
        assert.deepEqual(
          [...got.samples.values],
          result.flatMap(({ values }) => values.map(([, value]) => Number(value))),
        );
        bytes[at % bytes.length] = byte;
        try {
          readRangeQuery(bytes);
        } catch (error) {
          assert.equal((error as Error).name, 'FormatError');
        }
      }),
    );
  });
});
