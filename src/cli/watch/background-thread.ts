/** The long work of watch, in a thread of its own. Started by background-client.ts. */
import { workerData } from 'node:worker_threads';
import { digestsFor } from '../../adapters/archive/digests.ts';
import { DEFAULT_ARCHIVE_LIMITS, tarGzArchive } from '../../adapters/archive/tar-gz.ts';
import { serveCalls } from '../../adapters/threads/serve-calls.ts';
import { inProcessBackground } from '../../engine/watch/background.ts';
import type { BackgroundSettings } from './background-client.ts';

const { timeScale, limitBytesByTarget, limitBytes, catalogue, oakumVersion } = workerData as BackgroundSettings;

serveCalls({
  ...inProcessBackground({
    detector: { timeScale, memoryLimitBytes: target => limitBytesByTarget[target] ?? limitBytes },
    catalogue,
    oakumVersion,
    ports: () => ({ archive: tarGzArchive(DEFAULT_ARCHIVE_LIMITS), digests: digestsFor(undefined) }),
  }),
});
