/** A watch from its request to its end: starts it, serves it, and stops it on Ctrl-C. */
import { resolve } from 'node:path';
import { encodeText } from '../../base/text.ts';
import { visible } from '../../base/visible-text.ts';
import { readActionTokens, type ActionTokens } from '../../act/server/action-tokens.ts';
import { startServer } from '../../watch/server/start.ts';
import { WEB_FOLDER } from '../terminal/package-files.ts';
import { planRoutes } from '../../act/server/plan-routes.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { readBoundedText } from '../../evidence/io/read-bounded-file.ts';
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
    const actionTokens = await readActions(request, token, io);
    const begun = request.demo
      ? await startDemo(request.pace, stop.signal, log)
      : await startLive(request, io, stop.signal, log);
    if (typeof begun === 'number') return begun;
    started = begun;
    const joined = await begun.join?.();
    const server = await startServer({
      service: begun.watch,
      notifier: begun.notifier,
      more: planRoutes({ service: begun.watch, plans: begun.plans, actionTokens }),
      ...request.listen,
      ...(token === undefined ? {} : { token }),
      webFolder: WEB_FOLDER,
      log,
    });
    try {
      const lines = [
        ...begun.introduction,
        ...(joined === undefined ? [] : [joined]),
        '',
        ...whereToLook(server.url, request.listenTokenFile),
        'Ctrl-C stops it.',
      ];
      // Bytes are written at once; text is buffered until the end.
      const print = (printed: readonly string[]): void =>
        io.stdout.write(encodeText(`${printed.map(visible).join('\n')}\n`));
      print(lines);
      const fed = begun.feed.then(() => {
        if (begun.farewell !== undefined && !stop.signal.aborted) print(begun.farewell(server.url));
      });
      await Promise.all([fed, aborted(stop.signal)]);
    } finally {
      await server.stop();
    }
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, io);
  } finally {
    // The feed started before the server did: it must end even if there is no server.
    stop.stop();
    await started?.plans?.stop();
    await Promise.allSettled([started?.feed]);
    await started?.watch.stop();
    await started?.leave?.();
  }
}

/** Read before anything is started: who may act is never left open. */
async function readActions(
  { actions }: WatchRequest,
  listenToken: string | undefined,
  io: Io,
): Promise<ActionTokens | undefined> {
  if (!actions.isAllowed) return undefined;
  const { tokenFile } = actions;
  const text = await readBoundedText(resolve(io.cwd, tokenFile), MAX_TOKEN_BYTES, tokenFile);
  return readActionTokens(text, tokenFile, listenToken);
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
