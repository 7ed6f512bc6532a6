import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CAUSES, causeById, causeOf } from './cause-of.ts';
import type { FamilyEvidence } from './cause-record.ts';

const KUBELET = 'k8s.io/kubernetes/pkg/kubelet';
const CACHE = 'k8s.io/client-go/tools/cache';
const WAIT = 'k8s.io/apimachinery/pkg/util/wait';
const GRPC = 'google.golang.org/grpc';
const INVOKE = `${GRPC}.(*ClientConn).Invoke`;
const LOOP = `${KUBELET}.(*podWorkers).podWorkerLoop`;

interface Shown {
  readonly state?: string;
  readonly by?: string;
  readonly minutes?: number;
}

function goroutine(frames: readonly string[], { state, by, minutes }: Shown = {}): FamilyEvidence {
  return {
    kind: 'goroutine',
    frames,
    states: new Map(state === undefined ? [] : [[state, 10]]),
    creators: new Map(by === undefined ? [] : [[by, 10]]),
    waitMinutes: minutes === undefined ? undefined : { median: minutes, max: minutes },
  };
}

function heap(...frames: string[]): FamilyEvidence {
  return { kind: 'heap', frames, states: new Map(), creators: new Map(), waitMinutes: undefined };
}

/** Normalised stacks from dumps and reports, with the cause that each must get. */
const STACKS: readonly (readonly [cause: string, family: FamilyEvidence])[] = [
  ['profile-request', goroutine(['runtime/pprof.(*Profile).WriteTo', 'net/http/pprof.Index'], { state: 'running' })],
  ['go-runtime', goroutine(['os/signal.loop'], { state: 'syscall' })],
  ['go-runtime', goroutine(['runtime.gcBgMarkWorker'], { state: 'GC worker (idle)' })],
  ['main', goroutine([`${KUBELET}mark.Run`, 'main.main'], { state: 'select (no cases)' })],
  ['goroutine-descriptors', heap('runtime.malg', 'runtime.newproc1')],
  ['profiler-tables', heap('runtime/pprof.(*profileBuilder).emitLocation')],

  ['context-pod-sync', heap('context.withCancel', 'context.WithCancel', `${KUBELET}.(*podWorkers).startPodSync`)],
  [
    'context-pod-sync',
    heap('context.(*cancelCtx).propagateCancel', `${KUBELET}/volumemanager.(*volumeManager).WaitForAttachAndMount`),
  ],
  [
    'context-preemption',
    heap(
      'context.(*cancelCtx).propagateCancel',
      'k8s.io/kubernetes/pkg/scheduler/framework/preemption.(*Evaluator).DryRunPreemption',
    ),
  ],
  ['context-uncancelled', heap('context.WithCancel', 'main.leakContexts')],
  [
    'context-watcher',
    goroutine(['context.(*cancelCtx).propagateCancel'], {
      state: 'select',
      by: 'context.(*cancelCtx).propagateCancel',
    }),
  ],

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
  ['containerd-exec-fifo', goroutine(['os.OpenFile', 'github.com/containerd/fifo.openFifo'], { state: 'select' })],

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

  [
    'otel-meters',
    heap(
      'go.opentelemetry.io/otel/internal/global.(*meter).Int64Counter',
      'go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp.(*Transport).createMeasures',
    ),
  ],
  [
    'metric-series',
    heap(
      'github.com/prometheus/client_golang/prometheus.MakeLabelPairs',
      'github.com/prometheus/client_golang/prometheus.(*CounterVec).WithLabelValues',
    ),
  ],
  [
    'scrape-blocked',
    goroutine(['sync.(*WaitGroup).Wait', 'github.com/prometheus/client_golang/prometheus.(*Registry).Gather']),
  ],
  ['scrape-buffers', heap('compress/flate.NewWriter', 'compress/gzip.(*Writer).Write')],
  ['telemetry-loops', goroutine(['k8s.io/klog.(*flushDaemon).run'], { state: 'select' })],

  [
    'informer-handler',
    goroutine([`${CACHE}.(*processorListener).run`, `${WAIT}.(*Group).Start`], { state: 'chan receive', minutes: 31 }),
  ],
  ['informer-handler', goroutine([`${CACHE}.(*processorListener).pop`, `${WAIT}.(*Group).Start`], { state: 'select' })],
  [
    'informer-handler-blocked',
    heap('k8s.io/utils/buffer.(*RingGrowing).WriteOne', `${CACHE}.(*processorListener).pop`),
  ],
  [
    'kubelet-object-cache',
    goroutine([`${CACHE}.handleWatch`, `${CACHE}.(*Reflector).watch`], {
      state: 'select',
      by: `${KUBELET}/util/manager.(*objectCacheItem).startReflector`,
    }),
  ],
  [
    'watch-decoder',
    goroutine([
      'sync.(*Cond).Wait',
      'golang.org/x/net/http2.(*pipe).Read',
      'k8s.io/apimachinery/pkg/watch.(*StreamWatcher).receive',
    ]),
  ],
  [
    'reflector',
    goroutine([`${CACHE}.handleWatch`, `${CACHE}.(*Reflector).ListAndWatchWithContext`], {
      state: 'select',
      by: `${WAIT}.(*Group).Start`,
    }),
  ],
  ['informer-store', heap('encoding/json.Unmarshal', `${CACHE}.(*Reflector).list`)],

  [
    'aggregator-transport',
    heap(
      'k8s.io/client-go/transport.(*tlsTransportCache).get',
      'k8s.io/kube-aggregator/pkg/apiserver.(*proxyHandler).updateAPIService',
    ),
  ],
  ['tls-transport-cache', heap('k8s.io/client-go/transport.(*tlsTransportCache).get', 'main.newClient')],
  [
    'client-certificate-reload',
    goroutine(['k8s.io/client-go/transport.(*dynamicClientCert).run'], { state: 'chan receive' }),
  ],
  [
    'certificate-watch',
    goroutine(['k8s.io/apiserver/pkg/server/dynamiccertificates.(*DynamicFileCAContent).Run'], {
      state: 'chan receive',
    }),
  ],
  [
    'event-recording',
    goroutine(['sync.(*Mutex).Lock', 'k8s.io/client-go/tools/events.(*eventBroadcasterImpl).recordToSink'], {
      state: 'sync.Mutex.Lock',
    }),
  ],
  ['event-broadcaster', goroutine(['k8s.io/apimachinery/pkg/watch.(*Broadcaster).loop'], { state: 'chan receive' })],
  ['workqueue-loops', goroutine(['k8s.io/client-go/util/workqueue.(*delayingType).waitingLoop'], { state: 'select' })],
  [
    'workqueue-worker-idle',
    goroutine(['sync.(*Cond).Wait', 'k8s.io/client-go/util/workqueue.(*Typed).Get', 'main.(*ctl).worker']),
  ],
  ['workqueue-items', heap('k8s.io/client-go/util/workqueue.(*Typed).Add')],

  [
    'konnectivity-tunnel',
    goroutine(['sigs.k8s.io/apiserver-network-proxy/konnectivity-client/pkg/client.(*grpcTunnel).serve']),
  ],
  [
    'apiserver-timeout-handler',
    goroutine(['k8s.io/apiserver/pkg/server/filters.(*timeoutHandler).ServeHTTP'], { state: 'chan send' }),
  ],
  ['apiserver-watch-websocket', goroutine(['k8s.io/apiserver/pkg/endpoints/handlers.(*WatchServer).HandleWS'])],
  [
    'watch-served',
    goroutine(['k8s.io/apiserver/pkg/endpoints/handlers.(*WatchServer).HandleHTTP', 'net/http.HandlerFunc.ServeHTTP'], {
      state: 'select',
    }),
  ],
  ['watch-served', goroutine(['k8s.io/apiserver/pkg/storage/cacher.(*cacheWatcher).process'], { state: 'select' })],
  ['watch-cache', goroutine(['k8s.io/apiserver/pkg/storage/cacher.(*Cacher).dispatchEvents'], { state: 'select' })],
  ['watch-cache-objects', heap('k8s.io/apiserver/pkg/storage/cacher.(*watchCache).Add')],
  [
    'openapi-specs',
    heap(
      'k8s.io/kube-openapi/pkg/builder3.BuildOpenAPISpec',
      'github.com/kcp-dev/kcp/pkg/server/openapiv3.(*Controller).sync',
    ),
  ],
  ['kcp-logical-cluster-state', heap('github.com/kcp-dev/kcp/pkg/index.(*State).UpsertLogicalCluster')],
  ['cel-environments', heap('github.com/google/cel-go/cel.(*Env).Extend')],
  [
    'scheduler-queue',
    heap(
      'container/list.(*List).PushBack',
      'k8s.io/kubernetes/pkg/scheduler/backend/queue.(*activeQueue).addEventIfAnyInFlight',
    ),
  ],
  ['etcd-watch', goroutine(['go.etcd.io/etcd/client.(*watchGRPCStream).serveSubstream'], { state: 'select' })],
  ['etcd-loops', goroutine(['go.etcd.io/raft.(*node).run'], { state: 'select' })],

  ['sql-connection-wait', goroutine(['database/sql.(*DB).QueryContext', 'main.load'], { state: 'select' })],
  ['sql-rows-open', goroutine(['database/sql.(*Rows).awaitDone'], { state: 'select' })],
  ['sql-database-opened', goroutine(['database/sql.(*DB).connectionOpener'], { state: 'select' })],
  ['grpc-call-waiting', goroutine([INVOKE, 'main.call'], { state: 'select' })],
  [
    'grpc-connection',
    goroutine([`${GRPC}/internal/transport.(*controlBuffer).get`, `${GRPC}/internal/transport.(*loopyWriter).run`], {
      state: 'select',
    }),
  ],
  ['http-client-connection', goroutine(['net/http.(*persistConn).writeLoop'], { state: 'select' })],
  [
    'http-client-connection',
    goroutine(['bufio.(*Reader).Peek', 'net/http.(*persistConn).readLoop'], { state: 'IO wait' }),
  ],
  ['http-client-request', goroutine(['net/http.(*Client).Do', 'main.fetch'], { state: 'select' })],
  [
    'http2-client-connection',
    goroutine(
      ['golang.org/x/net/http2.(*clientStream).writeRequest', 'golang.org/x/net/http2.(*clientStream).doRequest'],
      { state: 'select' },
    ),
  ],
  ['http-server-idle', goroutine(['bufio.(*Reader).Peek', 'net/http.(*conn).serve'], { state: 'IO wait' })],
  [
    'http-request-goroutine',
    goroutine(['main.(*api).list', 'net/http.HandlerFunc.ServeHTTP', 'net/http.(*conn).serve'], { state: 'select' }),
  ],
  [
    'goroutine-left-by-request',
    goroutine(['main.(*api).list'], { state: 'chan send', by: 'net/http.HandlerFunc.ServeHTTP' }),
  ],
  ['listener', goroutine(['net.(*TCPListener).Accept', 'main.serve'], { state: 'IO wait' })],
  ['connection-read', goroutine(['main.leakNetRead'], { state: 'IO wait' })],
  ['connection-buffers', heap('bufio.NewReaderSize', 'net/http.(*Transport).dialConn')],

  [
    'kubelet-sync-loop',
    goroutine([`${KUBELET}.(*Kubelet).syncLoopIteration`, `${KUBELET}.(*Kubelet).syncLoop`], { state: 'select' }),
  ],
  ['kubelet-loops', goroutine([`${KUBELET}/config.(*sourceFile).run`], { state: 'select' })],
  [
    'controller-loops',
    goroutine(['k8s.io/kube-aggregator/pkg/apiserver.(*discoveryManager).Run'], { state: 'chan receive' }),
  ],
  ['pod-objects', heap('k8s.io/api/core/v1.(*Pod).DeepCopy', `${KUBELET}/config.copyPods`)],
  ['runtime-answers', heap(INVOKE, 'k8s.io/cri-client/pkg.(*remoteRuntimeService).listContainersV1')],
  ['request-objects', heap('encoding/json.Unmarshal', 'k8s.io/apiserver/pkg/endpoints/handlers.UpdateResource')],
  ['startup-tables', heap('regexp.Compile', 'regexp.MustCompile', 'example.com/x.init')],
  ['nil-channel', goroutine(['main.leakNil'], { state: 'chan receive (nil chan)' })],
  ['chan-send', goroutine(['main.leakSend'], { state: 'chan send' })],
  ['mutex', goroutine(['sync.(*Mutex).Lock', 'main.leakMutex'], { state: 'semacquire' })],
  ['mutex', goroutine(['main.f'], { state: 'sync.RWMutex.RLock' })],
  ['wait-group', goroutine(['sync.(*WaitGroup).Wait', 'main.leakWG'])],
  ['cond', goroutine(['sync.(*Cond).Wait', 'main.leakCond'], { state: 'sync.Cond.Wait' })],
  ['external-command', goroutine(['os.(*Process).Wait', 'os/exec.(*Cmd).Wait', 'main.run'], { state: 'syscall' })],
  [
    'periodic-loop',
    goroutine([`${WAIT}.BackoffUntilWithContext`, `${WAIT}.UntilWithContext`, 'example.com/op.(*gc).Run'], {
      state: 'select',
    }),
  ],
  ['ticker', heap('time.NewTicker', 'main.poll')],
  ['sleep', goroutine(['time.Sleep', 'main.leakSleep'], { state: 'sleep' })],
  ['empty-select', goroutine(['main.leakEmpty'], { state: 'select (no cases)', by: 'main.leakEmpty' })],
  ['chan-receive', goroutine(['main.leakRecv'], { state: 'chan receive' })],
  ['select', goroutine(['main.leakSelect'], { state: 'select' })],
];

