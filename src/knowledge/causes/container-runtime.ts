/** Calls to the container runtime: PLEG, CRI and statistics. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, kubeletPath, SAVE_FIRST } from './commands.ts';

const CRI = [
  'cri-client/pkg.(*remoteRuntimeService)',
  'cri-client/pkg.(*remoteImageService)',
  'cri/remote.(*remoteRuntimeService)',
  'cri/remote.(*remoteImageService)',
  'cri/remote.(*RemoteRuntimeService)',
  'cri/remote.(*RemoteImageService)',
];
const RUNTIME_ERRORS = kubeletMetrics('^kubelet_runtime_operations_errors_total');
const RUNTIME_TIMES = kubeletMetrics('^kubelet_runtime_operations_duration_seconds_(sum|count)');
const PLEG_AGE = `${kubeletPath('/metrics')} | awk -v now=$(date +%s) '/^kubelet_pleg_last_seen_seconds/ {print now - $2, "s"}'`;
const RUNTIME_FIRST = 'Restart the container runtime, then the kubelet; upgrade the runtime if it happens again.';

const EXECS = [
  'io.(*ExecIO)',
  'server.(*criService).execInternal',
  'server.drainExecSyncIO',
  'sbserver.(*criService).execInternal',
  'sbserver.drainExecSyncIO',
];
const CONTAINERD_THREADS = [
  'crictl info | head',
  'ps -o nlwp,rss,comm -C containerd',
  `curl -s "$TARGET/v1/metrics" | grep '^go_threads'`,
];

export const CONTAINER_RUNTIME: readonly CauseRecord[] = [
  {
    id: 'evented-pleg',
    title: 'Event stream of the runtime (EventedPLEG)',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'pleg.(*EventedPLEG)',
          '(*remoteRuntimeService).GetContainerEvents',
          '(*RemoteRuntimeService).GetContainerEvents',
        ],
      },
    ],
    meaning:
      'The feature gate EventedPLEG is on: the kubelet reads container events from a stream of the runtime. It is off by default in every release, and before 1.37 it panicked or retried without end when the stream broke.',
    check: [
      kubeletMetrics('^kubernetes_feature_enabled.*EventedPLEG'),
      kubeletMetrics('^kubelet_evented_pleg_connection'),
    ],
    act: [SAVE_FIRST, 'Set the feature gate EventedPLEG to false and restart the kubelet.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'pleg-relist',
    title: 'The pod lifecycle relist waits for the runtime',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'pleg.(*GenericPLEG).Relist',
          'pleg.(*GenericPLEG).relist',
          'pleg.(*GenericPLEG).relistPod',
          'pleg.(*GenericPLEG).updateCache',
        ],
      },
    ],
    meaning:
      'The relist asks the runtime for all pods once a second. If one call hangs for three minutes, the node turns NotReady, and everything that waits for container state piles up behind it.',
    check: [PLEG_AGE, 'time crictl ps -a', RUNTIME_ERRORS],
    act: [SAVE_FIRST, RUNTIME_FIRST],
    avoid: ['Do not judge by quantiles of kubelet_pleg_relist_duration_seconds: its last bucket is 10 s.'],
    benign: false,
  },
  {
    id: 'cri-statistics-waiting',
    title: 'Statistics calls that the runtime does not answer',
    kind: 'goroutine',
    signs: [
      {
        any: ['stats.(*criStatsProvider)', 'stats.(*Provider)', 'stats.(*StatsProvider)'],
        all: ['google.golang.org/grpc'],
      },
      {
        any: [
          '(*remoteRuntimeService).ContainerStats',
          '(*remoteRuntimeService).ListContainerStats',
          '(*remoteRuntimeService).ListPodSandboxStats',
          '(*remoteRuntimeService).ListMetricDescriptors',
          '(*remoteRuntimeService).ListPodSandboxMetrics',
        ],
      },
    ],
    meaning:
      'Requests for container statistics wait in the runtime, often for one container whose task is gone. Every scrape and eviction check adds another, on both sides of the socket.',
    check: ['time crictl stats', RUNTIME_TIMES, 'crictl ps -a'],
    act: [SAVE_FIRST, 'Find the container for which crictl stats hangs and remove it.', RUNTIME_FIRST],
    avoid: ['Do not restart only the kubelet: the next scrape hangs on the same container.'],
    benign: false,
  },
  {
    id: 'cri-call-waiting',
    title: 'Runtime calls that do not return',
    kind: 'goroutine',
    signs: [{ any: CRI }],
    meaning:
      'The kubelet waits for the container runtime. Growth here means that the runtime hangs: the goroutines are the queue, not the cause.',
    check: ['time crictl ps -a', RUNTIME_ERRORS, 'journalctl -u containerd --since -1h | tail -50'],
    act: [
      SAVE_FIRST,
      'Take a goroutine dump of the runtime too: kill -USR1 for containerd, then its log.',
      RUNTIME_FIRST,
    ],
    avoid: ['Do not raise runtimeRequestTimeout: longer waits make a longer queue.'],
    benign: false,
  },
  {
    id: 'statistics-provider',
    title: 'Summary and statistics requests under way',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'pkg/kubelet/stats',
          'server/stats.(*summaryProviderImpl)',
          'server/stats.(*handler)',
          'server/stats.(*resourceAnalyzer)',
        ],
      },
    ],
    meaning:
      'Requests to /stats/summary or the eviction manager are collecting figures. They take milliseconds; if they stay, the runtime, cadvisor or a file system below them does not answer.',
    check: [kubeletMetrics('^kubelet_http_inflight_requests.*(stats|metrics)'), 'time crictl stats'],
    act: [
      'Read the leaf of the stack to see which of the three it is.',
      'Lengthen the scrape interval while it lasts.',
    ],
    avoid: [],
    benign: false,
  },
  {
    id: 'pleg-loop',
    title: 'Loop of the pod lifecycle event generator',
    kind: 'goroutine',
    signs: [{ any: ['pleg.(*GenericPLEG)'] }, { creators: ['pleg.(*GenericPLEG).Start'] }],
    meaning: 'One loop that starts the relist every second. It is a singleton of the kubelet.',
    check: [PLEG_AGE],
    act: ['None unless it grows.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'windows-container-handles',
    title: 'Handles of Windows containers',
    kind: 'heap',
    signs: [{ any: ['hcsshim.OpenContainer'] }],
    meaning:
      'Statistics on Windows open a handle per container; old kubelets did not close it. Memory and handles grow with every collection.',
    check: [kubeletMetrics('^(kubernetes_build_info|process_open_fds)')],
    act: ['Upgrade the kubelet: fixed in 1.14.4 and 1.15.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'containerd-exec-fifo',
    title: 'Output of execs in containerd',
    kind: 'goroutine',
    signs: [{ any: [...EXECS.map(name => `cri/${name}`), 'pkg/server/io.(*ExecIO)'] }],
    meaning:
      'containerd copies the output of every exec until all that hold its pipe have closed it. Dense exec probes, and commands that leave a process behind, keep these, until the limit of 10,000 threads or the memory ends the process.',
    check: CONTAINERD_THREADS,
    act: ['Reduce exec probes; restart containerd node by node: containers keep running under their shims.'],
    avoid: ['Do not delete the pipes under /run/containerd while it runs.'],
    benign: false,
  },
  {
    id: 'containerd-fifo-open',
    title: 'FIFOs whose other end nobody opens',
    kind: 'goroutine',
    signs: [{ any: ['containerd/fifo.openFifo'] }],
    meaning:
      'Opening a FIFO waits in the kernel, with a thread of its own, until the other end is opened. Containers that were created and never started, and execs that failed to start, leave it waiting.',
    check: CONTAINERD_THREADS,
    act: [
      'Look in the log of containerd for containers and execs that fail to start, and stop what retries them.',
      'Restart containerd node by node: containers keep running under their shims.',
    ],
    avoid: ['Do not delete the pipes under /run/containerd while it runs.'],
    benign: false,
  },
  {
    id: 'containerd-pod-streams',
    title: 'Logs of shims and output of containers',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'runtime.(*binary).Start',
          'runtime.loadShim',
          'cri/io.(*ContainerIO)',
          'cri/io.redirectLogs',
          'pkg/server/io.(*ContainerIO)',
          'pkg/server/io.redirectLogs',
        ],
        none: ['containerd/fifo.openFifo'],
      },
    ],
    meaning:
      'containerd copies the log of every shim, one per pod, and the output of every container for as long as they run. Their number follows the pods of the node.',
    check: ['crictl pods -q | wc -l', 'crictl ps -q | wc -l'],
    act: ['None while there are about as many as pods and containers.'],
    avoid: [],
    benign: true,
    isTiedToPods: true,
  },
];
