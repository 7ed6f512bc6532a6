/** `oakum store copy` between a data folder and a real bucket, through kills and faults of the server. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openFolderStore } from '../../../src/cli/watch/open-store.ts';
import { copyKilled } from '../../double/copy-killed.ts';
import { startProxy } from './faulty-proxy.ts';
import { KEYS, type RealServer } from './servers.ts';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const CAPTURES = 250;

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

const BYTES = 20_000;

export function storeCopyTests(server: RealServer, root: string, urlAt: (endpoint: string) => string): void {
  /** Beside this process, in which a proxy may have to answer. */
  const oakum = async (...args: string[]): Promise<Ended> => {
    const child = spawn(process.execPath, [MAIN, 'store', ...args], { env: { ...process.env, ...KEYS } });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += String(chunk)));
    child.stderr.on('data', (chunk: Buffer) => (err += String(chunk)));
    const status = await new Promise<number | null>(resolve => child.once('close', resolve));
    return { status, out, err };
  };

  describe(`oakum store copy with ${server.name}`, () => {
    it(`brings ${CAPTURES} profiles there and back, killed on the way`, async () => {
      const folder = mkdtempSync(join(root, 'copied-'));
      await fill(folder);
      const url = urlAt(server.url);
      await copyKilled([folder, url], root, KEYS);
      const copied = await oakum('copy', folder, url);
      assert.equal(copied.status, 0, copied.err);
      const before = await oakum('verify', folder);
      rmSync(join(folder, 'blobs'), { recursive: true });
      const gone = await oakum('verify', folder);
      assert.deepEqual([gone.status, gone.out.includes(`${CAPTURES} missing`)], [4, true]);
      assert.equal((await oakum('verify', folder, '--evidence-from', url)).out, before.out);
      await copyKilled([url, folder], root, KEYS);
      const back = await oakum('copy', url, folder);
      assert.equal(back.status, 0, back.err);
      assert.equal((await oakum('verify', folder)).out, before.out);
    });

    it('says that the bucket is down, and continues when it is back', async t => {
      const folder = mkdtempSync(join(root, 'copied-'));
      await fill(folder, 20);
      const proxy = await startProxy(server.url);
      t.after(() => proxy.close());
      const url = urlAt(proxy.url);
      proxy.mood = 'down';
      const down = await oakum('copy', folder, url);
      assert.equal(down.status, 4);
      assert.match(down.err, /oakum: s3:.*\n$/);
      proxy.mood = 'every third answer is 500';
      // Four at once may be unlucky with all of their attempts: each run gets further.
      let again = await oakum('copy', folder, url);
      for (let run = 1; again.status === 4 && run < 10; run++) again = await oakum('copy', folder, url);
      assert.equal(again.status, 0, again.err);
      assert.match(again.out, /profiles: 20 .* 0 missing, 0 damaged\n$/);
    });
  });
}

async function fill(folder: string, captures: number = CAPTURES): Promise<void> {
  const store = await openFolderStore(folder);
  for (let i = 0; i < captures; i++)
    await store.addCapture({
      id: `c${i}`,
      target: `node/${i}`,
      at: i,
      trigger: 'slope',
      reason: '',
      processStartSeconds: undefined,
      files: [{ kind: 'heap', at: i, truncated: null, bytes: randomBytes(BYTES) }],
    });
  await store.close();
}