/** Stacks that resemble a cause but do not have it. */
const NEAR_MISSES: readonly (readonly [not: string, is: string | undefined, family: FamilyEvidence])[] = [
  ['hung-file-system', 'sleep', goroutine(['time.Sleep', 'os.Statement'], { state: 'sleep' })],
  ['hung-file-system', undefined, goroutine(['os.Stat', 'main.walk'], { state: 'syscall' })],
  ['hung-file-system', undefined, goroutine(['os.Stat', 'main.walk'], { state: 'running', minutes: 9 })],
  ['context-pod-sync', 'pod-workers-map', heap(`${KUBELET}.(*podWorkers).UpdatePod`)],
  ['context-uncancelled', undefined, heap('main.contextual.withCancel')],
  ['pod-worker-idle', 'select', goroutine(['example.com/x/kubelets.(*podWorkers).podWorkerLoop'], { state: 'select' })],
  ['probe-worker-idle', 'select', goroutine(['example.com/prober.(*workers).run'], { state: 'select' })],
  [
    'event-recording',
    'event-broadcaster',
    goroutine(['k8s.io/client-go/tools/events.(*eventBroadcasterImpl).StartEventWatcher']),
  ],
  [
    'apiserver-timeout-handler',
    'http-request-goroutine',
    goroutine(['k8s.io/apiserver/pkg/server/filters.(*timeoutHandler).ServeHTTP', 'net/http.HandlerFunc.ServeHTTP'], {
      state: 'running',
    }),
  ],
  ['main', 'chan-receive', goroutine(['main.main'], { state: 'chan receive', by: 'main.main' })],
  ['pod-cgroup-cleanup', 'mutex', goroutine(['sync.(*Mutex).Lock', 'main.(*podContainerManagerImpl2).Destroy'])],
  ['chan-send', undefined, goroutine(['main.busy'])],
  ['informer-handler', 'chan-receive', goroutine(['main.(*listener).run'], { state: 'chan receive' })],
];

