/** Normalised stacks of the Go runtime, client libraries and control planes, with the cause that each must get. */
import { type CauseCase, KUBELET, CACHE, WAIT, GRPC, INVOKE, goroutine, heap } from './family-evidence.ts';

export const GO_STACKS: readonly CauseCase[] = [
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
