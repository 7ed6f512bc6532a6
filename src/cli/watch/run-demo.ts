/** The demo: a recorded cluster played into a watch that keeps nothing. */
import { memoryStore } from '../../watch/io/memory-store.ts';
import { pacedClock } from '../../live/io/paced-clock.ts';
import { embeddedFiles } from '../../watch/server/embedded-files.ts';
import { openRecordedCluster } from '../../watch/io/recorded-cluster.ts';
import { formatAge } from '../../base/quantities.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { createWatch } from '../../watch/create-watch.ts';
import { DEMO_LIMIT_BYTES, DEMO_PACE, DEMO_TIME_SCALE, demoOptions, playDemo } from '../../watch/feeds/demo.ts';
import { DEMO_FOLDER, packageVersion } from '../terminal/package-files.ts';
import { startBackground } from './background-client.ts';
import { ownProcess } from './own-process.ts';
import type { StartedWatch } from './watch-request.ts';
import { watchPorts } from './watch-ports.ts';

export async function startDemo(
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
    farewell: url => invitation(url, watch.status().story.at(-1)?.incidentId ?? null),
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
