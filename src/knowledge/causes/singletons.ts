/** What every process has: the Go runtime and the permanent loops of Kubernetes programs. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, targetMetrics } from './commands.ts';

/** Tested first: no other cause says more. */
export const GO_RUNTIME: readonly CauseRecord[] = [
  {
    id: 'profile-request',
    title: 'The goroutine that took this profile',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'runtime/pprof.(*Profile).WriteTo',
          'runtime/pprof.writeGoroutine',
          'net/http/pprof',
          'runtime/pprof.profileWriter',
          'runtime/pprof.StartCPUProfile',
        ],
      },
    ],
    meaning: 'It served the request for the profile. It is in every dump and gone afterwards.',
    check: [targetMetrics('^go_goroutines')],
    act: ['None.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'go-runtime',
    title: 'Goroutines of the Go runtime',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'runtime.gcBgMarkWorker',
          'runtime.bgsweep',
          'runtime.bgscavenge',
          'runtime.forcegchelper',
          'runtime.runfinq',
          'runtime.runFinalizers',
          'runtime.runCleanups',
          'os/signal.signal_recv',
          'os/signal.loop',
          'runtime.ensureSigM',
          'runtime.updateMaxProcsGoroutine',
        ],
      },
      {
        states: [
          'GC worker (idle)',
          'GC sweep wait',
          'GC scavenge wait',
          'force gc (idle)',
          'finalizer wait',
          'cleanup wait',
          'GOMAXPROCS updater (idle)',
        ],
      },
    ],
    meaning: 'Garbage collector, finalizers and signals: a fixed set of every Go program.',
    check: [targetMetrics('^go_goroutines')],
    act: ['None.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'goroutine-descriptors',
    title: 'Descriptors of goroutines',
    kind: 'heap',
    signs: [{ any: ['runtime.malg', 'runtime.newproc1', 'runtime.newproc'] }],
    meaning:
      'The runtime never frees the descriptor of a goroutine but reuses it. This shows the highest number of goroutines so far, not the current one.',
    check: [targetMetrics('^(go_goroutines|go_memstats_stack_inuse_bytes)')],
    act: [
      'Look at the goroutines: if they grow, their families are the leak; if not, this does not shrink and is harmless.',
    ],
    avoid: [],
    benign: true,
  },
  {
    id: 'profiler-tables',
    title: 'Tables of the profiler itself',
    kind: 'heap',
    signs: [
      { leaf: ['runtime/pprof'] },
      {
        any: [
          'runtime/pprof.(*profileBuilder)',
          'runtime/pprof.StartCPUProfile',
          'runtime.allocm',
          'runtime.stkbucket',
        ],
      },
    ],
    meaning: 'Memory of taking profiles and of threads. It follows the number of distinct stacks and threads.',
    check: [targetMetrics('^go_memory_classes_profiling_buckets_bytes')],
    act: ['None unless go_memory_classes_profiling_buckets_bytes is a large share of the memory.'],
    avoid: [],
    benign: true,
  },
];

const PARKED = ['select', 'chan receive', 'sleep', 'IO wait', 'sync.Cond.Wait', 'sync.WaitGroup.Wait'];
const CONTROLLERS = [
  'k8s.io/apiserver/',
  'k8s.io/kube-aggregator/',
  'k8s.io/apiextensions-apiserver/',
  'k8s.io/controller-manager/',
  'sigs.k8s.io/controller-runtime/',
  'kubernetes/pkg/controlplane/',
  'kubernetes/pkg/controller/',
  'kubernetes/pkg/registry/',
  'kubernetes/pkg/scheduler/',
  'kubernetes/pkg/scheduler',
  'kubernetes/pkg/proxy/',
  'kubernetes/cmd/',
];

/** Tested late: they match whatever has no better description. */
export const STANDING_LOOPS: readonly CauseRecord[] = [
  {
    id: 'main',
    title: 'The main goroutine',
    kind: 'goroutine',
    signs: [{ any: ['main.main', 'runtime.main'], uncreated: true }],
    meaning: 'The goroutine that the program started with. There is exactly one.',
    check: [targetMetrics('^go_goroutines')],
    act: ['None.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'kubelet-sync-loop',
    title: 'The main loop of the kubelet',
    kind: 'goroutine',
    signs: [{ any: ['kubelet.(*Kubelet).syncLoop', 'kubelet.(*Kubelet).syncLoopIteration'] }],
    meaning:
      'The loop that hands out all pod work. In a select it is idle; if it stays anywhere else for long, it blocks the whole node.',
    check: [
      'kubectl get --raw "/api/v1/nodes/$NODE/proxy/healthz/syncloop"',
      kubeletMetrics('^kubelet_pleg_last_seen_seconds'),
    ],
    act: ['If the frames above syncLoopIteration wait for something, treat that.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'kubelet-loops',
    title: 'Permanent loops of the kubelet',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'pkg/kubelet',
          'pkg/kubelet/',
          'cmd/kubelet/',
          'pkg/util/iptables',
          'component-helpers/apimachinery/lease',
        ],
        states: PARKED,
      },
      {
        leaf: ['util/wait', 'pkg/util/iptables'],
        creators: ['pkg/kubelet', 'pkg/kubelet/', 'cmd/kubelet/', 'cmd/kubelet/app'],
      },
      { creators: ['pkg/kubelet', 'pkg/kubelet/', 'cmd/kubelet/app'], states: ['select', 'chan receive'] },
    ],
    meaning:
      'Status, eviction, images, logs, tokens, leases, configuration: one or two loops each for the life of the kubelet. Growth of one means it is started again and again.',
    check: [kubeletMetrics('^go_goroutines')],
    act: ['None unless it grows; then the creator says which part starts it.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'controller-loops',
    title: 'Permanent loops of control plane programs',
    kind: 'goroutine',
    signs: [
      { leaf: CONTROLLERS, states: PARKED },
      { leaf: ['util/wait'], creators: CONTROLLERS, states: PARKED },
    ],
    meaning:
      'Controllers and servers that wait for their stop channel, their next turn or their workers: a fixed set per process. Growth of one means it is started per object or tenant and not stopped.',
    check: [targetMetrics('^go_goroutines')],
    act: ['None unless it grows; then see who starts it.'],
    avoid: [],
    benign: true,
  },
];
