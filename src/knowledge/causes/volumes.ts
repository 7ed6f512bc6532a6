/** Attaching and mounting: the volume manager, its operations and CSI. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, RESTART_ONE, SAVE_FIRST } from './commands.ts';

const OPERATIONS = kubeletMetrics('^storage_operation_duration_seconds_(sum|count)');
const OPERATION = ['nestedpendingoperations.(*nestedPendingOperations).Run', 'goroutinemap.(*goRoutineMap).Run'];

export const VOLUMES: readonly CauseRecord[] = [
  {
    id: 'csi-call-waiting',
    title: 'Calls to a CSI driver that do not return',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'pkg/volume/csi.(*csiDriverClient)',
          'pkg/volume/csi.(*csiMountMgr)',
          'pkg/volume/csi.(*csiAttacher)',
          'pkg/volume/csi.newGrpcConn',
        ],
      },
      { any: ['pkg/volume/csi.(*metricsCsi)', 'pkg/volume/csi/nodeinfomanager'] },
    ],
    meaning:
      'The kubelet waits for a CSI driver on the node: staging, publishing, unpublishing or volume statistics. One driver that hangs holds one goroutine per volume and keeps its pods from starting or stopping.',
    check: [OPERATIONS, 'kubectl get csinodes $NODE -o yaml', 'kubectl get pods -A -o wide | grep -i csi'],
    act: [
      SAVE_FIRST,
      'Restart the node plugin of the driver and read its log; then see whether the goroutines disappear.',
    ],
    avoid: ['Do not delete VolumeAttachment objects by hand: a volume may be written from two nodes.'],
    benign: false,
  },
  {
    id: 'volume-operation-running',
    title: 'Volume operations that do not end',
    kind: 'goroutine',
    signs: [
      { any: OPERATION },
      { creators: OPERATION },
      { any: ['operationexecutor.(*operationGenerator)', 'operationexecutor.(*operationExecutor)'] },
    ],
    meaning:
      'Each attach, mount, unmount or resize runs in its own goroutine, one at a time per volume. An operation that hangs blocks every later one on that volume, and its pods too.',
    check: [
      OPERATIONS,
      kubeletMetrics('^(volume_manager_total_volumes|kubelet_orphan_pod_cleaned_volumes_errors)'),
      `kubectl get events -A --field-selector reason=FailedMount`,
    ],
    act: [SAVE_FIRST, 'Look at the frame above the operation: mount command, CSI call or file system; treat that.'],
    avoid: ['Do not restart the kubelet while a mount hangs in the kernel: the new one hangs on it too.'],
    benign: false,
  },
  {
    id: 'volume-wait',
    title: 'Waits for volumes outside a pod worker',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'volumemanager.(*volumeManager).WaitForAttachAndMount',
          'volumemanager.(*volumeManager).WaitForUnmount',
          'volumemanager.(*volumeManager).WaitForAllPodsUnmount',
        ],
      },
    ],
    meaning:
      'Something waits until volumes are mounted or unmounted. If the waits grow old, the volume operations behind them do not finish.',
    check: [OPERATIONS, kubeletMetrics('^volume_manager_total_volumes')],
    act: ['Find the operations behind it in the same dump: nestedpendingoperations or csi.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'volume-statistics',
    title: 'Volume statistics, one loop per pod',
    kind: 'goroutine',
    signs: [
      { any: ['server/stats.(*volumeStatCalculator)', 'server/stats.(*fsResourceAnalyzer)'] },
      { creators: ['server/stats.(*volumeStatCalculator).StartOnce', 'server/stats.(*fsResourceAnalyzer)'] },
    ],
    meaning:
      'The kubelet measures the volumes of each pod from a loop of its own, so the count follows pods. One that sits in a system call for minutes points to a hung file system.',
    check: [kubeletMetrics('^(kubelet_running_pods|go_goroutines)')],
    act: ['Compare the count with the pods of the node.', 'volumeStatsAggPeriod controls how often they run.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'volume-manager-loops',
    title: 'Loops of the volume manager',
    kind: 'goroutine',
    signs: [
      { any: ['pkg/kubelet/volumemanager/', 'pkg/kubelet/volumemanager'] },
      { creators: ['pkg/kubelet/volumemanager', 'pkg/kubelet/volumemanager/'] },
    ],
    meaning:
      'Populator, reconciler and the manager itself: three loops for the life of the process. They are a problem only when one is stuck below another call.',
    check: [kubeletMetrics('^volume_manager_total_volumes')],
    act: ['None unless it grows.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'volume-processed-pods',
    title: 'Volume state that outlives its pods',
    kind: 'heap',
    signs: [{ any: ['pkg/kubelet/volumemanager/'], none: ['context'] }],
    meaning:
      'Tables of the volume manager: pods processed, volumes desired and actual. They follow pods and volumes; growth with churn means entries of deleted pods stay, as before 1.28.',
    check: [kubeletMetrics('^(volume_manager_total_volumes|kubelet_running_pods|kubernetes_build_info)')],
    act: ['Upgrade to 1.28 or later; a restart of the kubelet clears the tables.', RESTART_ONE],
    avoid: [],
    benign: true,
  },
];
