/** `oakum plan limit`: prints the systemd drop-in that limits a kubelet. Changes nothing. */
import { gatherClusterFacts } from '../../act/plan/gather-facts.ts';
import { clusterName } from '../../evidence/target.ts';
import { limitAdvice, limitText } from '../../act/plan/limit.ts';
import { withLimit } from '../../act/plan/with-limit.ts';
import { openKube, optionsAt } from '../connect/open-target.ts';
import { type FindingsRequest, readFindings } from '../connect/read-findings.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { Io } from '../terminal/io.ts';
import { EXIT, Failure } from '../../base/errors.ts';

export interface PlanLimitRequest {
  readonly options: TargetOptions;
  /** Of several; undefined for that of the kubeconfig's context. */
  readonly cluster: string | undefined;
  readonly from: Pick<FindingsRequest, 'from' | 'fromTokenFile' | 'catalogue'>;
  readonly names: readonly string[];
  readonly bytes: number;
  readonly lockNamespace: string;
}

export async function planLimit(
  { options: given, cluster, from, names, bytes, lockNamespace }: PlanLimitRequest,
  io: Io,
): Promise<number> {
  const options = await optionsAt(cluster, given);
  const kube = await openKube(options);
  const watched = cluster ?? clusterName(kube.cluster.context);
  const findings = await readFindings({ ...from, options, names, cluster: watched }, io);
  const { facts } = await gatherClusterFacts(
    {
      cluster: kube.cluster,
      kubelet: async name => kube.target({ kind: 'node', name }),
      nowSeconds: Date.now() / 1000,
      deadlineSeconds: options.requestTimeoutSeconds,
    },
    {
      names,
      selector: null,
      narrows: false,
      drainFlags: { force: false, deleteEmptyDirData: false },
      drains: false,
      lockNamespace,
    },
  );
  const texts = names.map(name => {
    const node = facts.nodes.find(one => one.name === name);
    if (node === undefined) throw new Failure('not-found', `there is no node ${name}`);
    const kubelet = facts.kubelets.get(name);
    const found = findings.get(name);
    const finding = found === undefined ? undefined : withLimit(found, kubelet, node);
    const level = kubelet?.residentBytes ?? null;
    const slopePerHour = finding?.unit === 'bytes' ? finding.slopePerHour : null;
    const advice = limitAdvice({ node, bytes, level, slopePerHour });
    if (advice === undefined)
      throw new Failure(
        'usage',
        `${name}: ${node.osImage} has no systemd unit to add a drop-in to; limit the kubelet by its own configuration`,
      );
    return limitText(name, advice);
  });
  io.stdout.write(texts.join('\n'));
  return EXIT.done;
}
