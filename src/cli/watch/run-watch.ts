/** A watch from its request to its end: starts it, serves it, and stops it on Ctrl-C. */
import { resolve } from 'node:path';
import { encodeText } from '../../base/text.ts';
import { visible } from '../../base/visible-text.ts';
import { readActionTokens, type ActionTokens } from '../../act/io/action-tokens.ts';
import { startServer } from '../../watch/server/start.ts';
import { WEB_FOLDER, DEMO_FOLDER, packageVersion } from '../package-files.ts';
import { planRoutes } from '../../act/io/plan-routes.ts';
import { readBoundedText } from '../../evidence/io/read-bounded-file.ts';
import { type Io, reportFailure, stopSignal } from '../io.ts';
import { startLive } from './run-live.ts';
import type { StartedWatch, WatchRequest } from './watch-request.ts';
import { memoryStore } from '../../watch/io/memory-store.ts';
import { pacedClock } from '../../live/io/clocks.ts';
import { embeddedFiles } from '../../watch/server/web-files.ts';
import { openRecordedCluster } from '../../watch/io/recorded-cluster.ts';
import { formatAge } from '../../base/say.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { createWatch } from '../../watch/create-watch.ts';
import { DEMO_LIMIT_BYTES, DEMO_PACE, DEMO_TIME_SCALE, demoOptions, playDemo } from '../../watch/sampling/demo.ts';
import { startBackground } from './background-client.ts';
import { ownProcess } from './own-process.ts';
import { watchPorts } from './watch-ports.ts';
import { EXIT } from '../../base/errors.ts';

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
        if (begun.closingLines !== undefined && !stop.signal.aborted) print(begun.closingLines(server.url));
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

/** The demo: a recorded cluster played into a watch that keeps nothing. */
async function startDemo(
  pace: number = DEMO_PACE,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<StartedWatch> {
  const embedded = embeddedFiles();
  const replay =
    embedded === undefined
      ? await openRecordedCluster(DEMO_FOLDER)
      : await openRecordedCluster('demo', async path => embedded.read(path.replaceAll('\\', '/')));
  const clock = pacedClock(replay.fromSeconds, replay.toSeconds, pace);
  const self = ownProcess();
  const options = demoOptions(replay, pace, packageVersion());
  const background = startBackground(
    {
      timeScale: DEMO_TIME_SCALE,
      leastGrowth: {},
      limitBytesByTarget: {},
      limitBytes: DEMO_LIMIT_BYTES,
      catalogue: BUNDLED_LEAKS,
      oakumVersion: options.oakumVersion,
    },
    why => {
      log(`the detector has died: ${why}`);
      process.kill(process.pid, 'SIGTERM');
    },
  );
  const ports = watchPorts({ store: memoryStore(), background, clock }, BUNDLED_LEAKS, log);
  const watch = createWatch(ports, options, () => self.read());
  await watch.start();
  const seconds = replay.toSeconds - replay.fromSeconds;
  return {
    watch,
    feed: playDemo(watch, replay, clock, signal),
    introduction: [
      `A demo: half an hour of a real Kubernetes 1.36 cluster, played ${pace} times faster: ${formatAge(seconds / pace)}.`,
      'What is found is printed here as it is found, at the time of the recording (UTC), and shown on the page.',
    ],
    closingLines: url => invitation(url, watch.status().story.at(-1)?.incidentId ?? null),
  };
}

/** What to do after the story, in the words of the page. */
function invitation(url: string, incidentId: string | null): string[] {
  return [
    '',
    ...(incidentId === null ? [] : [`The proof on one page:   ${url}/i/${incidentId}`]),
    'Your own cluster:        oakum watch --context NAME',
    'One node of it, now:     oakum triage node/NAME',
    'Files that you have:     oakum analyze FILE...',
  ];
}
