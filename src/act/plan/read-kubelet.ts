/** One scrape of a kubelet: what a plan compares with afterwards. */
import { forEachSample } from '../../evidence/formats/exposition/for-each-sample.ts';
import { readExposition } from '../../evidence/formats/exposition/read.ts';
import { factsOfMetrics } from '../../evidence/scrape-facts.ts';
import type { KubeletFacts } from './cluster-facts.ts';
import type { TargetConnection } from '../../live/target-connection.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const CERTIFICATE = 'kubelet_certificate_manager_client_ttl_seconds';
const PODS = 'kubelet_running_pods';

/** A sentence if the metrics cannot be read. */
export async function readKubelet(
  connection: TargetConnection,
  deadlineSeconds: number,
): Promise<KubeletFacts | string> {
  const reply = await connection.get('/metrics', { deadlineSeconds, maxBytes: MAX_BYTES });
  if (reply.kind !== 'answer') return reply.message;
  if (reply.status !== 200) return `status ${reply.status}`;
  const facts = factsOfMetrics(reply.body);
  const values = new Map<string, number>();
  const read = readExposition(reply.body, { select: name => name === CERTIFICATE || name === PODS });
  forEachSample(read, ({ name }, value) => void values.set(name, value));
  const certificate = values.get(CERTIFICATE);
  return {
    processStartSeconds: facts.startTimeSeconds ?? null,
    residentBytes: facts.residentBytes ?? null,
    liveHeapBytes: facts.liveHeapBytes ?? facts.heapBytes ?? null,
    goroutines: facts.goroutines ?? null,
    pods: values.get(PODS) ?? null,
    // +Inf where certificates are not rotated.
    certificateSeconds: certificate === undefined || !Number.isFinite(certificate) ? null : certificate,
  };
}
