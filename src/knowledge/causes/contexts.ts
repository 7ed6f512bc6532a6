/** Contexts that are never cancelled: children stay registered with a long-lived parent. */
import type { CauseRecord } from './cause-record.ts';
import { CAN_PROFILE, kubeletMetrics, KUBELET_HEAP, SAVE_FIRST, TARGET_HEAP } from './commands.ts';

const CONTEXT = [
  'context.(*cancelCtx).propagateCancel',
  'context.(*cancelCtx).Done',
  'context.(*cancelCtx).init',
  'context.withCancel',
  'context.WithCancel',
  'context.WithCancelCause',
  'context.newCancelCtx',
  'context.propagateCancel',
  'context.WithDeadline',
  'context.WithDeadlineCause',
  'context.WithTimeout',
];

export const CONTEXTS: readonly CauseRecord[] = [
  {
    id: 'context-pod-sync',
    title: 'Contexts of pod syncs are never cancelled',
    kind: 'heap',
    signs: [
      { any: CONTEXT, all: ['kubelet.(*podWorkers).startPodSync'] },
      { any: CONTEXT, all: ['kubelet.(*podWorkers).podWorkerLoop'] },
      { any: CONTEXT, all: ['volumemanager.(*volumeManager).WaitForAttachAndMount'] },
    ],
    meaning:
      'Every pod sync makes a context under one that lives as long as the pod worker, and does not cancel it. The heap grows with pods times syncs while the goroutine count stays flat.',
    check: [
      kubeletMetrics('^(kubernetes_build_info|go_gc_heap_live_bytes|go_memstats_heap_objects|kubelet_running_pods)'),
      kubeletMetrics('^kubelet_pod_worker_duration_seconds_count'),
      CAN_PROFILE,
      KUBELET_HEAP,
    ],
    act: [
      SAVE_FIRST,
      'Upgrade the kubelet to a version with the fix; 1.36.0 to 1.36.2 are known to have this.',
      'Until then restart kubelets on a rolling schedule: it frees the contexts and running pods stay.',
    ],
    avoid: [
      'Do not wait for the goroutine count: this leak does not move it.',
      'Do not look for the fault in the volume manager: it only allocates the table of the parent context.',
    ],
    benign: false,
  },
  {
    id: 'context-preemption',
    title: 'Contexts of preemption dry runs',
    kind: 'heap',
    signs: [{ any: CONTEXT, all: ['preemption.(*Evaluator).DryRunPreemption'] }],
    meaning:
      'The scheduler makes a context for each dry run of a preemption and, in old versions, does not cancel it. Memory grows with pods that cannot be scheduled.',
    check: [`kubectl get pods -A --field-selector status.phase=Pending --no-headers | wc -l`, 'kubectl version'],
    act: ['Upgrade the scheduler: fixed in 1.22.13, 1.23.10, 1.24.4 and 1.25.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'context-uncancelled',
    title: 'Contexts that are never cancelled',
    kind: 'heap',
    signs: [{ any: CONTEXT }],
    meaning:
      'A parent context holds each child until the child or the parent is cancelled. Growth here is code that derives contexts from a long-lived parent and does not call the cancel function.',
    check: [TARGET_HEAP, 'go vet ./...'],
    act: [
      'Look at the first frame after the context package: that function, or its caller, must defer cancel().',
      'Confirm with a second heap profile by inuse_objects: contexts are many and small.',
    ],
    avoid: ['Do not take the sampled number in one profile for a count: only growth over several profiles proves it.'],
    benign: false,
  },
  {
    id: 'context-watcher',
    title: 'Goroutines that wait for a parent context',
    kind: 'goroutine',
    signs: [
      { leaf: ['context.(*cancelCtx).propagateCancel', 'context.propagateCancel'] },
      { leaf: ['context.(*cancelCtx)'], creators: ['context.(*cancelCtx).propagateCancel'] },
    ],
    meaning:
      'A context derived from a parent of a foreign type costs one goroutine that ends when either is cancelled. The count follows open requests and watches; steady growth is children never cancelled.',
    check: ['curl -s "$TARGET/debug/pprof/goroutine?debug=2" | grep -A6 propagateCancel | grep "created by"'],
    act: ['Cancel every derived context; the creator in a debug=2 dump shows who derives them.'],
    avoid: [],
    benign: true,
  },
];
