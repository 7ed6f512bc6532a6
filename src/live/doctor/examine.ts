/** Examines one target. */
import type { DoctorReport, EndpointCheck, NodeCensus, ProcessFacts } from './doctor.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { ClusterConnection, RequestLimits, TargetConnection } from '../target-connection.ts';
import type { Answer } from '../reply.ts';
import { factsOfMetrics } from '../../evidence/scrape-facts.ts';
import { reviewRights, reviewSelf, rightsFor } from './access-review.ts';
import { checkPrometheus, NEEDED_SERIES } from './check-prometheus.ts';
import { findDangers } from './dangers.ts';
import { probeEndpoints } from './probe-endpoints.ts';
import { provable } from '../replies/provable.ts';

export interface Examination {
  readonly ref: TargetRef;
  readonly connection: TargetConnection;
  readonly cluster: ClusterConnection | undefined;
  readonly prometheus: TargetConnection | undefined;
  readonly nodes: NodeCensus | undefined;
  readonly isInsecure: boolean;
  readonly requestTimeoutSeconds: number;
  readonly connect: (url: string) => TargetConnection;
}

/** An answer comes sooner than a profile is made. */
const MAX_DEADLINE_SECONDS = 15;
const METRICS_BYTES = 256 * 1024 * 1024;

export async function examine(input: Examination): Promise<DoctorReport> {
  const { ref, connection, cluster } = input;
  const deadlineSeconds = Math.min(input.requestTimeoutSeconds, MAX_DEADLINE_SECONDS);
  const limits: RequestLimits = { deadlineSeconds, maxBytes: METRICS_BYTES };
  const user = cluster === undefined ? undefined : await reviewSelf(cluster, limits);
  const rights = cluster === undefined ? [] : await reviewRights(rightsFor(ref, cluster.namespace), cluster, limits);
  const { endpoints, metrics } = await probeEndpoints(connection, ref.kind, limits);
  const process = metrics === undefined ? undefined : processFacts(metrics, ref);
  const node = ref.kind === 'node' ? ref.name : undefined;
  const prometheus = input.prometheus === undefined ? undefined : await checkPrometheus(input.prometheus, node, limits);
  return {
    schema: 'oakum.doctor/v1',
    target: connection.target,
    via: connection.via,
    address: connection.address,
    context: cluster?.context,
    user,
    nodes: input.nodes,
    rights,
    endpoints,
    process,
    prometheus,
    ...provable({ kind: ref.kind, endpoints, process, prometheus }),
    dangers: await findDangers({ ...input, rights, openPath: askablePath(endpoints) }),
  };
}

/** For a profile, with a request that costs nothing. */
function askablePath(endpoints: readonly EndpointCheck[]): string | undefined {
  const path = endpoints.find(one => one.answers === 'yes' && one.path !== '/healthz')?.path;
  return path?.startsWith('/debug/pprof/') === true ? `${path}?seconds=0` : path;
}

function processFacts({ body, dateSeconds, headAtSeconds }: Answer, ref: TargetRef): ProcessFacts {
  const facts = factsOfMetrics(body);
  // The process's start time is by the same clock.
  const now = dateSeconds ?? headAtSeconds;
  const wanted = NEEDED_SERIES.filter(name => ref.kind === 'node' || !name.startsWith('kube'));
  return {
    version: facts.version,
    goVersion: facts.goVersion,
    upSeconds: facts.startTimeSeconds === undefined ? undefined : Math.max(0, now - facts.startTimeSeconds),
    goroutines: facts.goroutines,
    residentBytes: facts.residentBytes,
    cgroupVersion: facts.cgroupVersion,
    seriesCount: facts.seriesCount,
    featuresOn: facts.featuresOn,
    missingSeries: wanted.filter(name => !facts.names.has(name)),
  };
}
