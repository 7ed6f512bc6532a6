/** A watch from its request to its end: what it watches, where it remembers, where it is looked at. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { encodeText } from '../../base/text.ts';
import { visible } from '../../base/visible-text.ts';
import type { Watch } from '../../engine/watch/create-watch.ts';
import type { TargetRef } from '../../model/target.ts';
import type { ListenAddress } from '../../server/listen-address.ts';
import { startServer } from '../../server/start.ts';
import { WEB_FOLDER } from '../../server/web-files.ts';
import type { LeastGrowth } from '../options/detector.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { stopSignal } from '../terminal/stop-signal.ts';
import type { TargetOptions } from '../options/connection.ts';
import { startDemo } from './run-demo.ts';
import { startLive } from './run-live.ts';

export interface WatchRequest {
  readonly options: TargetOptions;
  readonly targets: readonly TargetRef[];
  readonly listen: ListenAddress;
  readonly listenTokenFile: string;
  readonly data: string;
  readonly retentionSeconds: number | undefined;
  readonly setDamagedAside: boolean;
  readonly intervalSeconds: number | undefined;
  readonly config: string;
  readonly nodes: boolean;
  readonly capture: boolean;
  readonly prometheus: string;
  readonly prometheusTokenFile: string;
  readonly selector: string;
  readonly detector: {
    readonly memoryLimitBytes: number | undefined;
    readonly leastGrowth: LeastGrowth;
    readonly timeScale: number;
  };
  readonly demo: boolean;
  readonly pace: number | undefined;
}

/** A watch that was started, and what feeds it. */
export interface StartedWatch {
  readonly watch: Watch;
  /** Ends with the signal. */
  readonly feed: Promise<void>;
  /** Lines for the terminal, before the address. */
  readonly introduction: readonly string[];
}

export async function runWatch(request: WatchRequest, io: Io): Promise<number> {
  const log = (line: string): void => io.stderr.write(`${visible(line)}\n`);
  const stop = stopSignal();
  let started: StartedWatch | undefined;
  try {
    const token =
      request.listenTokenFile === ''
        ? undefined
        : (await readFile(resolve(io.cwd, request.listenTokenFile), 'utf8')).trim();
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
      const lines = [...begun.introduction, '', ...whereToLook(server.url, request.listenTokenFile), 'Ctrl-C ends it.'];
      // As bytes, which are not held back until the end.
      io.stdout.write(encodeText(`${lines.map(visible).join('\n')}\n`));
      await Promise.all([begun.feed, aborted(stop.signal)]);
    } finally {
      await server.stop();
    }
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, io);
  } finally {
    // What feeds it was begun before there was a server: it must end also where there is none.
    stop.stop();
    await Promise.allSettled([started?.feed]);
    await started?.watch.stop();
  }
}

/** The token itself is never printed: terminals keep what they showed, and logs keep it for all to read. */
export function whereToLook(url: string, tokenFile: string): string[] {
  if (tokenFile === '') return [`  ${url}`, ''];
  return [
    `  ${url}`,
    '',
    `Each browser logs in once at ${url}/login?token=TOKEN, with what is in ${tokenFile} for TOKEN.`,
  ];
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
}
