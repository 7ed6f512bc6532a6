/**
 * The pod that restarts a kubelet: created once under its name, watched until the restart is seen, and removed whatever
 * happens. Its kubelet is the one that is restarted, so its own exit code says little.
 */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { PodCall } from '../plan/plan-step.ts';
import { podFacts } from '../plan/pod-facts.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ActionRequest, ClusterActions, Outcome, PodIdentity } from '../../live/cluster-actions.ts';

export type PodMade =
  | { readonly kind: 'made'; readonly pod: PodIdentity; readonly existed: boolean }
  | { readonly kind: 'failed'; readonly outcome: Exclude<Outcome, { kind: 'done' }>; readonly what: string };

type Send = (request: ActionRequest) => Promise<Outcome>;

const DELETE_TRIES = 5;
const DELETE_PAUSE_SECONDS = 3;

/** `send` also writes the log. */
export async function makeRestartPod(call: PodCall, send: Send, actions: ClusterActions): Promise<PodMade> {
  const manifest = recordOf(call.manifest);
  const { namespace, name } = identityOf(manifest);
  const found = await send({ method: 'GET', path: `/api/v1/namespaces/${namespace}` });
  if (found.kind === 'refused' && found.status === 404) {
    const made = await send({ method: 'POST', path: '/api/v1/namespaces', body: call.namespace });
    const isThere = made.kind === 'refused' && made.status === 409;
    if (made.kind !== 'done' && !isThere)
      return { kind: 'failed', outcome: made, what: `the namespace ${namespace} could not be made` };
  }
  const created = await send({ method: 'POST', path: call.path, body: call.manifest });
  if (created.kind === 'done') return { kind: 'made', pod: { ...podFacts(created.value) }, existed: false };
  // An earlier run made it, or this request arrived although its answer did not.
  const mayExist = created.kind === 'lost' ? created.mayHaveHappened : created.reason === 'AlreadyExists';
  const existing = mayExist ? await actions.pod(namespace, name) : undefined;
  if (existing?.kind === 'done') return { kind: 'made', pod: { ...podFacts(existing.value) }, existed: true };
  return { kind: 'failed', outcome: created, what: `the pod ${namespace}/${name} could not be made` };
}

export function identityOf(manifest: JsonRecord): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = podFacts(manifest);
  return { namespace, name };
}

/** Why the pod will never do its work; undefined while it may. */
export function whyPodFails(pod: JsonRecord): string | undefined {
  const status = recordOf(pod['status']);
  const [container] = listOf(status['containerStatuses']).map(recordOf);
  const state = recordOf(container?.['state']);
  const ended = recordOf(state['terminated']);
  if (Number(ended['exitCode'] ?? 0) !== 0)
    return `its command ended with exit code ${Number(ended['exitCode'])}: ${textOf(ended['message']) || textOf(ended['reason'])}`;
  const waiting = textOf(recordOf(state['waiting'])['reason']);
  if (/^(?:ErrImageNeverPull|ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainerError)$/.test(waiting))
    return `its image cannot be used (${waiting})`;
  if (status['phase'] === 'Failed') return textOf(status['message']) || textOf(status['reason']) || 'it failed';
  return undefined;
}

/** False, with a reason, if it is still there. */
export async function removeRestartPod(
  actions: ClusterActions,
  clock: WatchClock,
  pod: PodIdentity,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const deleted = await actions.deletePod(pod);
    if (deleted.kind === 'done') return undefined;
    // It is gone, or another has its name.
    if (deleted.kind === 'refused' && (deleted.status === 404 || deleted.status === 409)) return undefined;
    if (attempt >= DELETE_TRIES || deleted.kind === 'refused') return deleted.message;
    await clock.sleep(DELETE_PAUSE_SECONDS, new AbortController().signal);
  }
}
