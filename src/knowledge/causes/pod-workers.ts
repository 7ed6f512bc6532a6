/** One goroutine per pod drives the pod; the frames below `podWorkerLoop` show where it is stuck. */
import type { CauseRecord } from './cause-record.ts';
import { CAN_PROFILE, kubeletMetrics, KUBELET_STACKS, PODS_OF_NODE, RESTART_ONE, SAVE_FIRST } from './commands.ts';

const LOOP = ['kubelet.(*podWorkers).podWorkerLoop', 'kubelet.(*podWorkers).managePodLoop'];
const TERMINATING = [
  'kubelet.(*Kubelet).SyncTerminatingPod',
  'kubelet.(*Kubelet).syncTerminatingPod',
  'kubelet.(*Kubelet).SyncTerminatingRuntimePod',
  'kubelet.(*Kubelet).SyncTerminatedPod',
  'kubelet.(*Kubelet).syncTerminatedPod',
  'kubelet.(*Kubelet).killPod',
];
const STUCK_PODS = `${PODS_OF_NODE} | grep -E 'Terminating|Unknown|ContainerCreating'`;
const WORKING_PODS = kubeletMetrics('^kubelet_working_pods');

export const POD_WORKERS: readonly CauseRecord[] = [
  {
    id: 'pod-worker-waiting-for-volumes',
    title: 'Pod workers wait for volumes',
    kind: 'goroutine',
    signs: [{ any: LOOP, all: ['volumemanager.(*volumeManager).WaitForAttachAndMount'] }],
    meaning:
      'A pod worker sits in WaitForAttachAndMount until every volume of its pod is attached and mounted. A few are normal while pods start; many that stay mean a storage backend or CSI driver does not answer.',
    check: [
      STUCK_PODS,
      kubeletMetrics('^(volume_manager_total_volumes|storage_operation_duration_seconds_count)'),
      `kubectl get events -A --field-selector reason=FailedMount`,
    ],
    act: [SAVE_FIRST, 'Repair the volume driver or backend; the workers then continue by themselves.'],
    avoid: ['Do not force-delete the pods: their volumes may stay attached and mounted.'],
    benign: false,
  },
  {
    id: 'pod-worker-terminating',
    title: 'Pod workers cannot finish stopping pods',
    kind: 'goroutine',
    signs: [{ any: TERMINATING }],
    meaning:
      'A pod worker is stopping a pod and waits for containers, sandboxes or volumes to go. When such stacks stay, their pods hang in Terminating and each holds its goroutine and its memory.',
    check: [STUCK_PODS, WORKING_PODS, 'crictl ps -a', 'crictl pods --state NotReady'],
    act: [
      SAVE_FIRST,
      'Look for the container or sandbox that the runtime does not stop: crictl inspect, then the runtime log.',
      RESTART_ONE,
    ],
    avoid: ['Do not force-delete pods while the kubelet runs: containers and volumes can be left behind.'],
    benign: false,
  },
  {
    id: 'pod-worker-in-runtime-call',
    title: 'Pod workers wait for the container runtime',
    kind: 'goroutine',
    signs: [
      {
        any: LOOP,
        all: ['google.golang.org/grpc'],
      },
      { any: LOOP, all: ['pkg/kubelet/kuberuntime'] },
    ],
    meaning:
      'A pod worker is inside a call to the container runtime. If the count stays high or climbs, the runtime is slow or hangs on some container; the goroutines are only the queue.',
    check: [
      kubeletMetrics('^kubelet_runtime_operations_(errors_total|duration_seconds_(sum|count))'),
      'time crictl ps -a',
      'journalctl -u containerd --since -1h | tail -50',
    ],
    act: [SAVE_FIRST, 'Treat the runtime first; upgrade or restart it if one container blocks it.'],
    avoid: ['Do not restart only the kubelet: it will queue up behind the same container again.'],
    benign: false,
  },
  {
    id: 'pod-worker-syncing',
    title: 'Pod workers in the middle of a sync',
    kind: 'goroutine',
    signs: [
      { any: LOOP, all: ['kubelet.(*Kubelet).SyncPod'] },
      { any: LOOP, all: ['kubelet.(*Kubelet).syncPod'] },
    ],
    meaning:
      'These workers are inside SyncPod, which should take well under a second for a running pod. The frames above SyncPod say what it waits for.',
    check: [
      kubeletMetrics('^kubelet_pod_worker_duration_seconds_(sum|count)'),
      STUCK_PODS,
      CAN_PROFILE,
      KUBELET_STACKS,
    ],
    act: [SAVE_FIRST, 'Read the leaf of the stack: lock, volume, image pull or API call, and follow that.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'pod-worker-idle',
    title: 'One worker per pod, waiting for work',
    kind: 'goroutine',
    signs: [{ any: LOOP }, { creators: ['kubelet.(*podWorkers).UpdatePod'], states: ['chan receive'] }],
    meaning:
      'The kubelet keeps one such goroutine for every pod it knows, so the count follows the pods. More workers than pods means pods that were deleted but never finished.',
    check: [kubeletMetrics('^(go_goroutines|kubelet_running_pods|kubelet_working_pods)'), STUCK_PODS],
    act: ['Compare the count with the pods of the node; the excess are orphans or stuck in termination.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'pod-workers-map',
    title: 'Pod worker state that outlives its pods',
    kind: 'heap',
    signs: [
      { any: ['kubelet.(*podWorkers).checkForUpdates', 'kubelet.(*podWorkers).UpdatePod'], none: ['context'] },
      { any: ['(*podKillerWithChannel).MarkMirrorPodPendingTermination'] },
    ],
    meaning:
      'Memory allocated for the bookkeeping of pod workers. It should follow the number of pods; growth with churn means entries of deleted pods are kept.',
    check: [kubeletMetrics('^(kubelet_working_pods|kubelet_started_pods_total|go_memstats_heap_inuse_bytes)')],
    act: ['Compare two heap profiles before and after pod churn with the pod count equal.', RESTART_ONE],
    avoid: [],
    benign: true,
  },
];
