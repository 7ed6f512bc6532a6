import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { matchPath, readable, targetUrl } from './router.ts';

describe('matchPath', () => {
  it('finds parameters, the last one with its slashes', () => {
    assert.deepEqual(matchPath('/', '/'), {});
    assert.deepEqual(matchPath('/p/:id', '/p/ab12'), { id: 'ab12' });
    assert.deepEqual(matchPath('/p/:id', '/p/ab12/'), { id: 'ab12' });
    assert.deepEqual(matchPath('/t/:target+', '/t/node/worker-17'), { target: 'node/worker-17' });
    assert.deepEqual(matchPath('/t/:target+', '/t/node%2Fworker-17'), { target: 'node/worker-17' });
  });

  it('refuses what does not fit', () => {
    for (const [pattern, path] of [
      ['/p/:id', '/p'],
      ['/p/:id', '/p/'],
      ['/p/:id', '/p/a/b'],
      ['/t/:target+', '/t/'],
      ['/', '/i'],
      ['/i', '/I'],
    ]) {
      assert.equal(matchPath(pattern, path), undefined, `${pattern} ${path}`);
    }
  });

  it('takes broken escapes as they are', () => {
    assert.deepEqual(matchPath('/p/:id', '/p/100%'), { id: '100%' });
  });

  it("finds any target in its own page's address", () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter(text => !/(?:^|\/)\.{0,2}(?:\/|$)/.test(text));
    fc.assert(
      fc.property(name, target => {
        const { pathname } = new URL(targetUrl(target), 'http://ui');
        assert.deepEqual(matchPath('/t/:target+', pathname), { target });
      }),
    );
  });
});

describe('readable', () => {
  it('reads back as the same query', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' })), pairs => {
        const params = new URLSearchParams(pairs);
        assert.deepEqual([...new URLSearchParams(readable(params))], [...params]);
      }),
    );
    assert.equal(readable(new URLSearchParams({ is: 'pool:a/b' })), 'is=pool:a/b');
  });
});
