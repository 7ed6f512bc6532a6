/**
 * The owner of a family, by the functions in it: the first rule that matches any frame decides. Rules are data, written
 * for normalised names, most specific first.
 */
export interface OwnerRule {
  readonly frames: RegExp;
  /** `$1` is the text that the first group matched. */
  readonly owner: string;
}

const KUBELET = 'k8s\\.io/kubernetes/pkg/kubelet';

export const OWNER_RULES: readonly OwnerRule[] = [
  { frames: rule(`${KUBELET}/prober\\.`), owner: 'kubelet prober' },
  { frames: rule(`${KUBELET}\\.\\(\\*podWorkers\\)`), owner: 'kubelet pod workers' },
  { frames: rule(`${KUBELET}/pleg\\.`), owner: 'kubelet PLEG' },
  {
    frames: rule(
      `${KUBELET}/volumemanager[/.]|k8s\\.io/kubernetes/pkg/volume/util/(operationexecutor|nestedpendingoperations)`,
    ),
    owner: 'kubelet volume manager',
  },
  { frames: rule(`${KUBELET}/stats\\.`), owner: 'kubelet CRI stats' },
  { frames: rule(`${KUBELET}/cm/devicemanager`), owner: 'kubelet device manager' },
  { frames: rule(`${KUBELET}/cm/(cpu|memory|topology)manager`), owner: 'kubelet $1 manager' },
  { frames: rule(`${KUBELET}/cm[/.]`), owner: 'kubelet container manager (cgroups)' },
  { frames: rule(`${KUBELET}/nodeshutdown|github\\.com/godbus/dbus`), owner: 'kubelet node shutdown manager (dbus)' },
  { frames: rule(`${KUBELET}/eviction`), owner: 'kubelet eviction manager' },
  { frames: rule(`${KUBELET}/images`), owner: 'kubelet image manager' },
  { frames: rule(`${KUBELET}/status\\.`), owner: 'kubelet status manager' },
  { frames: rule(`${KUBELET}/kuberuntime/logs`), owner: 'kubelet container logs' },
  { frames: rule(`${KUBELET}/podcertificate`), owner: 'kubelet pod certificates' },
  { frames: rule(`${KUBELET}/(secret|configmap|util/manager)[/.]`), owner: 'kubelet Secret and ConfigMap cache' },
  { frames: rule(`${KUBELET}/server/stats\\.`), owner: 'kubelet volume statistics' },
  { frames: rule(`${KUBELET}/server[/.]`), owner: 'kubelet server' },
  { frames: rule('k8s\\.io/cri-client/pkg'), owner: 'CRI client (container runtime)' },
  {
    frames: rule(
      'k8s\\.io/apimachinery/pkg/util/proxy\\.\\(\\*UpgradeAwareHandler\\)|github\\.com/moby/spdystream|' +
        'k8s\\.io/cri-streaming/|k8s\\.io/client-go/tools/remotecommand',
    ),
    owner: 'exec, attach and port-forward streams',
  },
  { frames: rule('github\\.com/google/cadvisor/'), owner: 'cadvisor' },
  { frames: rule('syscall\\.Statfs|golang\\.org/x/sys/unix\\.Statfs'), owner: 'file system that does not answer' },
  { frames: rule('k8s\\.io/kubernetes/pkg/controller/([\\w-]+)'), owner: '$1 controller' },
  { frames: rule('k8s\\.io/kubernetes/pkg/(scheduler|proxy)[/.]'), owner: 'kube-$1' },
  { frames: rule('github\\.com/kcp-dev/kcp/pkg/reconciler/(?:[\\w-]+/)*([\\w-]+)\\.'), owner: 'kcp $1 reconciler' },
  { frames: rule('github\\.com/kcp-dev/kcp/pkg/admission/([\\w-]+)'), owner: 'kcp $1 admission' },
  { frames: rule('github\\.com/kcp-dev/kcp/pkg/([\\w-]+)'), owner: 'kcp $1' },
  { frames: rule('k8s\\.io/client-go/tools/events'), owner: 'client-go event broadcaster' },
  { frames: rule('k8s\\.io/client-go/tools/leaderelection'), owner: 'client-go leader election' },
  {
    frames: rule('k8s\\.io/client-go/tools/cache\\.\\(\\*(processorListener|sharedProcessor)\\)'),
    owner: 'client-go informer event handlers',
  },
  { frames: rule('k8s\\.io/client-go/tools/cache'), owner: 'client-go informers' },
  { frames: rule('k8s\\.io/client-go/util/workqueue'), owner: 'client-go work queues' },
  { frames: rule('k8s\\.io/apiserver/pkg/storage/cacher'), owner: 'API server watch cache' },
  { frames: rule('k8s\\.io/apiserver/pkg/endpoints/handlers'), owner: 'API server request handlers' },
  { frames: rule('k8s\\.io/apimachinery/pkg/watch\\.\\(\\*StreamWatcher\\)'), owner: 'client-go watch streams' },
  { frames: rule('k8s\\.io/client-go/transport'), owner: 'client-go transport' },
  { frames: rule('sigs\\.k8s\\.io/controller-runtime'), owner: 'controller-runtime' },
  { frames: rule('go\\.etcd\\.io/etcd/(?:server/)?([\\w-]+)'), owner: 'etcd $1' },
  { frames: rule('google\\.golang\\.org/grpc'), owner: 'gRPC connections' },
  { frames: rule('net/http\\.|golang\\.org/x/net/http2'), owner: 'HTTP connections' },
];

/** A rule matches at the beginning of a frame. */
function rule(source: string): RegExp {
  return new RegExp(`^(?:${source})`);
}
