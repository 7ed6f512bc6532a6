/** Waits until a node is Ready again, by a report of the process that was started, and stays so. */
import { formatAge } from '../../base/quantities.ts';
import { type ActContext, type StepEnd, stop } from './act-context.ts';
import { nodeFacts } from './node-facts.ts';

const PAUSE_SECONDS = 2;
/** An API server that restarts is back by then. */
const SILENT_SECONDS = 45;

export interface ReadyWait {
  readonly node: string;
  readonly stableSeconds: number;
  readonly timeoutSeconds: number;
  /** Reports from before are those of the old process; undefined: any counts. */
  readonly sinceSeconds: number | undefined;
}

export async function waitReady(
  { actions, clock, signal }: Pick<ActContext, 'actions' | 'clock' | 'signal'>,
  { node, stableSeconds, timeoutSeconds, sinceSeconds }: ReadyWait,
): Promise<StepEnd> {
  const began = clock.now();
  let readySince: number | undefined;
  let why = '';
  let answeredAt = began;
  for (;;) {
    if (signal.aborted) return stop('interrupted', `stopped while waiting for ${node}`);
    const found = await actions.node(node);
    if (found.kind !== 'lost') answeredAt = clock.now();
    else if (clock.now() - answeredAt > SILENT_SECONDS)
      return stop('no-answer', `the API server does not answer: ${found.message}`);
    const facts = found.kind === 'done' ? nodeFacts(found.value) : undefined;
    const isFresh = sinceSeconds === undefined || (facts?.heartbeatSeconds ?? 0) >= Math.floor(sinceSeconds);
    const isReady = facts?.isReady === true && isFresh;
    if (isReady) readySince ??= clock.now();
    else readySince = undefined;
    why =
      found.kind !== 'done'
        ? found.message
        : facts?.isReady === true
          ? 'no report since the restart'
          : 'it is not Ready';
    if (readySince !== undefined && clock.now() - readySince >= stableSeconds)
      return { kind: 'done', detail: `${node} is Ready again after ${formatAge(readySince - began)}` };
    if (clock.now() - began > timeoutSeconds)
      return stop('failure', `${node} is not Ready ${formatAge(timeoutSeconds)} after the restart: ${why}`);
    await clock.sleep(PAUSE_SECONDS, signal);
  }
}
