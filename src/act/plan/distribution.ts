/** How a node runs its kubelet, the command that restarts it there, and who replaces the node. nodeInfo says which. */
import type { NodeFacts } from './cluster-facts.ts';
import type { Distribution, NodeReplacer } from './plan.ts';
import type { JsonValue, PlanPrecondition, RequestCall } from './plan-step.ts';

type NodeSystem = Pick<NodeFacts, 'osImage' | 'operatingSystem' | 'kubeletVersion' | 'isControlPlane' | 'labels'>;

export function distributionOf({ osImage, operatingSystem, kubeletVersion, labels }: NodeSystem): Distribution {
  if (/\+k3s/.test(kubeletVersion)) return 'k3s';
  if (/\+rke2/.test(kubeletVersion)) return 'rke2';
  if (/\+k0s/.test(kubeletVersion)) return 'k0s';
  // Its kubelet has a plain version.
  if (Object.hasOwn(labels, 'microk8s.io/cluster')) return 'microk8s';
  if (/^talos/i.test(osImage)) return 'talos';
  if (/^bottlerocket/i.test(osImage)) return 'bottlerocket';
  return operatingSystem === 'windows' ? 'windows' : 'systemd';
}

/** The systemd unit that the kubelet is in; undefined where it has none that we may restart. */
export function unitOf(distribution: Distribution, isControlPlane: boolean): string | undefined {
  switch (distribution) {
    case 'systemd':
      return 'kubelet';
    case 'k3s':
      return isControlPlane ? 'k3s' : 'k3s-agent';
    case 'rke2':
      return isControlPlane ? 'rke2-server' : 'rke2-agent';
    case 'k0s':
      return isControlPlane ? 'k0scontroller' : 'k0sworker';
    case 'microk8s':
      return 'snap.microk8s.daemon-kubelite';
    default:
      return undefined;
  }
}

/** The default of `--command`, with its placeholders. */
export function restartTemplate(distribution: Distribution, isControlPlane: boolean): string {
  switch (distribution) {
    case 'talos':
      return 'talosctl -n {address} service kubelet restart';
    case 'bottlerocket':
      return 'ssh {node} apiclient exec admin sheltie systemctl restart kubelet';
    case 'windows':
      return 'ssh {node} powershell Restart-Service kubelet';
    default:
      return `ssh {node} sudo systemctl restart ${unitOf(distribution, isControlPlane) ?? 'kubelet'}`;
  }
}

/** Those that run the kubelet inside a process of their own. */
const INSIDE: Partial<Record<Distribution, string>> = { k3s: 'k3s', rke2: 'RKE2', k0s: 'k0s', microk8s: 'MicroK8s' };

/** What else restarts with the kubelet; '' if nothing does. */
export function alsoRestarts(node: NodeSystem): string {
  const name = INSIDE[distributionOf(node)];
  if (name === undefined) return '';
  return node.isControlPlane
    ? `the kubelet is inside ${name}: its API server, scheduler and controllers on this node restart with it`
    : `the kubelet is inside the ${name} agent: the agent restarts with it`;
}

/** What fills in a command. */
type CommandNode = Pick<NodeFacts, 'name' | 'address' | 'providerId' | 'isControlPlane'>;

/** Commands for someone else, the surest first: on the node, by kubectl, by the provider. */
export function printedCommands(node: CommandNode, distribution: Distribution): string[] {
  const unit = unitOf(distribution, node.isControlPlane);
  if (unit === undefined) return [fillTemplate(restartTemplate(distribution, node.isControlPlane), node).join(' ')];
  const instance = shownInstance(node);
  return [
    `ssh ${node.name} sudo systemctl restart ${unit}`,
    `kubectl debug node/${node.name} --profile=sysadmin --image=busybox -- chroot /host systemctl --no-block restart ${unit}`,
    ...(instance !== undefined && node.providerId.startsWith('aws://')
      ? [
          `aws ssm send-command --document-name AWS-RunShellScript --instance-ids ${instance} --parameters commands="systemctl restart ${unit}"`,
        ]
      : []),
    ...(instance !== undefined && node.providerId.startsWith('gce://')
      ? [`gcloud compute ssh ${instance} --command "sudo systemctl restart ${unit}"`]
      : []),
  ];
}

/** `i-0abc` of `aws:///eu-west-1a/i-0abc`. */
function instanceOf({ providerId }: Pick<NodeFacts, 'providerId'>): string {
  return providerId.split('/').at(-1) ?? '';
}

