/** kube-apiserver, etcd and kcp. */
import type { CauseRecord } from './cause-record.ts';
import { apiserverMetrics, SAVE_FIRST, targetMetrics, TARGET_HEAP, TARGET_STACKS } from './commands.ts';

const LONG_RUNNING = apiserverMetrics('^apiserver_longrunning_requests');

const WATCH_CACHE = [
  'storage/cacher',
  'storage/cacher/',
  'storage/etcd3',
  'storage/etcd3/',
  'registry.(*Store).startObservingCount',
  'storage/storagebackend/factory',
];

export const CONTROL_PLANE: readonly CauseRecord[] = [
  {
    id: 'konnectivity-tunnel',
    title: 'Tunnels through konnectivity',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'konnectivity-client/pkg/client.(*grpcTunnel)',
          'konnectivity-client/pkg/client.(*conn)',
          'konnectivity-client/pkg/client',
        ],
      },
      { creators: ['konnectivity-client/pkg/client', 'egressselector'] },
      { any: ['server/egressselector'] },
    ],
    meaning:
      'The API server reaches nodes through a proxy and keeps one gRPC tunnel per connection. Tunnels whose dial failed or whose agent went away stay open in old versions.',
    check: [
      apiserverMetrics('^(apiserver_egress_dialer|konnectivity_network_proxy_client)'),
      'kubectl -n kube-system get pods -l k8s-app=konnectivity-agent -o wide',
      apiserverMetrics('^(go_goroutines|process_open_fds)'),
    ],
    act: [SAVE_FIRST, 'Upgrade the API server and proxy to 1.26 or later; repair agents that come and go.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'apiserver-timeout-handler',
    title: 'Requests that timed out but go on',
    kind: 'goroutine',
    signs: [
      { any: ['filters.(*timeoutHandler).ServeHTTP'], states: ['chan send'] },
      { any: ['registry.(*Store).DeleteCollection'], states: ['chan send'] },
      { any: ['finisher.FinishRequest', 'finisher.finishRequest'], states: ['chan send'] },
    ],
    meaning:
      'The handler finished after its request was abandoned, and nobody takes the result. Versions before 1.23 block in that send forever; later ones drop it.',
    check: [apiserverMetrics('^apiserver_request_(aborts_total|terminations_total)'), 'kubectl version'],
    act: ['Upgrade the API server.', 'Find the slow requests: webhooks, large lists, etcd latency.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'apiserver-watch-websocket',
    title: 'Watches over websockets',
    kind: 'goroutine',
    signs: [{ any: ['handlers.(*WatchServer).HandleWS'] }],
    meaning:
      'A watch served over a websocket; old API servers kept it after the client had gone. Newer ones end it with the connection.',
    check: [LONG_RUNNING, 'kubectl version'],
    act: ['Upgrade: fixed in 1.14.9, 1.15.6, 1.16.3 and 1.17.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'watch-served',
    title: 'Watches that clients hold open',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'handlers.(*WatchServer).HandleHTTP',
          'handlers.serveWatch',
          'handlers.handleWatch',
          'handlers.serveWatchHandler',
          'registry.(*decoratedWatcher)',
        ],
      },
      { any: ['cacher.(*cacheWatcher)'] },
      { creators: ['cacher.(*Cacher).Watch', 'registry.newDecoratedWatcher'] },
    ],
    meaning:
      'Each watch of a client costs a few goroutines in the API server, so the count follows clients times resources. Growth beyond apiserver_longrunning_requests means watches that ended for the client but not here.',
    check: [LONG_RUNNING, apiserverMetrics('^(go_goroutines|apiserver_current_inflight_requests)')],
    act: ['Compare with apiserver_longrunning_requests; find the client by user agent in the audit log.'],
    avoid: ['Do not restart the API server for it alone: all clients would list again at once.'],
    benign: true,
  },
  {
    id: 'watch-cache',
    title: 'Loops of the watch cache',
    kind: 'goroutine',
    signs: [{ any: WATCH_CACHE }, { creators: WATCH_CACHE }],
    meaning:
      'The API server keeps a cache with about ten goroutines for each resource, and so for each CRD version. Growth with steady resources means caches of deleted CRDs were not stopped.',
    check: [
      `kubectl get crd --no-headers | wc -l`,
      apiserverMetrics('^(apiserver_watch_cache_initializations_total|go_goroutines)'),
    ],
    act: ['Compare with the number of resources; delete CRDs that are not used.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'watch-cache-objects',
    title: 'Objects and events in the watch cache',
    kind: 'heap',
    signs: [{ any: ['storage/cacher', 'storage/cacher/'] }, { any: ['storage/etcd3', 'storage/etcd3/'] }],
    meaning:
      'Objects held for lists and watches, and buffers of watchers that read slowly. It follows the objects in etcd and the number of watches.',
    check: [
      apiserverMetrics('^apiserver_(storage_objects|resource_objects)'),
      apiserverMetrics('^apiserver_watch_cache_events_dispatched_total'),
      LONG_RUNNING,
    ],
    act: ['Find the resource that grew; limit the objects: events, leases, orphaned secrets, completed jobs.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'openapi-specs',
    title: 'OpenAPI documents of deleted CRDs',
    kind: 'heap',
    signs: [
      {
        any: [
          'server/openapiv3.(*Controller)',
          'controller/openapiv3.(*Controller)',
          'controller/openapi',
          'controller/openapi/',
          'kube-openapi/pkg/',
        ],
      },
    ],
    meaning:
      'A published OpenAPI document costs 100 KB to 1 MB per CRD version. They must be removed with the CRD; kcp before v0.32.0 kept those of deleted logical clusters.',
    check: [`kubectl get crd --no-headers | wc -l`, targetMetrics('^go_gc_heap_live_bytes'), TARGET_HEAP],
    act: ['kcp: upgrade to v0.32.0 or later.', 'Elsewhere: reduce CRD churn and compare profiles before and after.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'kcp-logical-cluster-state',
    title: 'State of logical clusters that were deleted',
    kind: 'heap',
    signs: [
      {
        any: [
          'kcp/pkg/index.(*State)',
          'pkg/index.(*State)',
          'kcp-dev/client-go/',
          'kcp-dev/logicalcluster/',
          '(*clientCache)',
          'third_party/informers',
        ],
      },
      { any: ['kcp-dev/kcp/'] },
    ],
    meaning:
      'kcp keeps maps, clients and indexes keyed by logical cluster. Before v0.32.0 many of them were not emptied when a workspace was deleted, so the heap grows with churn while goroutines stay flat.',
    check: [TARGET_HEAP, targetMetrics('^(go_gc_heap_live_bytes|go_goroutines)')],
    act: ['Upgrade kcp to v0.32.0 or later.', 'Measure bytes per workspace over create and delete rounds.'],
    avoid: ['Do not tune GOGC or GOMEMLIMIT first: the memory is held, not idle.'],
    benign: true,
  },
  {
    id: 'cel-environments',
    title: 'CEL environments and compiled expressions',
    kind: 'heap',
    signs: [{ any: ['google/cel-go/', 'apiserver/pkg/cel/', 'apiserver/pkg/cel'] }],
    meaning:
      'Compiled expressions and their type environments of validation rules and policies; about 3 MB per workspace were seen in kcp. They follow CRD versions and policies.',
    check: [TARGET_HEAP, `kubectl get validatingadmissionpolicies,crd --no-headers | wc -l`],
    act: ['Compare growth with the number of CRDs, policies and workspaces.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'scheduler-queue',
    title: 'Events kept for pods in scheduling',
    kind: 'heap',
    signs: [
      {
        any: [
          'scheduler/backend/queue',
          'scheduler/internal/queue',
          '(*Scheduler).handleSchedulingFailure',
          'scheduler/framework.removeFromSlice',
        ],
      },
    ],
    meaning:
      'The scheduling queue remembers cluster events while pods are being scheduled. Pods that never leave the in-flight list keep every event since.',
    check: [targetMetrics('^scheduler_(pending_pods|inflight_events|event_handling)'), 'kubectl version'],
    act: ['Upgrade the scheduler; look for pods that are neither bound nor unschedulable.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'etcd-watch',
    title: 'Watches in etcd',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'v3rpc.(*watchServer)',
          'v3rpc.(*serverWatchStream)',
          'clientv3.(*watchGrpcStream)',
          'client.(*watchGRPCStream)',
          'clientv3.(*watchGRPCStream)',
          'client.(*watcher)',
          'etcdserverpb._Watch_Watch_Handler',
          'grpcproxy',
        ],
      },
      { creators: ['v3rpc.(*watchServer).Watch', 'client.(*watchGRPCStream)', 'client.(*watcher)'] },
    ],
    meaning:
      'Two or three goroutines per watch stream, in etcd and in its client. The count follows the clients and must fall when they disconnect.',
    check: [`curl -s "$TARGET/metrics" | grep -E '^etcd_debugging_mvcc_(watcher|watch_stream)_total'`, TARGET_STACKS],
    act: ['Compare with the watchers of the first command; clients must cancel the context of a watch.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'etcd-loops',
    title: 'Loops of etcd',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'go.etcd.io/etcd/',
          'go.etcd.io/raft/',
          'go.etcd.io/raft',
          'go.etcd.io/bbolt',
          'cmux.muxListener',
          'github.com/soheilhy/cmux',
        ],
        none: ['google.golang.org/grpc.(*ClientConn).Invoke'],
      },
      { creators: ['go.etcd.io/etcd/', 'go.etcd.io/raft/'] },
    ],
    meaning: 'Raft, storage, lease and listener loops: a fixed set per member.',
    check: [targetMetrics('^go_goroutines')],
    act: ['None unless it grows.'],
    avoid: [],
    benign: true,
  },
];
