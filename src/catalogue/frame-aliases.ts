/** Code that moved: older names of packages and methods, and the name they are compared under. */

/** Package path, or its beginning up to a slash -> the path now. */
export const MOVED_PACKAGES: readonly (readonly [old: string, now: string])[] = [
  ['github.com/docker/spdystream', 'github.com/moby/spdystream'],
  ['github.com/google/cadvisor/lib', 'github.com/google/cadvisor'],
  ['k8s.io/kubernetes/third_party/forked/cadvisor/oomparser', 'github.com/google/cadvisor/utils/oomparser'],
  ['k8s.io/kubernetes/pkg/kubelet/server/portforward', 'k8s.io/cri-streaming/pkg/streaming/portforward'],
  ['k8s.io/kubernetes/pkg/kubelet/server/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['k8s.io/kubelet/pkg/cri/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['k8s.io/kubernetes/pkg/client/cache', 'k8s.io/client-go/tools/cache'],
  ['k8s.io/kubernetes/pkg/util/wait', 'k8s.io/apimachinery/pkg/util/wait'],
  ['k8s.io/kubernetes/pkg/util/workqueue', 'k8s.io/client-go/util/workqueue'],
  ['k8s.io/kubernetes/pkg/kubelet/cri/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['k8s.io/kubernetes/pkg/kubelet/cri/remote', 'k8s.io/cri-client/pkg'],
  ['github.com/opencontainers/runc/libcontainer/cgroups', 'github.com/opencontainers/cgroups'],
  ['k8s.io/kubernetes/pkg/util/mount', 'k8s.io/mount-utils'],
  ['k8s.io/utils/mount', 'k8s.io/mount-utils'],
  ['k8s.io/kubernetes/pkg/controller/node/scheduler', 'k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler'],
];

/** `package.rest` after the packages were moved -> what it is called now. */
export const RENAMED_METHODS: readonly (readonly [old: RegExp, now: string])[] = [
  [/^(k8s\.io\/kubernetes\/pkg\/kubelet\/cm\.)\(\*cgroupManagerImpl\)/, '$1(*cgroupCommon)'],
  [/^(k8s\.io\/client-go\/tools\/cache\.\(\*Reflector\)\.ListAndWatch)WithContext\b/, '$1'],
  [/^(k8s\.io\/kubernetes\/pkg\/kubelet\/pleg\.\(\*GenericPLEG\)\.)relist\b/, '$1Relist'],
  [/^(k8s\.io\/client-go\/util\/workqueue\.)\(\*Typed\)/, '$1(*Type)'],
  [/^(google\.golang\.org\/grpc\/internal\/transport\.)\(\*ClientStream\)/, '$1(*Stream)'],
  [/^(k8s\.io\/apimachinery\/pkg\/util\/wait\.)(?:WaitFor|waitFor)(?:WithContext)?\b/, '$1WaitFor'],
  [/^context\.propagateCancel\b/, 'context.(*cancelCtx).propagateCancel'],
  [/^context\.newCancelCtx\b/, 'context.withCancel'],
  [/^(k8s\.io\/client-go\/transport\.\(\*dynamicClientCert\)\.)run\b/, '$1Run'],
];
