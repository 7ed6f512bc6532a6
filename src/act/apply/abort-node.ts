/**
 * Ends what a plan left on nodes, from the cluster alone: `oakum plan abort --node`, and an abort without the plan's log.
 *
 *     annotation oakum.dev/plan, cordoned-by   say which plan; only what is its own is undone
 *     the lock                                 kept by an apply that still runs: then nothing is done
 */
import { recordOf, textOf } from '../../base/json.ts';
import { APPLY_CONTROLLER, CORDONED_ANNOTATION, PLAN_ANNOTATION, STEP_ANNOTATION } from '../../evidence/plan-marks.ts';
import { formatAge } from '../../base/say.ts';
import { nodeState, podFacts } from '../plan/read-node.ts';
import { restartPodName } from '../plan/restart-pod.ts';
import { type ActPorts, stopFor } from './act-context.ts';
import { type LockOptions, takeLock } from './lease-lock.ts';
import type { Undone } from './undo.ts';

export interface NodeAbort {
  readonly nodes: readonly string[];
  /** Only this plan; null for whichever is there. */
  readonly planId: string | null;
  readonly lock: Pick<LockOptions, 'namespace' | 'name' | 'durationSeconds'>;
  readonly actor: string;
  readonly holder: string;
  readonly hasEnded: (holder: string) => boolean;
  readonly signal: AbortSignal;
}

export type NodesAborted =
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'undone'; readonly undone: readonly Undone[] };

interface Left {
  readonly node: string;
  readonly planId: string;
  readonly isCordoned: boolean;
  readonly version: string;
}

export async function abortOnNodes(request: NodeAbort, ports: ActPorts): Promise<NodesAborted> {
  const { actions, clock, say } = ports;
  const left: Left[] = [];
  for (const name of request.nodes) {
    const found = await actions.node(name);
    if (found.kind !== 'done') return { kind: 'refused', detail: `${name} cannot be read: ${found.message}` };
    const { isCordoned, annotations } = nodeState(found.value);
    const [plan, cordon] = [textOf(annotations[PLAN_ANNOTATION]), textOf(annotations[CORDONED_ANNOTATION])];
    const planId = plan || cordon;
    if (planId === '' || (request.planId !== null && planId !== request.planId)) continue;
    const version = textOf(recordOf(found.value['metadata'])['resourceVersion']);
    left.push({ node: name, planId, isCordoned: isCordoned && cordon === planId, version });
  }
  if (left.length === 0) return { kind: 'undone', undone: [] };
  const taken = await takeLock(actions, clock, {
    ...request.lock,
    holder: request.holder,
    hasEnded: request.hasEnded,
    signal: request.signal,
    onWait: (holder, seconds) =>
      say(`${holder} has not renewed the lock; taking it if it stays so for ${formatAge(seconds)}`),
  });
  if (taken.kind === 'held')
    return {
      kind: 'refused',
      detail: `${taken.holder} holds the lock and may be at work: stop it, or try again in a minute`,
    };
  if (taken.kind === 'failed') {
    const end = stopFor(taken.outcome, 'the lock cannot be taken');
    return { kind: 'refused', detail: end.detail };
  }
  taken.lock.keepRenewing();
  const undone: Undone[] = [];
  for (const one of left) undone.push(await undoOn(one, request, ports));
  await taken.lock.release();
  return { kind: 'undone', undone };
}

async function undoOn(left: Left, { actor, holder, lock }: NodeAbort, { actions, clock }: ActPorts): Promise<Undone> {
  const { node, planId, isCordoned, version } = left;
  const step = `${node}/${isCordoned ? 'cordon' : 'announce'}`;
  const marks = { [PLAN_ANNOTATION]: null, [CORDONED_ANNOTATION]: null, [STEP_ANNOTATION]: null };
  const patched = await actions.patchNode(node, {
    metadata: { annotations: marks, resourceVersion: version },
    ...(isCordoned ? { spec: { unschedulable: null } } : {}),
  });
  if (patched.kind !== 'done') return { step, outcome: 'failed', detail: patched.message };
  const pod = await actions.pod(lock.namespace, restartPodName(node, planId));
  const isOurs =
    pod.kind === 'done' && textOf(recordOf(recordOf(pod.value['metadata'])['annotations'])[PLAN_ANNOTATION]) === planId;
  const deleted = isOurs ? await actions.deletePod(podFacts(pod.value)) : undefined;
  const what = isCordoned ? `uncordoned, and the marks of ${planId} removed` : `the marks of ${planId} removed`;
  await actions.createEvent('default', {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { generateName: `${node.slice(0, 200)}.oakum-`, namespace: 'default' },
    eventTime: new Date(clock.now() * 1000).toISOString().replace('Z', '000Z'),
    reportingController: APPLY_CONTROLLER,
    reportingInstance: holder.slice(0, 128),
    action: 'Abort',
    reason: 'AbortSucceeded',
    regarding: { apiVersion: 'v1', kind: 'Node', name: node },
    note: `${planId}: ${what} (aborted by ${actor})`,
    type: 'Normal',
  });
  if (deleted !== undefined && deleted.kind !== 'done')
    return { step, outcome: 'failed', detail: `${what}, but its pod is still there: ${deleted.message}` };
  return { step, outcome: 'undone', detail: deleted === undefined ? what : `${what}, and its pod deleted` };
}
