/** The long work of watch, in a thread of its own. Started by background-client.ts. */
import { workerData } from 'node:worker_threads';
import { digestsFor } from '../../adapters/archive/digests.ts';
import { DEFAULT_ARCHIVE_LIMITS, tarGzArchive } from '../../adapters/archive/tar-gz.ts';
import { serveCalls } from '../../adapters/threads/serve-calls.ts';
import { inProcessBackground } from '../../engine/watch/background.ts';
import { SELF } from '../../engine/watch/watched-target.ts';
import type { BackgroundSettings } from './background-client.ts';

const { timeScale, leastGrowth, limitBytesByTarget, limitBytes, catalogue, oakumVersion } =
  workerData as BackgroundSettings;

serveCalls({
  ...inProcessBackground({
    detector: {
      timeScale,
      leastGrowth,
      memoryLimitBytes: target => (target === SELF ? undefined : (limitBytesByTarget[target] ?? limitBytes)),
    },
    catalogue,
    oakumVersion,
    ports: () => ({ archive: tarGzArchive(DEFAULT_ARCHIVE_LIMITS), digests: digestsFor(undefined) }),
  }),
});