describe('causeOf', () => {
  it('names the cause of documented stacks', () => {
    for (const [cause, family] of STACKS) assert.equal(causeOf(family)?.id, cause, family.frames.join(' < '));
  });

  it('has a stack for every cause', () => {
    const tried = new Set(STACKS.map(([cause]) => cause));
    assert.deepEqual(
      CAUSES.map(cause => cause.id).filter(id => !tried.has(id)),
      [],
    );
  });

  it('rejects near misses', () => {
    for (const [not, is, family] of NEAR_MISSES) {
      const found = causeOf(family)?.id;
      assert.notEqual(found, not);
      assert.equal(found, is, family.frames.join(' < '));
    }
  });

  it('separates kinds and needs no frames', () => {
    assert.equal(causeOf(heap('sync.(*Mutex).Lock', 'main.f')), undefined);
    assert.equal(causeOf(goroutine([])), undefined);
    assert.equal(causeOf(goroutine(['', '/', '.', 'x/', '.(', 'a.(']))?.id, undefined);
  });

  it('decides by what most of the goroutines wait for', () => {
    const mixed = {
      ...goroutine(['main.f']),
      states: new Map([
        ['chan send', 3],
        ['running', 9],
      ]),
    };
    assert.equal(causeOf(mixed), undefined);
    assert.equal(
      causeOf({
        ...mixed,
        states: new Map([
          ['chan send', 9],
          ['running', 3],
        ]),
      })?.id,
      'chan-send',
    );
  });
});

