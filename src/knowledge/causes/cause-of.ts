/**
 * Which cause a family has. Causes are tried from the most to the least specific:
 *
 *     the runtime -> a system call that hangs -> parts of Kubernetes -> client-go -> connections -> loops -> channels
 */
import { CADVISOR } from './cadvisor.ts';
import type { CauseRecord, FamilyEvidence, Cause } from './cause-record.ts';
import { shows, stackNames } from './cause-record.ts';
import { CLIENT_TRANSPORT } from './client-transport.ts';
import { CONTAINER_RUNTIME } from './container-runtime.ts';
import { CONTEXTS } from './contexts.ts';
import { CONTROL_PLANE } from './control-plane.ts';
import { FILE_SYSTEMS } from './file-systems.ts';
import { GO_BLOCKING } from './go-blocking.ts';
import { GO_CLIENTS } from './go-clients.ts';
import { GO_NETWORK } from './go-network.ts';
import { HELD_OBJECTS } from './held-objects.ts';
import { INFORMERS } from './informers.ts';
import { METRICS_AND_TRACING } from './metrics-and-tracing.ts';
import { NODE_SERVICES } from './node-services.ts';
import { POD_WORKERS } from './pod-workers.ts';
import { PROBE_CAUSES } from './probes.ts';
import { GO_RUNTIME, STANDING_LOOPS } from './singletons.ts';
import { STREAMING } from './streaming.ts';
import { VOLUMES } from './volumes.ts';

export const CAUSES: readonly CauseRecord[] = [
  ...GO_RUNTIME,
  ...CONTEXTS,
  ...FILE_SYSTEMS,
  ...NODE_SERVICES,
  ...PROBE_CAUSES,
  ...STREAMING,
  ...POD_WORKERS,
  ...VOLUMES,
  ...CONTAINER_RUNTIME,
  ...CADVISOR,
  ...METRICS_AND_TRACING,
  ...INFORMERS,
  ...CLIENT_TRANSPORT,
  ...CONTROL_PLANE,
  ...GO_CLIENTS,
  ...GO_NETWORK,
  ...STANDING_LOOPS,
  ...GO_BLOCKING,
  ...HELD_OBJECTS,
];

/** The causes by id, as they appear in an analysis. */
const PLAIN: ReadonlyMap<string, Cause> = new Map(CAUSES.map(record => [record.id, plain(record)]));

export function causeOf(family: FamilyEvidence): Cause | undefined {
  const record = recordOf(family);
  return record === undefined ? undefined : PLAIN.get(record.id);
}

export function isTiedToPods(family: FamilyEvidence): boolean {
  return recordOf(family)?.isTiedToPods === true;
}

function recordOf(family: FamilyEvidence): CauseRecord | undefined {
  const names = stackNames(family);
  return CAUSES.find(cause => cause.kind === family.kind && cause.signs.some(sign => shows(names, sign)));
}

export function causeById(id: string): Cause | undefined {
  return PLAIN.get(id);
}

function plain({ id, title, meaning, check, act, avoid, benign }: CauseRecord): Cause {
  return { id, title, meaning, check, act, avoid, benign };
}
