/** What a reader of the plan should know: what to do first or instead, and what may interfere. */
import { formatAge } from '../../base/say.ts';
import { compareVersions, parseVersion } from '../../knowledge/version.ts';
import type { ClusterFacts, EvictionAnswer, KubeletFacts, NodeFacts, NodeFinding, PodFacts } from './cluster-facts.ts';
import type { PlanAction } from './plan.ts';
import { CORDONED_ANNOTATION } from '../../evidence/plan-marks.ts';
import { replaceCommand, replacerOf } from './distribution.ts';

/** An upgrade cures, a restart only buys time. One line per known leak. */
export function upgradeFirst(
  nodes: readonly { readonly node: NodeFacts; readonly finding: NodeFinding | undefined }[],
): string[] {
  const lines = new Map<string, { readonly line: string; readonly names: string[] }>();
  for (const { node, finding } of nodes) {
    const leak = finding?.knownLeak ?? null;
    if (leak === null || leak.fixedIn.length === 0) continue;
    const version = nearestFix(leak.fixedIn, node.kubeletVersion);
    const side = leak.sideEffects.length === 0 ? '' : `. Side effects of the fix: ${leak.sideEffects.join('; ')}`;
    const line = `${leak.ref} is fixed in ${version}: an upgrade cures it, a restart only buys time${side}`;
    const known = lines.get(line) ?? { line, names: [] };
    known.names.push(node.name);
    lines.set(line, known);
  }
  return [...lines.values()].map(({ line, names }) => `Upgrade first (${listed(names)}): ${line}`);
}

/** The first fixed version of the node's own minor line, else the oldest after it, else all. */
function nearestFix(fixedIn: readonly string[], current: string): string {
  const now = parseVersion(current);
  const fixes = fixedIn.flatMap(text => {
    const version = parseVersion(text);
    return version === undefined ? [] : [{ text, version }];
  });
  if (now === undefined || fixes.length === 0) return fixedIn.join(', ');
  const later = fixes
    .filter(({ version }) => compareVersions(version, now) > 0)
    .sort((a, b) => compareVersions(a.version, b.version));
  return later[0]?.text ?? fixedIn.join(', ');
}

const CERTIFICATE_SECONDS = 3 * 86_400;

export interface NodeAdviceFacts {
  readonly action: PlanAction;
  readonly node: NodeFacts;
  readonly pods: readonly PodFacts[];
  readonly finding: NodeFinding | undefined;
  readonly kubelet: KubeletFacts | undefined;
  readonly drains: boolean;
  readonly evictions: ReadonlyMap<string, EvictionAnswer>;
}

export function nodeWarnings(facts: NodeAdviceFacts): string[] {
  const { action, node, finding, kubelet, drains } = facts;
  const cordons = drains || action !== 'restart';
  const certificate = kubelet?.certificateSeconds ?? null;
  const lines = [
    ...(cordons ? providerWarnings(node) : []),
    ...(action === 'restart' && node.isControlPlane
      ? ['a control-plane node: check etcd and the other members first; its static pods go on running']
      : []),
    ...(certificate !== null && certificate > 0 && certificate < CERTIFICATE_SECONDS && action === 'restart'
      ? [`the kubelet's client certificate expires in ${formatAge(certificate)}: renew it before the restart`]
      : []),
    ...(kubelet === undefined && action === 'restart'
      ? ['the metrics of its kubelet could not be read, so a restart cannot be told from none; verify will be weaker']
      : []),
    ...(drains ? budgetWarnings(facts) : []),
    ...(action === 'replace' && replacerOf(node, '') === null
      ? [`nothing in the cluster replaces it; after the drain run: ${replaceCommand(node)}`]
      : []),
    ...(finding?.hazards ?? []),
  ];
  return lines.map(line => `${node.name}: ${line}`);
}