/** For a line that someone may paste into a shell; undefined if it is not fit for that. */
function shownInstance(node: Pick<NodeFacts, 'providerId'>): string | undefined {
  const instance = instanceOf(node);
  return SAFE_VALUE.test(instance) ? instance : undefined;
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** What is wrong with a template; undefined if nothing is. */
export function templateProblem(template: string): string | undefined {
  const known = ['node', 'address', 'instance'];
  const odd = [...template.matchAll(PLACEHOLDER)].map(match => match[1] ?? '').find(name => !known.includes(name));
  if (odd !== undefined) return `{${odd}} is not known; there are {node}, {address} and {instance}`;
  if (splitWords(template).length === 0) return 'it is empty';
  if (!PLACEHOLDER.test(template)) return 'it names no node; use {node}, {address} or {instance}';
  if (/["']/.test(template.replace(/"[^"]*"|'[^']*'/g, ''))) return 'a quote is not closed';
  return undefined;
}

/**
 * A node writes its own addresses and provider id: one that was taken over must not slip an option into a command
 * (`-oProxyCommand=...`), or more into a line that someone pastes into a shell.
 */
const SAFE_VALUE = /^[A-Za-z0-9_:][A-Za-z0-9_.:%-]*$/;

/** Why the template cannot be filled in for this node; undefined if it can. */
export function fillProblem(template: string, node: CommandNode): string | undefined {
  const values = valuesOf(node);
  for (const [whole, name = ''] of template.matchAll(PLACEHOLDER)) {
    const value = values[name] ?? '';
    if (SAFE_VALUE.test(value)) continue;
    return value === ''
      ? `it has nothing for ${whole} of the command; use {node} or {address}`
      : `its ${name === 'instance' ? 'provider id' : name} is not fit for a command: ${value}`;
  }
  return undefined;
}

function valuesOf(node: CommandNode): Readonly<Record<string, string>> {
  return { node: node.name, address: node.address, instance: instanceOf(node) };
}

/** The words of a command for one node. There is no shell: quotes group words, nothing else is special. */
export function fillTemplate(template: string, node: CommandNode): string[] {
  const values = valuesOf(node);
  return splitWords(template).map(word => word.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole));
}

function splitWords(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map(word =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}

/** Who replaces a node: Cluster API by its Machine, Karpenter by the Node, and otherwise the provider's own command. */

const MACHINE = 'cluster.x-k8s.io/machine';
const MACHINE_NAMESPACE = 'cluster.x-k8s.io/cluster-namespace';

/** Cluster API made it. */
export function isOfMachine({ annotations }: Pick<NodeFacts, 'annotations'>): boolean {
  return Object.hasOwn(annotations, MACHINE);
}

interface DeleteNode {
  readonly sentence: string;
  readonly call: RequestCall;
  readonly preconditions: readonly PlanPrecondition[];
}

/** Null if nothing in the cluster can replace it: see `replaceCommand`. `machineVersion` is one that is served. */
export function replacerOf(
  { annotations, labels }: Pick<NodeFacts, 'annotations' | 'labels'>,
  machineVersion: string,
): NodeReplacer | null {
  const [name = '', namespace = ''] = [annotations[MACHINE], annotations[MACHINE_NAMESPACE]];
  if (isName(name) && isName(namespace)) return { kind: 'machine', version: machineVersion, namespace, name };
  return Object.hasOwn(labels, 'karpenter.sh/nodepool') ? { kind: 'karpenter' } : null;
}

export function deleteNodeCall(replacer: NodeReplacer, node: Pick<NodeFacts, 'name' | 'uid'>): DeleteNode {
  const remove = (path: string, body: JsonValue): RequestCall => ({
    kind: 'request',
    method: 'DELETE',
    path,
    contentType: null,
    body,
  });
  if (replacer.kind === 'machine') {
    const { version, namespace, name } = replacer;
    const path = `/apis/cluster.x-k8s.io/${version}/namespaces/${namespace}/machines/${name}`;
    return {
      sentence: `deletes the Machine ${namespace}/${name}: Cluster API makes a new one`,
      call: remove(path, null),
      // A node may write its own annotations: only the Machine itself says whose it is.
      preconditions: [{ kind: 'machine-of-node', node: node.name, path }],
    };
  }
  return {
    sentence: `deletes the Node ${node.name}: Karpenter ends its instance and makes a new one if it is needed`,
    call: remove(`/api/v1/nodes/${node.name}`, {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: node.uid },
    }),
    preconditions: [],
  };
}

/** The command that replaces it, for a person: Oakum has no rights at a provider. */
export function replaceCommand(node: NodeFacts): string {
  const instance = shownInstance(node) ?? 'INSTANCE';
  if (node.providerId.startsWith('aws://'))
    return `aws autoscaling terminate-instance-in-auto-scaling-group --no-should-decrement-desired-capacity --instance-id ${instance}`;
  if (node.providerId.startsWith('gce://'))
    return `gcloud compute instance-groups managed recreate-instances GROUP --instances ${instance}`;
  if (node.providerId.startsWith('azure://'))
    return `az vmss delete-instances --resource-group GROUP --name SCALE-SET --instance-ids ${instance}`;
  return `your provider's way to replace ${node.name}`;
}

/** A name of Kubernetes: of a node, a namespace, a pod. */
export function isName(text: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text);
}
