import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyFromEnvironment } from './send-request.ts';

describe('the proxy of the environment', () => {
  const proxyOf = (target: string, env: Record<string, string>): string | undefined =>
    proxyFromEnvironment(new URL(target), env)?.host;

  it('is chosen by the scheme of the target', () => {
    const env = { HTTP_PROXY: 'http://plain:3128', https_proxy: 'secure:3129' };
    assert.equal(proxyOf('http://a.example', env), 'plain:3128');
    assert.equal(proxyOf('https://a.example', env), 'secure:3129');
    assert.equal(proxyOf('https://a.example', {}), undefined);
  });

  it('does not stand before loopback and what NO_PROXY names', () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ['https://localhost:6443', '', false],
      ['https://127.0.0.1:6443', '', false],
      ['https://[::1]:6443', '', false],
      ['https://api.example.com', 'example.com', false],
      ['https://example.com', 'example.com', false],
      ['https://notexample.com', 'example.com', true],
      ['https://api.example.com', '.example.com', false],
      ['https://api.example.com', 'other, *.example.com', false],
      ['https://api.example.com:8443', 'api.example.com:443', true],
      ['https://api.example.com', 'api.example.com:443', false],
      ['https://10.96.0.1', '10.96.0.0/12', false],
      ['https://10.112.0.1', '10.96.0.0/12', true],
      ['https://a.b', '*', false],
    ];
    for (const [target, noProxy, goes] of cases) {
      const found = proxyOf(target, { HTTPS_PROXY: 'http://p:1', NO_PROXY: noProxy });
      assert.equal(found !== undefined, goes, `${target} with NO_PROXY=${noProxy}`);
    }
  });

  it('is refused when it cannot be read', () => {
    assert.throws(() => proxyOf('https://a', { HTTPS_PROXY: 'http://[' }), /cannot read the proxy's URL/);
  });
});
