/**
 * Notices as Kubernetes Events, for `kubectl describe node` and `kubectl get events`. Needs the right to create events
 * in events.k8s.io. The API server keeps them for an hour by default.
 */
import { hostname } from 'node:os';
import { clusterOf, parseTargetRef } from '../../evidence/target.ts';
import type { Notice, NoticeKind } from '../../store/notification.ts';
import type { NoticeDestination } from '../notify/destination.ts';
import type { ClusterConnection } from '../../live/ports.ts';
import { deliveryOf } from '../../live/reply.ts';

const CONTROLLER = 'oakum.dev/watch';
const MAX_NOTE_BYTES = 1000;
const LIMITS = { deadlineSeconds: 10, maxBytes: 256 * 1024, accept: 'application/json' };
const ALREADY_EXISTS = 409;

const REASONS: Readonly<Record<NoticeKind, string>> = {
  opened: 'LeakSuspected',
  proved: 'LeakProved',
  folded: 'LeakPartOfCohort',
  cleared: 'LeakCleared',
};

/** `clusterName`: where there are several. Each gets the notices of its own targets. */
export function eventDestination(
  { context, post }: Pick<ClusterConnection, 'context' | 'post'>,
  clusterName?: string,
): NoticeDestination {
  return {
    name: `events of ${clusterName ?? context}`,
    kind: 'kubernetes events',
    takes: ({ incident }) => clusterName === undefined || clusterOf(incident.target) === clusterName,
    async deliver(notice, signal) {
      const event = eventOf(notice);
      // About something that is no object, such as a cohort or an address.
      if (event === undefined) return { kind: 'delivered' };
      const path = `/apis/events.k8s.io/v1/namespaces/${event.metadata.namespace}/events`;
      const reply = await post(path, event, { ...LIMITS, signal });
      // It was taken before, and the answer was lost.
      if (reply.kind === 'answer' && reply.status === ALREADY_EXISTS) return { kind: 'delivered' };
      if (reply.kind === 'answer' && reply.status === 403)
        return { kind: 'refused', why: 'not permitted: grant create on events in the API group events.k8s.io' };
      return deliveryOf(reply);
    },
  };
}

interface KubeEvent {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
}

/** Undefined if it is about nothing that the API server knows. */
export function eventOf({ id, kind, at, incident }: Notice): KubeEvent | undefined {
  const ref = incident.isCohort ? 'a cohort' : parseTargetRef(incident.target);
  if (typeof ref === 'string' || (ref.kind !== 'node' && ref.kind !== 'pod')) return undefined;
  const namespace = ref.kind === 'pod' ? (ref.namespace ?? 'default') : 'default';
  const isLeak = incident.verdict === 'leak';
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `oakum-${ref.name}`.slice(0, 200).replace(/[-.]+$/, '') + `.${id}`, namespace },
    eventTime: new Date(at * 1000).toISOString().replace('Z', '000Z'),
    reportingController: CONTROLLER,
    reportingInstance: hostname().slice(0, 128) || 'oakum',
    action: 'Watch',
    reason: kind === 'opened' && isLeak ? REASONS.proved : REASONS[kind],
    // The kubelet's events name a node by its name in place of its uid, and so `kubectl describe node` finds them.
    regarding:
      ref.kind === 'node'
        ? { kind: 'Node', apiVersion: 'v1', name: ref.name, uid: ref.name }
        : { kind: 'Pod', apiVersion: 'v1', name: ref.name, namespace },
    note: shortened(`${incident.sentence} Incident ${incident.id}.`),
    type: kind === 'cleared' || kind === 'folded' ? 'Normal' : 'Warning',
  };
}

function shortened(text: string): string {
  let cut = text.slice(0, MAX_NOTE_BYTES);
  while (Buffer.byteLength(cut) > MAX_NOTE_BYTES) cut = cut.slice(0, -1);
  return cut;
}
