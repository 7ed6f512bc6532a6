/**
 * One sentence and a next step for everything that may come back instead of the expected answer. The texts of kubelets
 * and API servers come from real ones; the tests use the recordings.
 */
import { type Explanation, type RequestContext, nameOf } from './explanation.ts';
import type { Answer, Reply } from '../reply.ts';
import { explainNoAnswer } from './explain-no-answer.ts';
import { explainStatus } from './explain-status.ts';

/** Undefined when all is well. */
export function explain(reply: Reply, request: RequestContext): Explanation | undefined {
  if (reply.kind !== 'answer') return explainNoAnswer(reply, request);
  if (reply.status !== 200 && reply.status !== 201) return explainStatus(reply, request);
  return explainCut(reply, request);
}

function explainCut(answer: Answer, request: RequestContext): Explanation | undefined {
  const { cut, body, streamedBytes = 0, tookSeconds } = answer;
  if (cut === undefined) return undefined;
  const size = body.length + streamedBytes;
  const got = `${size} bytes of ${request.path} in ${tookSeconds.toFixed(1)} s`;
  switch (cut.why) {
    case 'deadline':
      return {
        kind: 'cut',
        sentence: `the answer was too slow: ${got} before the deadline`,
        nextStep: 'raise --request-timeout, or try again when the target is less busy',
        passing: true,
      };
    case 'connection':
      return {
        kind: 'cut',
        sentence: `the connection broke during the answer: ${got}`,
        nextStep: `check whether ${nameOf(request)} was restarted or killed just then, and run the same command again`,
        passing: true,
      };
    case 'too-large':
      return {
        kind: 'too-large',
        sentence: `the answer is larger than the cap: only the first ${size} bytes of ${request.path} were read`,
        nextStep: 'raise --max-bytes if there is room for more',
        passing: false,
      };
    case 'stopped':
      return {
        kind: 'stopped',
        sentence: `stopped after ${got}`,
        nextStep: 'run the same command again',
        passing: true,
      };
  }
}
