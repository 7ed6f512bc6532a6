/** The bucket behind a server, a clock and credentials that misbehave. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { bucketAt, EXAMPLE_KEYS } from '../../../test/double/s3-evidence.ts';
import { type S3Fault, S3Server } from '../../../test/double/s3-server.ts';
import { httpSender } from '../../live/io/send-request.ts';
import { decodeText, encodeText } from '../../base/text.ts';
import type { BucketSettings, EvidenceBucket } from './evidence-bucket.ts';
import type { SendRequest } from '../../live/ports.ts';

const BYTES = encodeText('a profile');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
const ALLOW =
  'allow these credentials s3:PutObject, s3:GetObject and s3:DeleteObject below the prefix, and s3:ListBucket on the bucket';

interface Started {
  readonly server: S3Server;
  readonly files: EvidenceBucket;
  readonly place: string;
  readonly said: string[];
}

async function start(t: TestContext, env = EXAMPLE_KEYS, more: Partial<BucketSettings> = {}): Promise<Started> {
  const server = await new S3Server().listen();
  t.after(() => server.close());
  const said: string[] = [];
  const url = `s3://${server.bucket}/prefix?endpoint=${server.url}`;
  const files = bucketAt(url, env, { log: line => said.push(line), ...more });
  return { server, files, place: `s3://${server.bucket}/prefix at ${server.url}`, said };
}

/** Fails so often, then no more. */
function times(count: number, fault: S3Fault): () => S3Fault | undefined {
  let left = count;
  return () => (left-- > 0 ? fault : undefined);
}

