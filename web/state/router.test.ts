import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'node:test';
import { matchPath, readableQuery, targetUrl } from './router.ts';

describe('matchPath', () => {
  it('finds parameters; the last one may contain slashes', () => {
    assert.deepEqual(matchPath('/', '/'), {});
    assert.deepEqual(matchPath('/p/:id', '/p/ab12'), { id: 'ab12' });
    assert.deepEqual(matchPath('/p/:id', '/p/ab12/'), { id: 'ab12' });
    assert.deepEqual(matchPath('/t/:target+', '/t/node/worker-17'), { target: 'node/worker-17' });
    assert.deepEqual(matchPath('/t/:target+', '/t/node%2Fworker-17'), { target: 'node/worker-17' });
  });

  it('rejects paths that do not match', () => {
    for (const [pattern, path] of [
      ['/p/:id', '/p'],
      ['/p/:id', '/p/'],
      ['/p/:id', '/p/a/b'],
      ['/t/:target+', '/t/'],
      ['/', '/i'],
      ['/i', '/I'],
    ] as const) {
      assert.equal(matchPath(pattern, path), undefined, `${pattern} ${path}`);
    }
  });

  it('keeps broken escapes', () => {
    assert.deepEqual(matchPath('/p/:id', '/p/100%'), { id: '100%' });
  });

  it('finds any target in the address of its page', () => {
    const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter(text => !/(?:^|\/)\.{0,2}(?:\/|$)/.test(text));
    fc.assert(
      fc.property(name, target => {
        const { pathname } = new URL(targetUrl(target), 'http://ui');
        assert.deepEqual(matchPath('/t/:target+', pathname), { target });
      }),
    );
  });
});

describe('readableQuery', () => {
  it('round-trips', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' })), pairs => {
        const params = new URLSearchParams(pairs);
        assert.deepEqual([...new URLSearchParams(readableQuery(params))], [...params]);
      }),
    );
    assert.equal(readableQuery(new URLSearchParams({ is: 'pool:a/b' })), 'is=pool:a/b');
  });
});
