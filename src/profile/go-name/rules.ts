/**
 * Tables of changes to a function's name that leave its code the same. `normalise.ts` applies them.
 *
 * Aliases map old names to the newest, and no result is itself an old name, so normalising twice changes nothing more.
 * Add to these tables when code moves, to keep the ids of its families.
 */

/** Everything up to the last of these is where a package was copied to, and not part of its name. */
export const COPY_MARKS: readonly string[] = ['/vendor/', '/Godeps/_workspace/src/', '/staging/src/'];

/**
 * Below these, `/v2` is an API version (`k8s.io/api/autoscaling/v2`). Elsewhere it is a module version, which says
 * nothing about the code.
 */
export const API_VERSION_PATHS: RegExp =
  /^k8s\.io\/(api|client-go|kubernetes|kube-aggregator|apiextensions-apiserver)\/|\/apis?\//;

/** Packages that moved: old import path -> new, including everything below it. */
export const PACKAGE_ALIASES: readonly (readonly [from: string, to: string])[] = [
  ['github.com/docker/spdystream', 'github.com/moby/spdystream'],
  ['github.com/google/cadvisor/utils/oomparser', 'k8s.io/kubernetes/third_party/forked/cadvisor/oomparser'],
  ['github.com/google/cadvisor/manager', 'github.com/google/cadvisor/lib/manager'],
  ['k8s.io/kubernetes/pkg/kubelet/server/portforward', 'k8s.io/cri-streaming/pkg/streaming/portforward'],
  ['k8s.io/kubernetes/pkg/kubelet/cri/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['k8s.io/kubelet/pkg/cri/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['k8s.io/kubernetes/pkg/kubelet/server/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['github.com/opencontainers/runc/libcontainer/cgroups', 'github.com/opencontainers/cgroups'],
  ['k8s.io/kubernetes/pkg/kubelet/cri/remote', 'k8s.io/cri-client/pkg'],
  ['k8s.io/kubernetes/pkg/client/cache', 'k8s.io/client-go/tools/cache'],
  ['k8s.io/kubernetes/pkg/util/wait', 'k8s.io/apimachinery/pkg/util/wait'],
  ['k8s.io/kubernetes/pkg/util/workqueue', 'k8s.io/client-go/util/workqueue'],
  ['k8s.io/kubernetes/pkg/util/mount', 'k8s.io/mount-utils'],
  ['k8s.io/utils/mount', 'k8s.io/mount-utils'],
  ['k8s.io/kubernetes/pkg/controller/node/scheduler', 'k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler'],
  ['github.com/coreos/etcd', 'go.etcd.io/etcd'],
  ['github.com/kcp-dev/apimachinery/third_party/informers', 'k8s.io/client-go/tools/cache'],
  // Until it got its own package, Go's copy of http2 lived in net/http under prefixed names.
  ['net/http/internal/http2', 'golang.org/x/net/http2'],
  ['runtime/internal', 'internal/runtime'],
];

/** `net/http.(*http2ClientConn).readLoop` is `golang.org/x/net/http2.(*ClientConn).readLoop`. */
export const BUNDLED_HTTP2: RegExp = /^(\(\*)?http2([A-Za-z])/;
export const HTTP2_PACKAGE = 'golang.org/x/net/http2';

const CACHE = 'k8s.io/client-go/tools/cache';
const WAIT = 'k8s.io/apimachinery/pkg/util/wait';
const QUEUE = 'k8s.io/client-go/util/workqueue';
const CM = 'k8s.io/kubernetes/pkg/kubelet/cm';
const PLEG = 'k8s.io/kubernetes/pkg/kubelet/pleg';

/** Renamed types and functions. A type takes its methods along. Applied after the package aliases. */
export const NAME_ALIASES: ReadonlyMap<string, string> = new Map([
  [`${CM}.(*cgroupManagerImpl)`, `${CM}.(*cgroupCommon)`],
  [`${QUEUE}.(*Type)`, `${QUEUE}.(*Typed)`],
  [`${PLEG}.(*GenericPLEG).relist`, `${PLEG}.(*GenericPLEG).Relist`],
  ['k8s.io/client-go/transport.(*dynamicClientCert).Run', 'k8s.io/client-go/transport.(*dynamicClientCert).run'],
  [`${CACHE}.(*Reflector).ListAndWatch`, `${CACHE}.(*Reflector).ListAndWatchWithContext`],
  [`${CACHE}.(*Reflector).Run`, `${CACHE}.(*Reflector).RunWithContext`],
  [`${CACHE}.(*Reflector).watchHandler`, `${CACHE}.handleWatch`],
  [`${CACHE}.watchHandler`, `${CACHE}.handleWatch`],
  [`${CACHE}.(*controller).Run`, `${CACHE}.(*controller).RunWithContext`],
  [`${CACHE}.(*sharedIndexInformer).Run`, `${CACHE}.(*sharedIndexInformer).RunWithContext`],
  [`${WAIT}.BackoffUntil`, `${WAIT}.BackoffUntilWithContext`],
  [`${WAIT}.JitterUntil`, `${WAIT}.JitterUntilWithContext`],
  [`${WAIT}.Until`, `${WAIT}.UntilWithContext`],
  [`${WAIT}.NonSlidingUntil`, `${WAIT}.NonSlidingUntilWithContext`],
  [`${WAIT}.PollUntil`, `${WAIT}.PollUntilWithContext`],
  [`${WAIT}.PollImmediateUntil`, `${WAIT}.PollImmediateUntilWithContext`],
  [`${WAIT}.WaitFor`, `${WAIT}.waitForWithContext`],
  [`${WAIT}.WaitForWithContext`, `${WAIT}.waitForWithContext`],
  ['k8s.io/apimachinery/pkg/watch.NewStreamWatcher', 'k8s.io/apimachinery/pkg/watch.NewStreamWatcherWithLogger'],
  // The only alias from new to old: Stream is also the base of the newer ClientStream and ServerStream.
  ['google.golang.org/grpc/internal/transport.(*ClientStream)', 'google.golang.org/grpc/internal/transport.(*Stream)'],
  // The Go standard library, 1.19 to 1.27.
  ['context.propagateCancel', 'context.(*cancelCtx).propagateCancel'],
  ['context.newCancelCtx', 'context.withCancel'],
  ['runtime.runfinq', 'runtime.runFinalizers'],
]);

/** Names of exported functions, as opposed to types: `With` in `Outer.With.func1` is one. */
export const FUNCTION_VERBS: RegExp =
  /^(New|With|Build|Make|Must|Run|Start|Stop|Poll|Wait|Get|Set|Add|Install|Register|Create|Init|Setup|Do|Serve|Until|Forever|Parse)([A-Z]|$)/;