describe('a request that fails', () => {
  const transient: readonly (readonly [string, S3Fault])[] = [
    ['500', { status: 500 }],
    ['503 SlowDown', { status: 503, code: 'SlowDown' }],
    ['504 of a proxy, as a web page', { status: 504, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['409 of another writer', { status: 409, code: 'ConditionalRequestConflict' }],
    ['a reset', { how: 'reset' }],
    ['a reset after it was stored', { how: 'reset', isDone: true }],
  ];
  for (const [what, fault] of transient)
    it(`with ${what} is tried again, and stores once`, async t => {
      const { server, files } = await start(t);
      server.fault = times(2, fault);
      await files.put(SHA256, BYTES);
      assert.deepEqual(
        [...server.objects.values()].map(bytes => decodeText(bytes)),
        ['a profile'],
      );
      server.fault = times(2, { ...fault, isDone: false });
      assert.deepEqual(Buffer.from((await files.read(SHA256)) ?? []), Buffer.from(BYTES));
    });

  it('with a body that is cut is read again', async t => {
    const { server, files } = await start(t);
    await files.put(SHA256, BYTES);
    server.fault = times(3, { how: 'cut' });
    assert.equal(decodeText((await files.read(SHA256)) ?? new Uint8Array()), 'a profile');
    assert.equal(server.requests.length, 5);
  });

  it('every time is given up, as one that may work later', async t => {
    const { server, files, place } = await start(t);
    server.fault = () => ({ status: 503, code: 'SlowDown', message: 'Reduce your request rate.' });
    const message = `${place}: it answers 503 SlowDown: Reduce your request rate`;
    await assert.rejects(files.put(SHA256, BYTES), { kind: 'unreachable', message });
    assert.equal(server.requests.length, 4);
    await assert.rejects(files.remove(SHA256), { kind: 'unreachable', message });
    assert.equal(server.requests.length, 5, 'removal is not urgent');
  });

  it('because nobody listens is given up, as one that may work later', async t => {
    const { server, files } = await start(t);
    await server.close();
    await assert.rejects(files.put(SHA256, BYTES), { kind: 'unreachable', message: /ECONNREFUSED/ });
  });

  it('is ended when the bucket is closed', async t => {
    const { server, files } = await start(t);
    const asked = new Promise<void>(resolve => {
      server.fault = () => (resolve(), { how: 'hang' });
    });
    const put = assert.rejects(files.put(SHA256, BYTES), { message: /stopped$/ });
    await asked;
    await files.close();
    await put;
  });
});

describe('an answer that another try does not change', () => {
  const final: readonly (readonly [string, S3Fault, string])[] = [
    [
      'AccessDenied',
      { status: 403, code: 'AccessDenied', message: 'Access Denied.' },
      `it answers 403 AccessDenied: Access Denied; ${ALLOW}`,
    ],
    [
      'NoSuchBucket',
      { status: 404, code: 'NoSuchBucket', message: 'No bucket' },
      'it answers 404 NoSuchBucket: No bucket; create the bucket, or correct its name',
    ],
    [
      'a web page',
      { status: 404, body: '<!DOCTYPE html><title>nginx', headers: { 'content-type': 'text/html' } },
      'it answers 404 with a web page: this is not S3; check the endpoint',
    ],
    ['no space', { status: 507, code: 'XMinioStorageFull', message: 'full' }, 'it answers 507 XMinioStorageFull: full'],
    ['an empty 404', { status: 404, body: '' }, 'it answers 404, but not as S3 does; check the endpoint'],
    ['entities', { status: 400, code: 'Odd', message: '&lt;b&gt; &amp;\nmore' }, 'it answers 400 Odd: <b> & more'],
  ];
  for (const [what, fault, message] of final)
    it(`is told at once: ${what}`, async t => {
      const { server, files, place } = await start(t);
      server.fault = () => fault;
      for (const work of [() => files.put(SHA256, BYTES), () => files.read(SHA256), () => files.size(SHA256)])
        await assert.rejects(work, { kind: 'refused', message: `${place}: ${message}` });
      assert.equal(server.requests.length, 3);
    });

  it('never takes yes from what is not S3', async t => {
    const other = createServer((_, response) => response.end('<html>Welcome'));
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    t.after(() => other.close());
    const files = bucketAt(`s3://bucket?endpoint=http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    const list = async (): Promise<void> => {
      for await (const _ of files.list()) assert.fail('nothing is there');
    };
    for (const work of [() => files.put(SHA256, BYTES), () => files.read(SHA256), () => files.size(SHA256), list])
      await assert.rejects(work, {
        kind: 'refused',
        message: /it answers 200, but not as S3 does; check the endpoint$/,
      });
  });
});

describe('a bucket', () => {
  it('in another region is found there, and that is said once', async t => {
    const { server, files, said, place } = await start(t);
    server.region = 'eu-central-1';
    await files.put(SHA256, BYTES);
    assert.equal(await files.size(SHA256), BYTES.length);
    assert.deepEqual(said, [
      `${place}: the bucket is in region eu-central-1, not us-east-1; that one is used (set it as AWS_REGION)`,
    ]);
    assert.equal(server.requests.length, 3);
  });

  it('whose server has another clock is asked with its time, and the difference is said', async t => {
    for (const [aheadSeconds, words] of [
      [3600, '1h behind'],
      [-7200, '2h ahead of'],
    ] as const) {
      const { server, files, said, place } = await start(t);
      server.aheadSeconds = aheadSeconds;
      await files.put(SHA256, BYTES);
      await files.read(SHA256);
      assert.deepEqual(said, [
        `${place}: the clock of this machine is ${words} the server's; requests are signed with the server's time`,
      ]);
      assert.equal(server.requests.length, 3);
    }
  });

  it('whose server calls every clock wrong is not asked forever', async t => {
    const { server, files } = await start(t);
    server.fault = () => ({ status: 403, code: 'RequestTimeTooSkewed', message: 'too large' });
    await assert.rejects(files.read(SHA256), {
      kind: 'refused',
      message: /RequestTimeTooSkewed: too large; the clock/,
    });
    assert.ok(server.requests.length <= 2);
  });

  it('with an object that was cut short gets it again', async t => {
    const { server, files } = await start(t);
    await files.put(SHA256, BYTES);
    const [key = ''] = server.objects.keys();
    server.objects.set(key, BYTES.subarray(0, 3));
    await files.put(SHA256, BYTES);
    assert.equal(decodeText(server.objects.get(key) ?? new Uint8Array()), 'a profile');
  });

  it('asks for encryption if that is wanted', async t => {
    const { server } = await start(t);
    const url = `s3://${server.bucket}/p?endpoint=${server.url}&encryption=aws:kms&kms-key=key-1`;
    await bucketAt(url).put(SHA256, BYTES);
    const [headers] = server.headers;
    assert.equal(headers['x-amz-server-side-encryption'], 'aws:kms');
    assert.equal(headers['x-amz-server-side-encryption-aws-kms-key-id'], 'key-1');
  });

  it('has an object that its listing does not show', async t => {
    const { server, files } = await start(t);
    await files.put(SHA256, BYTES);
    for (const key of server.objects.keys()) server.unlisted.add(key);
    assert.equal(await files.size(SHA256), BYTES.length);
    assert.ok(await files.read(SHA256));
    await files.put(SHA256, BYTES);
  });
});

describe('credentials', () => {
  const folder = (t: TestContext): string => {
    const path = mkdtempSync(join(tmpdir(), 'oakum-s3-keys-'));
    t.after(() => rmSync(path, { recursive: true, force: true }));
    return path;
  };
  const profile = (name: string, secret: string): string =>
    `# a comment\n[other]\naws_access_key_id = X\n[${name}]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key=${secret}\n`;

  it('come from a file, and again from it when the server does not accept them', async t => {
    const path = join(folder(t), 'credentials');
    writeFileSync(path, profile('default', 'outdated'));
    const { server, files } = await start(t, { AWS_SHARED_CREDENTIALS_FILE: path });
    server.fault = asked => (writeFileSync(path, profile('default', 'secret/example+key')), void asked);
    await files.put(SHA256, BYTES);
    assert.equal(server.requests.length, 2);
  });

  it('come from the profile that was chosen, and what it lacks is said', async t => {
    const path = join(folder(t), 'credentials');
    writeFileSync(path, profile('prod', 'secret/example+key'));
    const { files } = await start(t, { AWS_SHARED_CREDENTIALS_FILE: path, AWS_PROFILE: 'prod' });
    await files.put(SHA256, BYTES);
    const { files: none } = await start(t, { AWS_SHARED_CREDENTIALS_FILE: path });
    await assert.rejects(none.read(SHA256), { message: /has no profile default; set AWS_PROFILE to one it has$/ });
    const { files: half } = await start(t, { AWS_SHARED_CREDENTIALS_FILE: path, AWS_PROFILE: 'other' });
    await assert.rejects(half.read(SHA256), {
      message: /profile other of .* has no aws_access_key_id and aws_secret_/,
    });
    const { files: absent } = await start(t, {});
    await assert.rejects(absent.read(SHA256), {
      message: /there are no credentials for S3: set AWS_ACCESS_KEY_ID and /,
    });
  });

  it('that are wrong are told apart, and never printed', async t => {
    const secret = 'not-the-secret';
    const wrong = await start(t, { ...EXAMPLE_KEYS, AWS_SECRET_ACCESS_KEY: secret });
    await assert.rejects(wrong.files.read(SHA256), ({ message }: Error) => {
      assert.match(message, /SignatureDoesNotMatch: .*; check the credentials: the secret key does not belong to/);
      assert.ok(!message.includes(secret) && !message.includes('AKIDEXAMPLE'));
      return true;
    });
    const unknown = await start(t, { ...EXAMPLE_KEYS, AWS_ACCESS_KEY_ID: 'AKIDOTHER' });
    await assert.rejects(unknown.files.read(SHA256), {
      message: /InvalidAccessKeyId: .*does not know this access key$/,
    });
    const expired = await start(t, { ...EXAMPLE_KEYS, AWS_SESSION_TOKEN: 'old' });
    await assert.rejects(expired.files.read(SHA256), {
      message: /ExpiredToken: .*; renew the credentials: they have exp/,
    });
  });

  it('with a session token sign with it', async t => {
    const { server, files } = await start(t, { ...EXAMPLE_KEYS, AWS_SESSION_TOKEN: 'session' });
    server.keys.set('AKIDEXAMPLE', { secret: 'secret/example+key', token: 'session' });
    await files.put(SHA256, BYTES);
    assert.equal(server.headers[0]['x-amz-security-token'], 'session');
  });

  it('of a service account come from STS, before they end and when they are refused', async t => {
    const path = join(folder(t), 'token');
    writeFileSync(path, 'jwt-1\n');
    const env: Record<string, string> = {
      AWS_ROLE_ARN: 'arn:aws:iam::1:role/oakum',
      AWS_WEB_IDENTITY_TOKEN_FILE: path,
    };
    let now = Date.now() / 1000;
    const clock = { now: () => now, sleep: async () => {} };
    const { server, files } = await start(t, env, { clock });
    env['AWS_ENDPOINT_URL_STS'] = server.url;
    server.keys.set('ASIA1', { secret: 'one', token: 'session-1' });
    server.webTokens.set('jwt-1', { accessKeyId: 'ASIA1', seconds: 3600 });
    const asked = (): number => server.requests.filter(request => request.startsWith('POST')).length;
    await files.put(SHA256, BYTES);
    await files.read(SHA256);
    assert.equal(asked(), 1);
    // Five minutes before their end, new ones are asked for with the token that the kubelet has replaced.
    writeFileSync(path, 'jwt-2\n');
    server.webTokens.set('jwt-2', { accessKeyId: 'ASIA2', seconds: 7200 });
    server.keys.set('ASIA2', { secret: 'two', token: 'session-2' });
    now += 3400;
    server.aheadSeconds = 3400;
    await files.read(SHA256);
    assert.equal(asked(), 2);
    assert.equal(server.headers.at(-1)?.['x-amz-security-token'], 'session-2');
    // Revoked.
    server.keys.set('ASIA2', { secret: 'two', token: 'session-3' });
    await files.read(SHA256);
    assert.equal(asked(), 3);
    server.webTokens.clear();
    server.keys.clear();
    await assert.rejects(files.read(SHA256), {
      kind: 'refused',
      message: /no credentials for the role of AWS_ROLE_ARN: .* answers 400 InvalidIdentityToken: Token is not valid$/,
    });
  });
});

describe('the memory that objects take', () => {
  it('is bounded: four are read at once, and the others wait', async t => {
    let [inFlight, most] = [0, 0];
    const sender = httpSender({});
    const send: SendRequest = async (...request) => {
      most = Math.max(most, ++inFlight);
      try {
        return await sender(...request);
      } finally {
        inFlight--;
      }
    };
    const { files } = await start(t, EXAMPLE_KEYS, { send });
    await files.put(SHA256, BYTES);
    const read = await Promise.all(Array.from({ length: 30 }, () => files.read(SHA256)));
    assert.ok(read.every(bytes => bytes?.length === BYTES.length));
    assert.equal(most, 4);
  });

  it('is bounded: what is too large is not sent', async t => {
    const { server, files, place } = await start(t);
    // Its pages are not there until somebody looks at them.
    const large = new Uint8Array(2 ** 28 + 1);
    await assert.rejects(files.put(SHA256, large), {
      kind: 'refused',
      message: `${place}: a file of 256 MiB is too large; up to 256 MiB are kept there`,
    });
    assert.deepEqual(server.requests, []);
  });
});
