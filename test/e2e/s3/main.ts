/**
 * npm run e2e:s3
 *
 * Evidence in real S3 servers: the contract of the port, a server that misbehaves, a full one, a clock that is wrong,
 * and a store that is killed while it writes there. Needs Go for the first run, which builds the servers; then about
 * two minutes. Exits 1 if anything failed.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AwsClient } from 'aws4fetch';
import { EvidenceFolder } from '../../../src/store/io/evidence-folder.ts';
import { httpSender } from '../../../src/live/io/send-request.ts';
import { SYSTEM_CLOCK } from '../../../src/live/io/clocks.ts';
import { encodeText } from '../../../src/base/text.ts';
import { evidenceSettings } from '../../../src/cli/connect/store-places.ts';
import { openFolderStore } from '../../../src/cli/watch/open-store.ts';
import { SpooledEvidence } from '../../../src/store/spooled-evidence.ts';
import { isInTheTable } from '../../contract/counted-tests.ts';
import { evidenceFilesContract, putText, sha256Of } from '../../contract/evidence-files-contract.ts';
import { bucketAt } from '../../double/s3-evidence.ts';
import { until } from '../../until.ts';
import { storeCopyTests } from './copy-tests.ts';
import { type Mood, startProxy } from './faulty-proxy.ts';
import { BUCKET, buildServers, KEYS, type RealServer, startGofakes3, startVersitygw } from './servers.ts';
import type { SendRequest } from '../../../src/live/ports.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const KILLS = 30;
const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));
const problem = buildServers();
if (problem !== undefined) {
  console.log(`skipped: ${problem}`);
  process.exit();
}
const root = mkdtempSync(join(tmpdir(), 'oakum-e2e-s3-'));
const tiny = join(root, 'tiny');
mkdirSync(tiny);
const isTiny =
  process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', tiny]).status === 0;
const versitygw = await startVersitygw(join(root, 'buckets'));
const servers: readonly RealServer[] = [await startGofakes3(), versitygw];
const full = isTiny ? await startVersitygw(tiny) : undefined;
after(() => {
  for (const server of [...servers, ...(full === undefined ? [] : [full])]) server.process.kill();
  if (isTiny) spawnSync('umount', ['-l', tiny]);
  rmSync(root, { recursive: true, force: true });
});

let prefixes = 0;
const urlAt = (endpoint: string, prefix = `p${prefixes++}`): string => `s3://${BUCKET}/${prefix}?endpoint=${endpoint}`;

for (const { name, url } of servers) {
  evidenceFilesContract({
    name,
    make: async () => {
      const prefix = `some folder/${prefixes++}`;
      const open = () => bucketAt(urlAt(url, prefix), KEYS, { pageSize: 10 });
      const raw = new AwsClient({
        accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
        secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
        service: 's3',
        region: 'us-east-1',
      });
      return {
        files: open(),
        another: async () => open(),
        spoil: async (sha256, bytes) => {
          const key = `${encodeURIComponent('some folder')}/${prefix.split('/')[1]}/evidence/${sha256.slice(0, 2)}/${sha256}`;
          const headers = { 'x-amz-content-sha256': sha256Of(bytes), 'content-length': String(bytes.length) };
          const reply = await raw.fetch(`${url}/${BUCKET}/${key}`, { method: 'PUT', body: bytes, headers });
          assert.ok(reply.ok, `${reply.status} ${await reply.text()}`);
        },
      };
    },
  });

  describe(`${name} behind a proxy that misbehaves`, () => {
    const moods: readonly Mood[] = [
      'every third answer is 500',
      'slow',
      'every third body is cut',
      'every third connection is reset',
      'the answer to every third write is lost',
      'lists nothing',
    ];
    for (const mood of moods)
      it(`${mood}: everything is stored once, read, and removed`, async t => {
        const proxy = await startProxy(url);
        t.after(() => proxy.close());
        const files = bucketAt(urlAt(proxy.url), KEYS);
        proxy.mood = mood;
        const texts = Array.from({ length: 12 }, (_, i) => `profile ${i} of ${mood}`);
        const put: string[] = [];
        for (const text of texts) put.push(await putText(files, text));
        for (const [i, sha256] of put.entries()) {
          assert.equal(await files.size(sha256), texts[i].length);
          assert.deepEqual(Buffer.from((await files.read(sha256)) ?? []).toString(), texts[i]);
        }
        for await (const { sha256 } of files.list()) assert.ok(put.includes(sha256));
        // A removal is not tried again by itself.
        for (const sha256 of put)
          await until(() =>
            files.remove(sha256).then(
              () => true,
              () => false,
            ),
          );
        proxy.mood = 'well';
        for (const sha256 of put) assert.equal(await files.read(sha256), undefined);
        if (mood !== 'slow') assert.ok(proxy.faults > 0, 'it did not misbehave');
      });

    it('down for a while: captures wait in the spool and arrive later', async t => {
      const proxy = await startProxy(url);
      t.after(() => proxy.close());
      const far = bucketAt(urlAt(proxy.url), KEYS);
      const spool = new EvidenceFolder(join(root, `spool-${name}`));
      const clock = { ...SYSTEM_CLOCK, sleep: (s: number, signal: AbortSignal) => SYSTEM_CLOCK.sleep(s / 20, signal) };
      const files = new SpooledEvidence(far, spool, {
        clock: { ...clock, now: () => SYSTEM_CLOCK.now() * 20 },
        random: Math.random,
      });
      await files.open();
      proxy.mood = 'down';
      const put: string[] = [];
      for (let i = 0; i < 5; i++) put.push(await putText(files, `while it is down ${i}`));
      assert.match(
        files.status().degraded ?? '',
        /^Evidence cannot be stored: .* 5 files .* wait in the data folder\.$/,
      );
      proxy.mood = 'well';
      await until(() => files.status().degraded === null);
      for (const sha256 of put) assert.ok((await far.size(sha256)) !== undefined);
      await files.close();
    });
  });
}

isInTheTable();

spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
storeCopyTests(versitygw, root, urlAt);

describe('versitygw, which checks what is signed', () => {
  it('refuses a wrong secret, in words', async () => {
    const files = bucketAt(urlAt(versitygw.url), { ...KEYS, AWS_SECRET_ACCESS_KEY: 'wrong' });
    await assert.rejects(putText(files, 'x'), {
      kind: 'refused',
      message: /SignatureDoesNotMatch.*check the credentials/,
    });
  });

  it('refuses a bucket that is not there, in words', async () => {
    const files = bucketAt(`s3://nobucket/x?endpoint=${versitygw.url}`, KEYS);
    await assert.rejects(files.size('0'.repeat(64)), { kind: 'refused', message: /NoSuchBucket.*create the bucket/ });
    await assert.rejects(putText(files, 'x'), { kind: 'refused', message: /NoSuchBucket.*create the bucket/ });
  });

  for (const aheadSeconds of [3600, -3600])
    it(`takes requests from a machine whose clock is off by ${aheadSeconds} s`, async () => {
      const said: string[] = [];
      const clock = { now: () => Date.now() / 1000 + aheadSeconds, sleep: async () => {} };
      const send: SendRequest = async (...request) => {
        const reply = await httpSender({})(...request);
        return reply.kind === 'answer' ? { ...reply, headAtSeconds: reply.headAtSeconds + aheadSeconds } : reply;
      };
      const files = bucketAt(urlAt(versitygw.url), KEYS, { clock, send, log: line => said.push(line) });
      const skewed = await putText(files, `signed ${aheadSeconds} s off`).catch((error: Error) => error);
      assert.ok(typeof skewed === 'string', String(skewed));
      console.log(`# ${said.join('; ')}`);
      assert.match(said.join(), /the clock of this machine is 1h (ahead of|behind) the server's/);
    });

  it('in another region is asked there', async () => {
    const said: string[] = [];
    const files = bucketAt(`${urlAt(versitygw.url)}&region=eu-west-1`, KEYS, { log: line => said.push(line) });
    await putText(files, 'elsewhere');
    assert.match(said.join(), /the bucket is in region us-east-1, not eu-west-1/);
  });

  it(
    'that is full refuses, what waits is kept, and arrives when there is room',
    { skip: full === undefined && 'no right to mount' },
    async () => {
      assert.ok(full !== undefined);
      const far = bucketAt(urlAt(full.url), KEYS);
      const clock = {
        now: () => SYSTEM_CLOCK.now() * 20,
        sleep: (s: number, signal: AbortSignal) => SYSTEM_CLOCK.sleep(s / 20, signal),
      };
      const files = new SpooledEvidence(far, new EvidenceFolder(join(root, 'spool-full')), {
        clock,
        random: Math.random,
      });
      await files.open();
      const ballast = Buffer.alloc(1_000_000, 'x');
      const large: string[] = [];
      for (let i = 0; i < 5; i++) {
        const bytes = Buffer.concat([ballast, Buffer.from(String(i))]);
        large.push(sha256Of(bytes));
        await files.put(sha256Of(bytes), bytes);
      }
      const { degraded, waitingFiles } = files.status();
      console.log(`# ${degraded}`);
      assert.ok(waitingFiles > 0 && degraded !== null);
      for (const sha256 of large) assert.equal((await files.read(sha256))?.length, 1_000_001);
      await far.remove(large[0] ?? '');
      await far.remove(large[1] ?? '');
      await until(() => files.status().waitingFiles <= Math.max(0, waitingFiles - 1));
      await files.close();
    },
  );
});

it(`a store that is killed ${KILLS} times while its bucket comes and goes loses nothing and leaves nothing behind`, async t => {
  const proxy = await startProxy(versitygw.url);
  t.after(() => proxy.close());
  const folder = join(root, 'killed');
  const url = urlAt(proxy.url);
  const taken = new Set<number>();
  const moods: readonly Mood[] = [
    'well',
    'down',
    'every third connection is reset',
    'the answer to every third write is lost',
    'well',
  ];
  for (let kill = 0; kill < KILLS; kill++) {
    proxy.mood = kill === 0 ? 'well' : (moods[kill % moods.length] ?? 'well');
    const from = Math.max(-1, ...taken) + 2;
    const child = spawn(process.execPath, ['--import', 'tsx', WRITER, folder, url, String(from)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...KEYS },
    });
    let left = 1 + Math.floor(Math.random() * 12);
    for await (const line of createInterface(child.stdout)) {
      if (line !== 'ready') taken.add(Number(line));
      if (left-- === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 30);
    }
  }
  proxy.mood = 'well';
  const store = await openFolderStore(
    folder,
    { limits: { maxBytes: 40_000 } },
    evidenceSettings(url, { ...KEYS }, '/'),
  );
  const newest = Math.max(...taken);
  assert.ok((await store.records({ kind: 'capture', id: `c${newest}` }))[0] !== undefined, 'the newest is lost');
  const far = bucketAt(url, KEYS);
  await until(() => store.status().degraded === null);
  const named = new Set<string>();
  for (const { id, files } of await store.records({ kind: 'capture' })) {
    const [{ sha256 }] = files;
    named.add(sha256);
    assert.deepEqual(await store.readProfile(sha256), encodeText(`profile ${id.slice(1)} `.repeat(100)), id);
    assert.ok((await far.size(sha256)) !== undefined, `${id} is not in the bucket`);
  }
  await store.maintain(newest);
  await store.close();
  const there: string[] = [];
  for await (const { sha256 } of far.list()) there.push(sha256);
  console.log(`# ${taken.size} captures taken, ${named.size} kept, ${there.length} objects`);
  assert.deepEqual(there.sort(), [...named].sort(), 'objects that no row names');
});
