/** Who replaces a node: Cluster API by its Machine, Karpenter by the Node, and otherwise the provider's own command. */
import type { NodeFacts } from './cluster-facts.ts';
import type { JsonValue, PlanPrecondition, RequestCall } from './plan-step.ts';
import { shownInstance } from './distribution.ts';

const MACHINE = 'cluster.x-k8s.io/machine';
const MACHINE_NAMESPACE = 'cluster.x-k8s.io/cluster-namespace';

export interface DeleteNode {
  readonly sentence: string;
  readonly call: RequestCall;
  readonly preconditions: readonly PlanPrecondition[];
}

/** Undefined if nothing in the cluster can replace it: see `replaceCommand`. */
export function deleteNodeCall(node: NodeFacts): DeleteNode | undefined {
  const remove = (path: string, body: JsonValue): RequestCall => ({
    kind: 'request',
    method: 'DELETE',
    path,
    contentType: null,
    body,
  });
  const [machine = '', namespace = ''] = [node.annotations[MACHINE], node.annotations[MACHINE_NAMESPACE]];
  if (isName(machine) && isName(namespace)) {
    const path = `/apis/cluster.x-k8s.io/v1beta1/namespaces/${namespace}/machines/${machine}`;
    return {
      sentence: `deletes the Machine ${namespace}/${machine}: Cluster API makes a new one`,
      call: remove(path, null),
      // A node may write its own annotations: only the Machine itself says whose it is.
      preconditions: [{ kind: 'machine-of-node', node: node.name, path }],
    };
  }
  if (Object.hasOwn(node.labels, 'karpenter.sh/nodepool'))
    return {
      sentence: `deletes the Node ${node.name}: Karpenter ends its instance and makes a new one if it is needed`,
      call: remove(`/api/v1/nodes/${node.name}`, {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid: node.uid },
      }),
      preconditions: [],
    };
  return undefined;
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

function isName(text: string): boolean {
  return /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text);
}
