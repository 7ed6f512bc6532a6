import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Reply } from '../../model/reply.ts';
import { credentialFiles } from '../files/credential-files.ts';
import { httpSender } from '../http/send-request.ts';
import { openPrometheus, type PrometheusOptions } from './metrics-history.ts';

const LIMITS = { deadlineSeconds: 5, maxBytes: 1000 };
const folder = mkdtempSync(join(tmpdir(), 'oakum-prometheus-'));
let server: Server;
let asked: Pick<IncomingMessage, 'url' | 'headers'>;

before(async () => {
  server = createServer((request, response) => {
    asked = request;
    response.end('x'.repeat(5000));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  writeFileSync(join(folder, 'token'), 'secret\n');
  writeFileSync(join(folder, 'password'), 'pass word\n');
});
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(path = '', more: Partial<PrometheusOptions> = {}): ReturnType<typeof openPrometheus> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const none = { tokenFile: '', user: '', passwordFile: '', certificateAuthority: '', insecure: false };
  return openPrometheus({ url, ...none, ...more }, httpSender({}), credentialFiles(folder));
}

describe('the Prometheus API', () => {
  it('is asked as it documents, under whatever path it has', async () => {
    const request = { query: 'up{job="a b"}', fromSeconds: 10, toSeconds: 20, stepSeconds: 5 };
    await open('/thanos/').range(request, LIMITS);
    assert.equal(asked.url, '/thanos/api/v1/query_range?query=up%7Bjob%3D%22a+b%22%7D&start=10&end=20&step=5');
    await open('/api/v1/query?query=x').instant('up', LIMITS, 7);
    assert.equal(asked.url, '/api/v1/query?query=up&time=7');
    assert.equal(asked.headers.authorization, undefined);
  });

  it('is told who asks, by a token or a password of a file', async () => {
    await open('', { tokenFile: 'token' }).instant('up', LIMITS);
    assert.equal(asked.headers.authorization, 'Bearer secret');
    await open('', { user: 'me', passwordFile: 'password' }).instant('up', LIMITS);
    assert.equal(asked.headers.authorization, `Basic ${Buffer.from('me:pass word').toString('base64')}`);
    const reply: Reply = await open('', { tokenFile: 'absent' }).instant('up', LIMITS);
    assert.equal(reply.kind, 'credentials');
  });

  it('answers no more than was asked for', async () => {
    const reply = await open().instant('up', LIMITS);
    assert.ok(reply.kind === 'answer');
    assert.deepEqual([reply.body.length, reply.cut?.why], [1000, 'too-large']);
  });
});
