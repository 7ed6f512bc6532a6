import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TopFrame } from '../../live/top/top.ts';
import { type GoDaemon, startGoDaemon } from '../../../test/double/go-daemon.ts';
import { type MemoryIo, memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';
import { EXIT } from '../../base/errors.ts';

let daemon: GoDaemon;
before(async () => void (daemon = await startGoDaemon()));
after(() => daemon.close());

async function top(...args: string[]): Promise<{ code: number; io: MemoryIo }> {
  const io = memoryIo();
  return { code: await run(['top', ...args], io), io };
}

describe('oakum top', () => {
  it('prints one frame as text', async () => {
    const { code, io } = await top(daemon.url, '--once');
    assert.equal(code, EXIT.done, io.err());
    assert.match(io.out(), /28 goroutines {2}up \S+ {2}1 sample\n\n {4}COUNT AGES/);
    assert.match(io.out(), / {5}20 [@.:\-=+*#_]+ 12m +chan send +gc +main\.forward {2}A send/);
    assert.match(io.out(), / {5}20 +1 controller=gc\n/);
    assert.match(io.out(), /note: .*\/debug\/pprof\/heap/);
  });

  it('prints one frame as JSON, with changes after a while', async () => {
    const growing = setInterval(() => daemon.stuck++, 20);
    const { code, io } = await top(daemon.url, '-o', 'json', '--once', '--for', '2s', '--interval', '1s');
    clearInterval(growing);
    assert.equal(code, EXIT.done, io.err());
    const frame = JSON.parse(io.out()) as TopFrame;
    assert.equal(frame.schema, 'oakum.top/v1');
    assert.ok(frame.samples >= 2 && (frame.goroutines[0]?.perMinute ?? 0) > 0, io.out());
  });

  it('needs a terminal without --once', async () => {
    const { code, io } = await top(daemon.url);
    assert.equal(code, EXIT.usage);
    assert.equal(io.err(), 'oakum: top needs a terminal; --once prints one frame without one\n');
  });

  it('says why nothing answers', async () => {
    const { code, io } = await top('http://127.0.0.1:1', '--once');
    assert.equal(code, EXIT.couldNotObserve);
    assert.match(io.err(), /^oakum: http:\/\/127\.0\.0\.1:1 refuses the connection/);
  });
});
