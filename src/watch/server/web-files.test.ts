import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { EXAMPLE_PAGE, exampleWebFolder, startExample } from '../../../test/double/example-server.ts';
import { readWebFiles } from './web-files.ts';

describe('the web UI', () => {
  it('is one page at every address of a page', async t => {
    const { ask } = await startExample(t);
    const pages = [
      '/',
      '/index.html',
      '/t/node/worker-1',
      '/t/http%3A%2F%2Fa.b%3A1',
      '/compare?a=1&b=2',
      '/p/ab',
      '/catalogue',
      '/i/i-1.2',
    ];
    for (const path of pages) {
      const answer = await ask(path);
      assert.deepEqual([answer.status, answer.text], [200, EXAMPLE_PAGE], path);
      assert.deepEqual(
        [answer.headers['content-type'], answer.headers['cache-control']],
        ['text/html; charset=utf-8', 'no-cache'],
      );
      assert.equal((await ask(path, { headers: { 'if-none-match': answer.headers.etag ?? '' } })).status, 304);
    }
    for (const path of ['/favicon.ico', '/robots.txt', '/wp-login.php', '/assets/', '/assets/gone-AAAAAAAA.js']) {
      assert.equal((await ask(path)).status, 404, path);
    }
  });

  it('has files that are cached for ever and sent compressed', async t => {
    const { ask } = await startExample(t);
    const plain = await ask('/assets/main-4QX7ZJ2K.js');
    const packed = await ask('/assets/main-4QX7ZJ2K.js', { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } });
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(packed.headers['content-encoding'], 'br');
    assert.deepEqual(brotliDecompressSync(packed.bytes), plain.bytes);
  });

  it('is all that can be read of the file system', async t => {
    const folder = exampleWebFolder(t);
    writeFileSync(join(folder, '.secret'), 'SECRET');
    symlinkSync('/etc/passwd', join(folder, 'assets/passwd.txt'));
    symlinkSync('/etc', join(folder, 'etc'));
    const { ask } = await startExample(t, { webFolder: folder });
    const attempts = [
      '/../../../../etc/passwd',
      '/assets/../../../../etc/passwd',
      '/assets/..%2f..%2f..%2fetc%2fpasswd',
      '/assets/%2e%2e/%2e%2e/etc/passwd',
      '/assets/....//....//etc/passwd',
      '/assets/..\\..\\etc\\passwd',
      '/assets/..%5c..%5cetc%5cpasswd',
      '/assets/%252e%252e%252fetc%252fpasswd',
      '/assets/%00/etc/passwd',
      '/assets//etc/passwd',
      '//etc/passwd',
      '/etc/passwd',
      '/assets/passwd.txt',
      '/.secret',
      'http://127.0.0.1/etc/passwd',
    ];
    for (const path of attempts) {
      const { status, text } = await ask(path);
      assert.ok([200, 400, 403, 404].includes(status), `${path}: ${status}`);
      assert.doesNotMatch(text, /root:|SECRET/, path);
      if (status === 200) assert.equal(text, EXAMPLE_PAGE, path);
    }
    assert.deepEqual([...readWebFiles(folder).keys()].sort(), ['/assets/main-4QX7ZJ2K.js', '/index.html']);
  });
});
