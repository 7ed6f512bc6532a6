import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth, oneLine, table, wrap } from './text-layout.ts';

describe('text layout', () => {
  it('measures columns', () => {
    assert.equal(displayWidth('abc'), 3);
    assert.equal(displayWidth('日本'), 4);
    assert.equal(displayWidth('e\u0301'), 1);
  });

  it('wraps at spaces and keeps long words', () => {
    assert.deepEqual(wrap('aa bb cc', 5), ['aa bb', 'cc']);
    assert.deepEqual(wrap('aaaaaaaaaa b', 5), ['aaaaaaaaaa', 'b']);
    assert.deepEqual(wrap('', 5), ['']);
  });

  it('has tables like kubectl', () => {
    assert.deepEqual(
      table(
        ['NAME', 'AGE'],
        [
          ['a', ''],
          ['longer', '3d'],
        ],
      ),
      ['NAME    AGE', 'a       <none>', 'longer  3d'],
    );
  });

  it('has tables of any length', () => {
    const rows = Array.from({ length: 300_000 }, () => ['x']);
    assert.equal(table(['N'], rows).length, 300_001);
  });

  it('makes one line of many', () => {
    assert.equal(oneLine(' a\r\n   b  \n\nc\n'), 'a b c');
  });
});
