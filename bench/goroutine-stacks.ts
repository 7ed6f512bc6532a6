/**
 * A few hundred distinct goroutine stacks of a made-up kubelet, 5 to 25 frames deep: the frames in which it waits, the
 * code of some component, and the frames through which it was started. Stacks share their ends, as real ones do.
 */
import { randomFrom } from './random.ts';

export interface MadeFrame {
  readonly fn: string;
  /** With its line. */
  readonly place: string;
  /** Printed as `(...)` and without an offset. */
  readonly inlined: boolean;
  readonly entry: number;
  readonly offset: number;
  /** The form of the arguments: `p` a pointer, `i` an interface, `s` a slice, `w` a word; `?` may follow each. */
  readonly shape: readonly string[];
}

export interface MadeStack {
  readonly state: string;
  /** Leaf first. */
  readonly frames: readonly MadeFrame[];
  readonly creator: MadeFrame;
}

const WAITS: readonly (readonly [state: string, ...calls: string[]])[] = [
  ['select'],
  ['select'],
  ['chan receive'],
  ['chan receive'],
  ['chan send'],
  ['sleep', 'time.Sleep runtime/time.go'],
  ['semacquire', 'sync.runtime_SemacquireWaitGroup runtime/sema.go', 'sync.(*WaitGroup).Wait sync/waitgroup.go'],
  ['sync.Cond.Wait', 'sync.runtime_notifyListWait runtime/sema.go', 'sync.(*Cond).Wait sync/cond.go'],
  [
    'IO wait',
    'internal/poll.runtime_pollWait runtime/netpoll.go',
    'internal/poll.(*pollDesc).wait internal/poll/fd_poll_runtime.go',
    'internal/poll.(*pollDesc).waitRead internal/poll/fd_poll_runtime.go',
    'internal/poll.(*FD).Read internal/poll/fd_unix.go',
    'net.(*netFD).Read net/fd_posix.go',
    'net.(*conn).Read net/net.go',
    'crypto/tls.(*atLeastReader).Read crypto/tls/conn.go',
    'bytes.(*Buffer).ReadFrom bytes/buffer.go',
    'crypto/tls.(*Conn).readFromUntil crypto/tls/conn.go',
    'crypto/tls.(*Conn).readRecordOrCCS crypto/tls/conn.go',
    'crypto/tls.(*Conn).Read crypto/tls/conn.go',
  ],
];

const STARTS: readonly (readonly string[])[] = [
  [
    'k8s.io/apimachinery/pkg/util/wait.BackoffUntilWithContext.func1 k8s.io/apimachinery/pkg/util/wait/backoff.go',
    'k8s.io/apimachinery/pkg/util/wait.BackoffUntilWithContext k8s.io/apimachinery/pkg/util/wait/backoff.go',
    'k8s.io/apimachinery/pkg/util/wait.JitterUntil k8s.io/apimachinery/pkg/util/wait/backoff.go',
    'k8s.io/apimachinery/pkg/util/wait.Until k8s.io/apimachinery/pkg/util/wait/backoff.go',
  ],
  [
    'k8s.io/client-go/tools/cache.(*processorListener).run k8s.io/client-go/tools/cache/shared_informer.go',
    'k8s.io/apimachinery/pkg/util/wait.(*Group).Start.func1 k8s.io/apimachinery/pkg/util/wait/wait.go',
  ],
  [
    'google.golang.org/grpc.(*Server).processUnaryRPC google.golang.org/grpc@v1.72.2/server.go',
    'google.golang.org/grpc.(*Server).handleStream google.golang.org/grpc@v1.72.2/server.go',
    'google.golang.org/grpc.(*Server).serveStreams.func2.1 google.golang.org/grpc@v1.72.2/server.go',
  ],
  [
    'github.com/emicklei/go-restful/v3.(*Container).dispatch github.com/emicklei/go-restful/v3@v3.12.2/container.go',
    'net/http.HandlerFunc.ServeHTTP net/http/server.go',
    'k8s.io/apiserver/pkg/server/httplog.withLogging.func1 k8s.io/apiserver/pkg/server/httplog/httplog.go',
    'net/http.HandlerFunc.ServeHTTP net/http/server.go',
    'net/http.serverHandler.ServeHTTP net/http/server.go',
    'net/http.(*conn).serve net/http/server.go',
  ],
  ['golang.org/x/sync/errgroup.(*Group).Go.func1 golang.org/x/sync@v0.16.0/errgroup/errgroup.go'],
];

const COMPONENTS = [
  'k8s.io/kubernetes/pkg/kubelet',
  'k8s.io/kubernetes/pkg/kubelet/cm/devicemanager',
  'k8s.io/kubernetes/pkg/kubelet/kuberuntime',
  'k8s.io/kubernetes/pkg/kubelet/pleg',
  'k8s.io/kubernetes/pkg/kubelet/prober',
  'k8s.io/kubernetes/pkg/kubelet/status',
  'k8s.io/kubernetes/pkg/kubelet/volumemanager/reconciler',
  'k8s.io/kubernetes/pkg/volume/util/operationexecutor',
  'k8s.io/client-go/tools/cache',
  'k8s.io/client-go/util/workqueue',
  'google.golang.org/grpc/internal/transport',
  'golang.org/x/net/http2',
];
const TYPES = [
  'podWorkers',
  'manager',
  'Reflector',
  'worker',
  'controllerImpl',
  'Typed[...]',
  'http2Client',
  'endpointImpl',
];
const VERBS = ['sync', 'run', 'process', 'handle', 'list', 'watch', 'update', 'relist', 'probe', 'mount'];
const NOUNS = ['Loop', 'Pod', 'Item', 'Volume', 'Status', 'Container', 'Stream', 'Queue', 'Event', 'Device'];
const SHAPES = ['p', 'p?', 'i', 'i?', 's', 'w', 'w?'];

export function makeStacks(count: number, minDepth: number, maxDepth: number): MadeStack[] {
  const random = randomFrom(7);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)];
  const known = new Map<string, MadeFrame>();
  let nextEntry = 0x47a000;

  const frame = (call: string): MadeFrame => {
    let found = known.get(call);
    if (found === undefined) {
      const [fn, file] = call.split(' ');
      found = {
        fn,
        place: `${file}:${20 + below(1500)}`,
        inlined: random() < 0.08,
        entry: (nextEntry += 32 * (1 + below(60))),
        offset: 16 + below(1200),
        shape: Array.from({ length: below(5) }, () => pick(SHAPES)),
      };
      known.set(call, found);
    }
    return found;
  };
  const componentCall = (pkg: string): string => {
    const verb = pick(VERBS);
    const noun = pick(NOUNS);
    const closure = random() < 0.25 ? `.func${1 + below(3)}` : '';
    return `${pkg}.(*${pick(TYPES)}).${verb}${noun}${closure} ${pkg}/${verb}_${noun.toLowerCase()}.go`;
  };

  return Array.from({ length: count }, () => {
    const [state, ...wait] = pick(WAITS);
    const start = pick(STARTS);
    const depth = minDepth + below(maxDepth - minDepth + 1);
    const pkg = pick(COMPONENTS);
    const middle: string[] = [];
    do middle.push(componentCall(random() < 0.8 ? pkg : pick(COMPONENTS)));
    while (wait.length + middle.length + start.length < depth);
    const frames = [...wait, ...middle, ...start].slice(0, maxDepth).map(frame);
    return { state, frames, creator: frame(componentCall(pkg)) };
  });
}
