import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { readRangeQuery, readPlainSamples } from './range-query.ts';
import { SeriesColumns } from './series-columns.ts';

function readFrom(text: string): { readonly end: number; readonly values: readonly number[] } {
  const columns = new SeriesColumns(() => true);
  columns.begin();
  const end = readPlainSamples(encodeText(text), 0, columns);
  columns.end();
  return { end, values: [...columns.finish().samples.values] };
}

describe('plain samples', () => {
  it('are read up to the first that is written otherwise', () => {
    const plain = '[1794772040,"294"],[1794775640.25,"15.5"]';
    for (const rest of ['', ']}', ',[1794779240,"NaN"]', ',[1794779240,"-1"]', ',[1794779240,"1e+07"]', ', [5,"1"]']) {
      assert.deepEqual(readFrom(plain + rest), { end: plain.length, values: [294, 15.5] }, rest);
    }
    assert.deepEqual(readFrom('[1794772040,"'), { end: 0, values: [] });
    assert.deepEqual(readFrom('[,"1"]'), { end: 0, values: [] });
  });

  it('and others make one series, with the numbers that are written', () => {
    const written = ['7', '123456789.33333333', '0.1', '9007199254740993', '1e-7', '-2.5', '+Inf', '3'];
    const values = written.map((value, i) => `[${1794772040 + i}${i === 2 ? '.125' : ''},"${value}"]`).join(',');
    const { samples } = readRangeQuery(encodeText(`[{"metric":{"__name__":"up"},"values":[${values}]}]`));
    assert.deepEqual(
      [...samples.values],
      written.map(value => (value === '+Inf' ? Infinity : Number(value))),
    );
    assert.equal(samples.times[2], 1794772042.125);
    for (const odd of ['[[1,"2"][2,"3"]]', '[[1,"2"],]', '[[1,"2"] [2,"3"]]', '[[1,"2",3]]']) {
      assert.throws(() => readRangeQuery(encodeText(`[{"metric":{"__name__":"up"},"values":${odd}}]`)), odd);
    }
  });
});
