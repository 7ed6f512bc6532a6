/**
 * The server that is measured, in a process of its own: `serve.ts COUNT`. It tells its address when it is ready, and
 * answers questions of its parent.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startServer } from '../../src/watch/server/start.ts';
import { builtUi } from '../../test/browser/ui-server.ts';
import { planRoutes } from '../../src/act/io/plan-routes.ts';
import { madeWatch } from './made-watch.ts';

export interface ServerUse {
  readonly cpuMs: number;
  /** The longest time that the event loop was blocked since the last question. */
  readonly blockedMs: number;
  readonly heapBytes: number;
  readonly bufferBytes: number;
}

export type Question = 'use' | 'memory' | 'judge';

const count = Number(process.argv[2]);
const empty = memory();
const { watch, judge } = await madeWatch(count);
const { url } = await startServer({
  service: watch,
  more: planRoutes({ service: watch }),
  host: 'localhost',
  port: 0,
  webFolder: await builtUi(),
  log: line => void process.stderr.write(`${line}\n`),
});
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

process.on('message', async (question: Question) => {
  if (question === 'judge') await judge();
  const { heapBytes, bufferBytes } = question === 'memory' ? memory() : empty;
  const { user, system } = process.cpuUsage();
  const use: ServerUse = {
    cpuMs: (user + system) / 1000,
    blockedMs: delay.max / 1e6,
    heapBytes: heapBytes - empty.heapBytes,
    bufferBytes: bufferBytes - empty.bufferBytes,
  };
  delay.reset();
  process.send?.(use);
});
process.on('disconnect', () => process.exit());
process.send?.(url);

function memory(): Pick<ServerUse, 'heapBytes' | 'bufferBytes'> {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { heapBytes: heapUsed, bufferBytes: arrayBuffers };
}
