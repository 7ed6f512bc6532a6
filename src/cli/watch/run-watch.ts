/** A watch from its request to its end: starts it, serves it, and stops it on Ctrl-C. */
import { resolve } from 'node:path';
import { encodeText } from '../../base/text.ts';
import { visible } from '../../base/visible-text.ts';
import { startServer } from '../../server/start.ts';
import { WEB_FOLDER } from '../../server/web-files.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { readBoundedText } from '../connect/read-bounded-file.ts';
import { reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { stopSignal } from '../terminal/stop-signal.ts';
import { startDemo } from './run-demo.ts';
import { startLive } from './run-live.ts';
import type { StartedWatch, WatchRequest } from './watch-request.ts';

const MAX_TOKEN_BYTES = 64 * 1024;

export async function runWatch(request: WatchRequest, io: Io): Promise<number> {
  const log = (line: string): void => io.stderr.write(`${visible(line)}\n`);
  const stop = stopSignal();
  let started: StartedWatch | undefined;
  try {
    const token = request.listenTokenFile === '' ? undefined : await readToken(request.listenTokenFile, io);
    const begun = request.demo
      ? await startDemo(request.pace, stop.signal, log)
      : await startLive(request, io, stop.signal, log);
    if (typeof begun === 'number') return begun;
    started = begun;
    const server = await startServer({
      service: begun.watch,
      ...request.listen,
      ...(token === undefined ? {} : { token }),
      webFolder: WEB_FOLDER,
      log,
    });
    try {
      const lines = [
        ...begun.introduction,
        '',
        ...whereToLook(server.url, request.listenTokenFile),
        'Ctrl-C stops it.',
      ];
      // Bytes are written at once; text is buffered until the end.
      io.stdout.write(encodeText(`${lines.map(visible).join('\n')}\n`));
      await Promise.all([begun.feed, aborted(stop.signal)]);
    } finally {
      await server.stop();
    }
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, io);
  } finally {
    // The feed started before the server did: it must end even if there is no server.
    stop.stop();
    await Promise.allSettled([started?.feed]);
    await started?.watch.stop();
  }
}

async function readToken(path: string, io: Io): Promise<string> {
  return (await readBoundedText(resolve(io.cwd, path), MAX_TOKEN_BYTES, path)).trim();
}

/** The token itself is never printed: terminals and logs keep what they show. */
export function whereToLook(url: string, tokenFile: string): string[] {
  if (tokenFile === '') return [`  ${url}`, ''];
  return [
    `  ${url}`,
    '',
    `Each browser logs in once at ${url}/login?token=TOKEN, where TOKEN is the content of ${tokenFile}.`,
  ];
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}