describe('causes', () => {
  it('are complete and plain data', () => {
    const ids = CAUSES.map(cause => cause.id);
    assert.equal(new Set(ids).size, ids.length, 'ids are unique');
    for (const cause of CAUSES) {
      assert.match(cause.id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
      assert.ok(cause.signs.length > 0 && cause.check.length > 0 && cause.act.length > 0, cause.id);
      assert.match(cause.meaning, /\.$/, cause.id);
      assert.ok(cause.title.length <= 60 && !cause.title.endsWith('.'), cause.id);
      for (const text of [...cause.act, ...cause.avoid]) assert.match(text, /\.$|^See .*true$/, `${cause.id}: ${text}`);
      const plain = causeById(cause.id);
      assert.deepEqual(Object.keys(plain ?? {}), ['id', 'title', 'meaning', 'check', 'act', 'avoid', 'benign']);
    }
  });

  it('repeat none of the mistakes in common guides', () => {
    const texts = CAUSES.flatMap(({ check, act, meaning }) => [...check, ...act, meaning]).join('\n');
    for (const wrong of [
      /kubelet_goroutines/,
      /kubelet_sync_loop_duration/,
      /kubelet_evictions_total/,
      /can-i get nodes\/proxy/,
      /10255/,
      /image-gc-high-threshold/,
      /#13190[56]/,
    ]) {
      assert.doesNotMatch(texts, wrong);
    }
    for (const line of texts.split('\n').filter(text => text.includes('prober_probe_total'))) {
      assert.match(line, /\/metrics\/probes/);
    }
  });

  it('warn against a restart on a dead file system', () => {
    assert.match(causeById('hung-file-system')?.avoid[0] ?? '', /Do not restart the kubelet automatically/);
  });
});
