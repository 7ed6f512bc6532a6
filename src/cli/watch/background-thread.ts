/** The long work of watch, in a thread of its own. Started by background-client.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { digestsFor } from '../../adapters/archive/digests.ts';
import { DEFAULT_ARCHIVE_LIMITS, tarGzArchive } from '../../adapters/archive/tar-gz.ts';
import { assert } from '../../base/assert.ts';
import { oneLine } from '../../base/text-layout.ts';
import { type Background, inProcessBackground } from '../../engine/watch/background.ts';
import type { ThreadAnswer, ThreadRequest, ThreadSettings } from './background-messages.ts';

const port = parentPort;
assert(port !== null, 'this file runs in a thread');
const { timeScale, limitBytesByTarget, limitBytes, catalogue, oakumVersion } = workerData as ThreadSettings;
const background = inProcessBackground({
  detector: { timeScale, memoryLimitBytes: target => limitBytesByTarget[target] ?? limitBytes },
  catalogue,
  oakumVersion,
  ports: () => ({ archive: tarGzArchive(DEFAULT_ARCHIVE_LIMITS), digests: digestsFor(undefined) }),
});

port.on('message', (request: ThreadRequest) => {
  if (request.kind === 'observe') background.observe(request.rows);
  else if (request.kind === 'reset') background.reset();
  else {
    const { id } = request;
    const answer = (message: ThreadAnswer): void => port.postMessage(message);
    work(background, request).then(
      result => answer({ id, result }),
      (error: Error) => answer({ id, error: oneLine(error.message) }),
    );
  }
});

function work(background: Background, request: Extract<ThreadRequest, { id: number }>): Promise<unknown> {
  switch (request.kind) {
    case 'settle':
      return background.settle();
    case 'evaluate':
      return background.evaluate(request.at);
    case 'analyze':
      return background.analyze(request.evidence);
    case 'bundle':
      return background.bundle(request.evidence);
    case 'report':
      return background.report(request.evidence, request.audience);
  }
}
