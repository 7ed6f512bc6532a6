/** Addresses that answer, but not as a Go process: nothing was observed, and every command says so. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-not-go-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const page: RequestListener = (_, response) => void response.end('<html>log in</html>');
const status =
  (code: number): RequestListener =>
  (_, response) =>
    void response.writeHead(code).end();
const otherMetrics: RequestListener = ({ url }, response) =>
  void (url === '/metrics'
    ? response.end('# TYPE node_load1 gauge\nnode_load1 0.3\n')
    : response.writeHead(404).end('404 page not found'));

const ADDRESSES: Readonly<Record<string, RequestListener>> = {
  'a login page': page,
  'nothing but 200': status(200),
  'no content': status(204),
  'nothing but 404': status(404),
  'nothing but 500': status(500),
};

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  capture: ['--gap', '0', '-o', 'evidence'],
  triage: ['--sets', '1', '--evidence', 'evidence'],
  'triage ': ['--metrics-only'],
  doctor: [],
};

async function outcome(
  command: string,
  listener: RequestListener,
): Promise<{ code: number; out: string; err: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const io = memoryIo({ cwd: folder });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const code = await run([command.trim(), url, ...(COMMANDS[command] ?? [])], io);
    return { code, out: io.out(), err: io.err() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

for (const [command, args] of Object.entries(COMMANDS)) {
  describe(`oakum ${command.trim()} ${args.join(' ')}`, () => {
    for (const [name, listener] of Object.entries(ADDRESSES)) {
      it(`could not observe ${name}`, async () => {
        const { code, err } = await outcome(command, listener);
        assert.equal(code, EXIT.couldNotObserve, err);
        assert.equal(existsSync(join(folder, 'evidence')), false, 'it leaves no folder');
      });
    }
  });
}

it('metrics of something else are not those of a Go process', async () => {
  const { code, err } = await outcome('triage ', otherMetrics);
  assert.equal(code, EXIT.couldNotObserve);
  assert.match(err, /the metrics have nothing about a Go process/);
});
