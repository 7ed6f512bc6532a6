/**
 * Packages that work on behalf of their callers, as data: what runs or allocates in them belongs to the caller.
 *
 * The whole standard library is shared. A package is listed if the same code serves many owners, so that naming it
 * would say nothing. Caches and pools that hold memory of their own (client-go/tools/cache) are not listed.
 */
import { packageOf } from './normalise.ts';

/** First elements of the import paths of Go's standard library, from Go 1.0 to 1.27. */
const STD_ROOTS: ReadonlySet<string> = new Set(
  (
    'archive arena bufio builtin bytes cmp compress container context crypto database debug embed encoding errors ' +
    'expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp ' +
    'runtime simd slices sort strconv strings structs sync syscall testing text time unicode unique unsafe weak'
  ).split(' '),
);

/** Import paths, each with everything below it. */
const SHARED_PACKAGES: readonly string[] = [
  'golang.org/x',
  'google.golang.org/protobuf',
  'google.golang.org/grpc',
  'google.golang.org/genproto',
  'google.golang.org/api',
  'github.com/gogo/protobuf',
  'github.com/golang/protobuf',
  'github.com/golang/groupcache',
  'github.com/containerd/fifo',
  'github.com/containerd/ttrpc',
  'github.com/json-iterator/go',
  'github.com/modern-go',
  'github.com/mailru/easyjson',
  'github.com/fxamacher/cbor',
  'github.com/klauspost/compress',
  'github.com/emicklei/go-restful',
  'github.com/gorilla/websocket',
  'github.com/felixge/httpsnoop',
  'github.com/spf13/cobra',
  'github.com/spf13/pflag',
  'github.com/go-logr',
  'github.com/sirupsen/logrus',
  'github.com/hashicorp/golang-lru',
  'github.com/google/btree',
  'github.com/google/uuid',
  'github.com/google/gnostic-models',
  'github.com/prometheus/client_golang',
  'github.com/prometheus/client_model',
  'github.com/prometheus/common',
  'go.uber.org/zap',
  'go.yaml.in/yaml',
  'gopkg.in/yaml',
  'gopkg.in/inf',
  'sigs.k8s.io/yaml',
  'sigs.k8s.io/json',
  'sigs.k8s.io/structured-merge-diff',
  'go.opentelemetry.io/otel',
  'go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp/internal',
  'k8s.io/klog',
  'k8s.io/api',
  'k8s.io/component-base/metrics',
  'k8s.io/component-base/tracing',
  'k8s.io/kube-openapi',
  'k8s.io/utils',
  'k8s.io/apimachinery/pkg/api',
  'k8s.io/apimachinery/pkg/apis',
  'k8s.io/apimachinery/pkg/conversion',
  'k8s.io/apimachinery/pkg/fields',
  'k8s.io/apimachinery/pkg/labels',
  'k8s.io/apimachinery/pkg/runtime',
  'k8s.io/apimachinery/pkg/util/cache',
  'k8s.io/apimachinery/pkg/util/framer',
  'k8s.io/apimachinery/pkg/util/json',
  'k8s.io/apimachinery/pkg/util/managedfields',
  'k8s.io/apimachinery/pkg/util/net',
  'k8s.io/apimachinery/pkg/util/runtime',
  'k8s.io/apimachinery/pkg/util/sets',
  'k8s.io/apimachinery/pkg/util/uuid',
  'k8s.io/apimachinery/pkg/util/wait',
  'k8s.io/apimachinery/pkg/util/yaml',
  'k8s.io/apimachinery/third_party',
  'k8s.io/client-go/applyconfigurations',
  'k8s.io/client-go/gentype',
  'k8s.io/client-go/kubernetes',
  'k8s.io/client-go/listers',
  'k8s.io/client-go/rest',
  'k8s.io/client-go/transport',
  'k8s.io/client-go/util/flowcontrol',
  'k8s.io/cri-api',
];

const TREE: ReadonlySet<string> = new Set(SHARED_PACKAGES);

/** Whether a package is part of Go itself. */
export function isStd(path: string): boolean {
  const slash = path.indexOf('/');
  return STD_ROOTS.has(slash < 0 ? path : path.slice(0, slash));
}

export function isSharedPackage(path: string): boolean {
  if (path === '' || isStd(path)) return true;
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (TREE.has(path.slice(0, end))) return true;
  }
  return false;
}

export function isSharedFrame(frame: string): boolean {
  return isSharedPackage(packageOf(frame));
}

/** Index of the frame that leads the title of a family. */
export function leadingFrame(frames: readonly string[]): number {
  return leadingIndex(frames.map(isSharedFrame), frames);
}

/** They start a function as a goroutine, and name nobody. */
const LAUNCHERS: ReadonlySet<string> = new Set(['sync.(*WaitGroup).Go', 'golang.org/x/sync/errgroup.(*Group).Go']);

/** By frame, leaf first, whether it is shared: the first one that is not leads, else the outermost that tells something. */
export function leadingIndex(shared: ArrayLike<boolean>, frames: readonly string[]): number {
  for (let i = 0; i < shared.length; i++) if (!shared[i]) return i;
  const last = shared.length - 1;
  return last > 0 && LAUNCHERS.has(frames[last]) ? last - 1 : last;
}