/** A repair that counts a cordon or an absence as a fault. */
function providerWarnings({ providerId, labels }: NodeFacts): string[] {
  const lines: string[] = [];
  if (providerId.startsWith('gce://'))
    lines.push(
      'GKE Autopilot repairs a node that stays cordoned for about 10 minutes: it may be drained and recreated',
    );
  if (providerId.startsWith('aws://') && Object.hasOwn(labels, 'eks.amazonaws.com/nodegroup'))
    lines.push('EKS node repair may replace a node that is not Ready for 30 minutes');
  if (providerId.startsWith('azure://'))
    lines.push('AKS repairs a node that is not Ready for about 10 minutes: reboot, then reimage');
  if (Object.hasOwn(labels, 'karpenter.sh/nodepool'))
    lines.push('Karpenter may remove a node that is empty or cordoned; pause its consolidation if the node is to stay');
  return lines;
}

/** Which budget would refuse, and what would free it. */
function budgetWarnings({ pods, evictions }: NodeAdviceFacts): string[] {
  const waiting = new Map<string, number>();
  for (const { namespace, name } of pods) {
    const answer = evictions.get(`${namespace}/${name}`);
    if (answer?.outcome === 'waits')
      waiting.set(`${namespace}/${answer.budget}`, (waiting.get(`${namespace}/${answer.budget}`) ?? 0) + 1);
  }
  const together = [...waiting].map(
    ([budget, count]) =>
      `${count} ${count === 1 ? 'pod waits' : 'pods wait'} for ${budget} until the pods of it that are evicted before are Ready elsewhere`,
  );
  const refused = pods.flatMap(({ namespace, name, drain }) => {
    const answer = evictions.get(`${namespace}/${name}`);
    if (drain.act !== 'evict' || answer === undefined || answer.outcome !== 'refused') return [];
    return [`the eviction of ${namespace}/${name} is refused now: ${answer.message}`];
  });
  return [...refused, ...together];
}

/** About the whole cluster. */
export function clusterWarnings(
  { nodes, unread, budgets }: ClusterFacts,
  targets: ReadonlySet<string>,
  drains: boolean,
): string[] {
  const npd = nodes.filter(({ conditionTypes }) => conditionTypes.includes('KubeletUnhealthy'));
  const busy = nodes.filter(({ name, isReady, isCordoned }) => !targets.has(name) && (!isReady || isCordoned));
  const stuck = budgets.filter(({ disruptionsAllowed, expectedPods }) => disruptionsAllowed === 0 && expectedPods > 0);
  return [
    ...(npd.length > 0
      ? [`node-problem-detector watches the kubelet on ${npd.length} nodes and may kill it by itself (--enable-repair)`]
      : []),
    ...(busy.length > 0 ? [`not in the plan, and cordoned or not Ready: ${listed(busy.map(({ name }) => name))}`] : []),
    ...(drains && stuck.length > 0
      ? [
          `PodDisruptionBudgets that allow no disruption now: ${listed(stuck.map(({ namespace, name }) => `${namespace}/${name}`))}`,
        ]
      : []),
    ...unread,
  ];
}

/** A plan that leaves nodes cordoned stops at the same share as one that finds nodes not Ready. */
export function cordonWarning(
  nodes: readonly NodeFacts[],
  targets: ReadonlySet<string>,
  percent: number,
): string | undefined {
  const away = nodes.filter(
    ({ name, isReady, isCordoned, annotations }) =>
      !targets.has(name) && (!isReady || (isCordoned && (annotations[CORDONED_ANNOTATION] ?? '') !== '')),
  ).length;
  const room = Math.max(away === 0 ? 1 : 0, Math.ceil((percent * nodes.length) / 100) - away);
  if (targets.size <= room) return undefined;
  return `it leaves ${targets.size} of ${nodes.length} nodes cordoned, and apply stops after ${room}: at ${percent} % cordoned by Oakum or not Ready. Plan fewer, or raise --max-not-ready`;
}

const MAX_LISTED = 10;

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
