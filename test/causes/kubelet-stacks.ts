/** Normalised stacks of the kubelet from dumps and reports, with the cause that each must get. */
import { type CauseCase, KUBELET, WAIT, GRPC, INVOKE, LOOP, goroutine, heap } from './family-evidence.ts';

export const KUBELET_STACKS: readonly CauseCase[] = [
  [
    'hung-file-system',
    goroutine(['syscall.Statfs', 'github.com/google/cadvisor/fs.getVfsStats'], { state: 'syscall', minutes: 46 }),
  ],
  [
    'hung-file-system',
    goroutine(
      ['os.Lstat', 'k8s.io/mount-utils.(*Mounter).IsLikelyNotMountPoint', `${KUBELET}.(*Kubelet).HandlePodCleanups`],
      { state: 'syscall', minutes: 5352 },
    ),
  ],
  [
    'mount-command-running',
    goroutine(['os/exec.(*Cmd).Wait', 'k8s.io/mount-utils.(*Mounter).Unmount'], { state: 'syscall' }),
  ],
  [
    'file-watcher',
    goroutine(['os.(*File).Read', 'github.com/fsnotify/fsnotify.(*inotify).readEvents'], { state: 'IO wait' }),
  ],

  [
    'pod-cgroup-cleanup',
    goroutine(['sync.(*Mutex).Lock', `${KUBELET}/cm.(*podContainerManagerImpl).Destroy`], {
      by: `${KUBELET}.(*Kubelet).cleanupOrphanedPodCgroups`,
    }),
  ],
  [
    'device-plugin-client',
    goroutine([
      `${KUBELET}/cm/devicemanager/plugin/v1beta1.(*client).Run`,
      `${KUBELET}/cm/devicemanager/plugin/v1beta1.(*server).runClient`,
    ]),
  ],
  ['plugin-watcher', goroutine([`${KUBELET}/pluginmanager/pluginwatcher.(*Watcher).Start`], { state: 'select' })],
  [
    'dbus-signals',
    goroutine(['github.com/godbus/dbus.(*signalChannelData).deferredDeliver'], {
      state: 'select',
      by: 'github.com/godbus/dbus.(*signalChannelData).deliver',
    }),
  ],
  [
    'node-shutdown-loop',
    goroutine([`${KUBELET}/nodeshutdown.(*managerImpl).start`], { state: 'select', minutes: 9000 }),
  ],
  ['pod-certificates', heap(`${KUBELET}/podcertificate.(*IssuingManager).handleProjection`)],
  [
    'container-map',
    heap(`${KUBELET}/cm/containermap.ContainerMap.Add`, `${KUBELET}/cm/cpumanager.(*manager).AddContainer`),
  ],
  ['lock-file-watch', goroutine(['k8s.io/kubernetes/cmd/kubelet/app.watchForLockfileContention'])],

  [
    'probe-exec-running',
    goroutine([
      INVOKE,
      `${KUBELET}/kuberuntime.(*kubeGenericRuntimeManager).RunInContainer`,
      `${KUBELET}/prober.(*worker).doProbe`,
      `${KUBELET}/prober.(*worker).run`,
    ]),
  ],
  [
    'probe-network-running',
    goroutine([
      'net/http.(*Client).Do',
      'k8s.io/kubernetes/pkg/probe/http.DoHTTPProbe',
      `${KUBELET}/prober.(*worker).doProbe`,
      `${KUBELET}/prober.(*worker).run`,
    ]),
  ],
  [
    'probe-worker-idle',
    goroutine([`${KUBELET}/prober.(*worker).run`], { state: 'select', by: `${KUBELET}/prober.(*manager).AddPod` }),
  ],

  ['port-forward-streams', goroutine(['k8s.io/cri-streaming/pkg/streaming/portforward.(*httpStreamHandler).run'])],
  [
    'spdy-connection',
    goroutine([
      'sync.(*Cond).Wait',
      'github.com/moby/spdystream.(*PriorityFrameQueue).Pop',
      'github.com/moby/spdystream.(*Connection).frameHandler',
    ]),
  ],
  [
    'upgrade-proxy',
    goroutine(['io.Copy', 'k8s.io/apimachinery/pkg/util/proxy.(*UpgradeAwareHandler).tryUpgrade'], {
      state: 'IO wait',
    }),
  ],
  [
    'remote-command',
    goroutine(['k8s.io/client-go/tools/remotecommand.(*streamProtocolV4).stream'], { state: 'chan send' }),
  ],
  [
    'log-follow',
    goroutine([`${KUBELET}/kuberuntime/logs.waitLogs`, `${KUBELET}/kuberuntime/logs.ReadLogs`], { state: 'select' }),
  ],
  ['streaming-buffers', heap('github.com/moby/spdystream/spdy.NewFramer', 'github.com/moby/spdystream.NewConnection')],

  [
    'pod-worker-waiting-for-volumes',
    goroutine([
      `${WAIT}.PollUntilContextTimeout`,
      `${KUBELET}/volumemanager.(*volumeManager).WaitForAttachAndMount`,
      `${KUBELET}.(*Kubelet).SyncPod`,
      LOOP,
    ]),
  ],
  [
    'pod-worker-terminating',
    goroutine([
      INVOKE,
      `${KUBELET}/kuberuntime.(*kubeGenericRuntimeManager).KillPod`,
      `${KUBELET}.(*Kubelet).SyncTerminatingPod`,
      LOOP,
    ]),
  ],
  [
    'pod-worker-in-runtime-call',
    goroutine([
      INVOKE,
      'k8s.io/cri-client/pkg.(*remoteRuntimeService).StartContainer',
      `${KUBELET}.(*Kubelet).SyncPod`,
      LOOP,
    ]),
  ],
  [
    'pod-worker-syncing',
    goroutine([
      'sync.(*Mutex).Lock',
      `${KUBELET}/status.(*manager).SetPodStatus`,
      `${KUBELET}.(*Kubelet).SyncPod`,
      LOOP,
    ]),
  ],
  ['pod-worker-idle', goroutine([LOOP, `${KUBELET}.(*podWorkers).UpdatePod`], { state: 'chan receive' })],
  ['pod-workers-map', heap(`${KUBELET}.(*podWorkers).checkForUpdates`)],

  [
    'csi-call-waiting',
    goroutine([
      INVOKE,
      'k8s.io/kubernetes/pkg/volume/csi.(*csiDriverClient).NodePublishVolume',
      'k8s.io/kubernetes/pkg/volume/util/operationexecutor.(*operationGenerator).GenerateMountVolumeFunc',
    ]),
  ],
  [
    'volume-operation-running',
    goroutine(['k8s.io/kubernetes/pkg/volume/util/nestedpendingoperations.(*nestedPendingOperations).Run'], {
      state: 'semacquire',
    }),
  ],
  ['volume-wait', goroutine([`${KUBELET}/volumemanager.(*volumeManager).WaitForUnmount`, 'main.f'])],
  [
    'volume-statistics',
    goroutine([`${WAIT}.BackoffUntilWithContext`], {
      state: 'select',
      by: `${KUBELET}/server/stats.(*volumeStatCalculator).StartOnce`,
    }),
  ],
  [
    'volume-manager-loops',
    goroutine([`${WAIT}.UntilWithContext`, `${KUBELET}/volumemanager/reconciler.(*reconciler).Run`], {
      state: 'select',
    }),
  ],
  [
    'volume-processed-pods',
    heap(`${KUBELET}/volumemanager/populator.(*desiredStateOfWorldPopulator).markPodProcessed`),
  ],

  ['evented-pleg', goroutine([`${KUBELET}/pleg.(*EventedPLEG).watchEventsChannel`], { state: 'select' })],
  [
    'pleg-relist',
    goroutine([
      INVOKE,
      'k8s.io/cri-client/pkg.(*remoteRuntimeService).ListPodSandbox',
      `${KUBELET}/pleg.(*GenericPLEG).Relist`,
    ]),
  ],
  [
    'cri-statistics-waiting',
    goroutine([
      `${GRPC}/internal/transport.(*Stream).waitOnHeader`,
      INVOKE,
      'k8s.io/cri-client/pkg.(*remoteRuntimeService).ListContainerStats',
      `${KUBELET}/stats.(*criStatsProvider).ListPodStats`,
    ]),
  ],
  [
    'cri-call-waiting',
    goroutine([
      INVOKE,
      'k8s.io/cri-client/pkg.(*remoteRuntimeService).ListContainers',
      `${KUBELET}/kuberuntime.(*containerGC).evictContainers`,
    ]),
  ],
  ['statistics-provider', goroutine(['sync.(*Mutex).Lock', `${KUBELET}/server/stats.(*summaryProviderImpl).Get`])],
  ['pleg-loop', goroutine([`${KUBELET}/pleg.(*GenericPLEG).workerLoopIteration`], { state: 'select' })],
  [
    'windows-container-handles',
    heap(
      'github.com/Microsoft/hcsshim.OpenContainer',
      `${KUBELET}/stats.(*criStatsProvider).listContainerNetworkStats`,
    ),
  ],
  [
    'containerd-exec-fifo',
    goroutine([
      'os.(*File).Read',
      'github.com/containerd/fifo.(*fifo).Read',
      'io.Copy',
      'github.com/containerd/containerd/pkg/cri/io.(*ExecIO).Attach',
    ]),
  ],
  [
    'containerd-exec-fifo',
    goroutine(
      [
        'github.com/containerd/containerd/internal/cri/server.drainExecSyncIO',
        'github.com/containerd/containerd/internal/cri/server.(*criService).execInternal',
      ],
      { state: 'select' },
    ),
  ],
  ['containerd-fifo-open', goroutine(['os.OpenFile', 'github.com/containerd/fifo.openFifo'], { state: 'syscall' })],
  ['containerd-fifo-open', goroutine(['github.com/containerd/fifo.openFifo'], { state: 'select' })],
  [
    'containerd-pod-streams',
    goroutine([
      'os.(*File).Read',
      'github.com/containerd/fifo.(*fifo).Read',
      'io.Copy',
      'github.com/containerd/containerd/core/runtime.(*binary).Start',
    ]),
  ],
  [
    'containerd-pod-streams',
    goroutine([
      'github.com/containerd/fifo.(*fifo).Read',
      'io.Copy',
      'github.com/containerd/containerd/pkg/cri/io.(*ContainerIO).Pipe',
    ]),
  ],

  [
    'cadvisor-disk-usage',
    goroutine([
      'github.com/google/cadvisor/fs.GetDirUsage',
      'github.com/google/cadvisor/container/common.(*realFsHandler).trackUsage',
    ]),
  ],
  [
    'cadvisor-housekeeping',
    goroutine(
      [
        'github.com/google/cadvisor/lib/manager.(*containerData).housekeepingTick',
        'github.com/google/cadvisor/lib/manager.(*containerData).housekeeping',
      ],
      { state: 'select' },
    ),
  ],
  [
    'cadvisor-other',
    goroutine(['os.(*File).Read', 'github.com/euank/go-kmsg-parser/kmsgparser.(*parser).Parse'], { state: 'IO wait' }),
  ],
  ['cadvisor-inotify', heap('k8s.io/utils/inotify.(*Watcher).AddWatch')],
  ['cadvisor-statistics', heap('github.com/google/cadvisor/cache/memory.(*InMemoryCache).AddStats')],
];
