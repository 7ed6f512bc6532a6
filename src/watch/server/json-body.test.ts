import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { jsonBody, jsonPieces } from './api.ts';

describe('JSON in slices', () => {
  it('is what JSON.stringify writes', () => {
    const anything = fc.anything({ withNullPrototype: true, maxDepth: 3 });
    const value = fc.oneof(fc.dictionary(fc.string(), anything), fc.array(anything), fc.object());
    fc.assert(fc.property(value, given => assert.equal([...jsonPieces(given)].join(''), JSON.stringify(given))));
  });

  it('also of long lists, whatever is in them', async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => [i, undefined, Number.NaN, `row ${i} \u2028`][i % 4]);
    const value = { before: 1, rows, gone: undefined, after: { rows: [] } };
    const { bytes } = await jsonBody(value);
    assert.equal(Buffer.from(bytes).toString(), JSON.stringify(value).replaceAll('\u2028', '\\u2028'));
    assert.equal(
      Buffer.from((await jsonBody(rows)).bytes)
        .toString()
        .slice(0, 12),
      '[0,null,null',
    );
  });

  it('has the same tag for the same content, and lets others run meanwhile', async () => {
    const rows = Array.from({ length: 60_000 }, (_, i) => ({ i, text: 'x'.repeat(50) }));
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    const [one, two] = [await jsonBody({ rows }), await jsonBody({ rows: [...rows] })];
    clearInterval(count);
    assert.equal(one.etag, two.etag);
    assert.notEqual(one.etag, (await jsonBody({ rows: rows.slice(1) })).etag);
    assert.ok(turns > 0);
  });
});
