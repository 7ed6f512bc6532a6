import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLoopback, isLoopbackHost, parseListenAddress, resolveHost, urlOf } from './listen-address.ts';

describe('where to listen', () => {
  it('is read as go tool pprof reads -http', () => {
    const cases: [string, string, number][] = [
      [':8080', 'localhost', 8080],
      ['localhost:', 'localhost', 0],
      ['0:', '0', 0],
      [':', 'localhost', 0],
      ['10.0.0.1:80', '10.0.0.1', 80],
      ['[::1]:7777', '::1', 7777],
      ['watch.example.com:65535', 'watch.example.com', 65535],
    ];
    for (const [text, host, port] of cases) assert.deepEqual(parseListenAddress(text), { host, port }, text);
  });

  it('is refused with what was expected', () => {
    for (const text of [
      '',
      'localhost',
      '8080',
      '::1:80',
      '[::1]',
      'a:b',
      'a:-1',
      'a:65536',
      '[nonsense]:1',
      'a b:1',
    ]) {
      assert.ok('problem' in parseListenAddress(text), text);
    }
    assert.deepEqual(parseListenAddress('localhost'), {
      problem: 'expected HOST:PORT, such as localhost:7777, not "localhost"',
    });
  });

  it('is this machine only when its address says so', async () => {
    for (const own of ['127.0.0.1', '127.8.8.8', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])
      assert.ok(isLoopback(own), own);
    for (const other of ['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', '1270.0.0.1', '']) {
      assert.ok(!isLoopback(other), other);
    }
    assert.ok(isLoopback((await resolveHost('localhost')) ?? ''));
    assert.equal(await resolveHost('0'), '0.0.0.0');
    assert.equal(await resolveHost('no-such-host.invalid'), undefined);
  });

  it('knows names that only this machine answers to', () => {
    for (const own of [
      'localhost',
      'LOCALHOST:7777',
      'localhost.:1',
      'a.localhost:1',
      '127.0.0.1:7777',
      '[::1]:7777',
    ]) {
      assert.ok(isLoopbackHost(own), own);
    }
    for (const other of [
      'evil.com',
      'evil.com:7777',
      '127.0.0.1.evil.com',
      'localhost.evil.com',
      '10.0.0.1',
      '',
      'a:b:c',
    ]) {
      assert.ok(!isLoopbackHost(other), other);
    }
  });

  it('is shown as a URL that can be opened', () => {
    assert.equal(urlOf('::1', 80), 'http://[::1]:80');
    assert.equal(urlOf('0', 80), 'http://localhost:80');
    assert.equal(urlOf('0.0.0.0', 80), 'http://localhost:80');
    assert.equal(urlOf('watch.example.com', 80), 'http://watch.example.com:80');
  });
});
