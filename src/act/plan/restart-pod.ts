/**
 * The pod that restarts a kubelet: one, privileged, on the node, with an image that is there, removed afterwards.
 * systemctl does not wait (`--no-block`), so that the container ends before its own kubelet does.
 */
import type { NodeFacts } from './cluster-facts.ts';
import type { JsonValue, PodCall } from './plan-step.ts';

/**
 * Official images that have nsenter: busybox has its own, the others util-linux. A name alone does not count: whoever can
 * start a pod on the node brings an image of any name to it, and this one becomes root.
 */
const WITH_NSENTER =
  /^(?:(?:docker\.io|mirror\.gcr\.io|public\.ecr\.aws\/docker)\/library\/(?:busybox|alpine|debian|ubuntu|fedora|amazonlinux)|registry\.k8s\.io\/e2e-test-images\/busybox)[:@]/;

/** An image that the node has and that can do it; a tag reads better than a digest. */
export function imageOn({ images }: Pick<NodeFacts, 'images'>): string | undefined {
  const fitting = images.filter(isOfficial);
  return fitting.find(image => !image.includes('@')) ?? fitting[0];
}

/** Whether an image may be used that nobody named. */
export function isOfficial(image: string): boolean {
  return WITH_NSENTER.test(image);
}

export interface RestartPodParts {
  readonly namespace: string;
  readonly image: string;
  readonly isOnNode: boolean;
  readonly unit: string;
  readonly planId: string;
}

export function restartPodCall(node: string, parts: RestartPodParts): PodCall {
  const { namespace, image, isOnNode, unit, planId } = parts;
  return {
    kind: 'pod',
    path: `/api/v1/namespaces/${namespace}/pods`,
    namespace: actNamespace(namespace),
    manifest: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: restartPodName(node, planId),
        namespace,
        labels: { 'app.kubernetes.io/name': 'oakum', 'app.kubernetes.io/component': 'restart' },
        annotations: { 'oakum.dev/plan': planId, 'oakum.dev/node': node },
      },
      spec: {
        nodeName: node,
        hostPID: true,
        restartPolicy: 'Never',
        activeDeadlineSeconds: 300,
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        tolerations: [{ operator: 'Exists' }],
        containers: [
          {
            name: 'restart',
            image,
            imagePullPolicy: isOnNode ? 'Never' : 'IfNotPresent',
            command: [
              'nsenter',
              '-t',
              '1',
              '-m',
              '-u',
              '-i',
              '-n',
              '-p',
              '--',
              'systemctl',
              '--no-block',
              'restart',
              unit,
            ],
            securityContext: { privileged: true, runAsUser: 0 },
            resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
          },
        ],
      },
    },
  };
}

/** It alone lets privileged pods in. */
export function actNamespace(name: string): JsonValue {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
  };
}

/** At most 63 characters; two nodes of one plan may share a long beginning, so its end counts. */
export function restartPodName(node: string, planId: string): string {
  const suffix = planId.slice(-8);
  const room = 63 - 'oakum-restart--'.length - 8;
  const short = node.replace(/\./g, '-').slice(-room).replace(/^-+/, '');
  return `oakum-restart-${short}-${suffix}`;
}
