/** Clients that are created repeatedly: transports, certificates, work queues, events. */
import type { CauseRecord } from './cause-record.ts';
import { SAVE_FIRST, targetMetrics, TARGET_HEAP, TARGET_STACKS } from './commands.ts';

const CACHE = targetMetrics('^rest_client_transport_(cache_entries|create_calls_total)');

export const CLIENT_TRANSPORT: readonly CauseRecord[] = [
  {
    id: 'aggregator-transport',
    title: 'Transports of aggregated API services',
    kind: 'heap',
    signs: [{ all: ['kube-aggregator/pkg/apiserver.(*proxyHandler).updateAPIService'] }],
    meaning:
      'The aggregator makes a new transport on each update of an APIService, and the old one stays in the cache. The memory of the API server grows with status changes of aggregated APIs.',
    check: [CACHE, 'kubectl get apiservices | grep -v Local'],
    act: ['Upgrade the API server: fixed in 1.26.5, 1.27.2 and 1.28.', 'Repair aggregated APIs that flap.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'tls-transport-cache',
    title: 'Client transports that are never dropped',
    kind: 'heap',
    signs: [
      {
        any: [
          'transport.(*tlsTransportCache).get',
          'client-go/transport.New',
          'client-go/transport.tlsConfigKey',
          'rest.TransportFor',
          'rest.HTTPClientFor',
        ],
      },
    ],
    meaning:
      'client-go caches a transport per distinct TLS configuration and, before 1.36, forever. Code that makes clients with new certificates, custom dialers or proxies each time fills the cache.',
    check: [CACHE, TARGET_HEAP],
    act: [
      'Make clients once and share them; do not set a new Dial or Proxy function per client.',
      'client-go 1.36 frees unused entries (gate ClientsAllowTLSCacheGC).',
    ],
    avoid: [],
    benign: true,
  },
  {
    id: 'client-certificate-reload',
    title: 'Reloaders of client certificates',
    kind: 'goroutine',
    signs: [
      { any: ['client-go/transport.(*dynamicClientCert)'] },
      { creators: ['client-go/transport.(*tlsTransportCache).get', 'client-go/transport.(*dynamicClientCert)'] },
    ],
    meaning:
      'Each cached transport with a certificate file keeps goroutines that look for a new certificate, plus its work queue. One set is normal; equal growing counts mean a new client is made per request or reconcile.',
    check: [CACHE, TARGET_STACKS],
    act: [
      'Find the code that builds rest clients in a loop and share one.',
      'client-go 1.36 ends them with their transport.',
    ],
    avoid: [],
    benign: true,
  },
  {
    id: 'certificate-watch',
    title: 'Watches on serving certificates and CA files',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'server/dynamiccertificates',
          'headerrequest.(*RequestHeaderAuthRequestController)',
          'options.(*DynamicRequestHeaderController)',
          'kubelet/certificate',
          'util/certificate',
        ],
      },
      { creators: ['server/dynamiccertificates', 'kubelet/certificate', 'util/certificate'] },
    ],
    meaning: 'Controllers that reload certificates from files or config maps: a fixed few per server.',
    check: [targetMetrics('^go_goroutines')],
    act: ['None unless it grows.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'event-recording',
    title: 'Events that wait to be written',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'tools/events.(*eventBroadcasterImpl).recordToSink',
          'tools/events.(*eventBroadcasterImpl).attemptRecording',
          'tools/events.recordEvent',
        ],
      },
    ],
    meaning:
      'The events client starts a goroutine per event, and each holds or waits for one lock while it writes to the API server. When writes are slow, goroutines pile up without bound: three million were seen in a scheduler.',
    check: [
      'kubectl get events -A --no-headers | wc -l',
      targetMetrics('^(go_goroutines|rest_client_request_duration_seconds_(sum|count))'),
      TARGET_STACKS,
    ],
    act: [
      SAVE_FIRST,
      'Find what makes the events: kubectl get events -A --sort-by=.count | tail.',
      'Speed up event writes: API server and etcd latency, flow control of the events resource.',
    ],
    avoid: ['Do not wait for an upgrade: no release has a fix yet.'],
    benign: false,
  },
  {
    id: 'event-broadcaster',
    title: 'Event broadcasters',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'watch.(*Broadcaster)',
          'watch.(*broadcasterWatcher)',
          'tools/record.(*eventBroadcasterImpl)',
          'tools/record.NewBroadcaster',
          'tools/events.(*eventBroadcasterImpl)',
          'tools/record.(*recorderImpl)',
        ],
      },
      { creators: ['tools/record', 'tools/events', 'watch.NewBroadcaster', 'watch.NewLongQueueBroadcaster'] },
    ],
    meaning:
      'A broadcaster has a loop and one watcher per sink, for the life of the process. Growth means broadcasters that are made per object and not shut down.',
    check: [targetMetrics('^go_goroutines'), TARGET_STACKS],
    act: ['Make one broadcaster per process, or call Shutdown on it.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'workqueue-loops',
    title: 'Loops of work queues',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'workqueue.(*Type).updateUnfinishedWorkLoop',
          'workqueue.(*Typed).updateUnfinishedWorkLoop',
          'workqueue.(*delayingType).waitingLoop',
          'workqueue.(*delayingQueue).waitingLoop',
        ],
      },
      { creators: ['workqueue.newDelayingQueue', 'workqueue.newQueue', 'workqueue.newQueueWithConfig'] },
    ],
    meaning:
      'Every work queue has two loops that end with ShutDown. Their number is the number of queues; growth means queues, and what owns them, are made and dropped without ShutDown.',
    check: [targetMetrics('^workqueue_(depth|unfinished_work_seconds)'), TARGET_STACKS],
    act: ['Find the owner by the creator in a debug=2 dump and call ShutDown when it ends.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'workqueue-worker-idle',
    title: 'Workers that wait for work',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'workqueue.(*Type).Get',
          'workqueue.(*Typed).Get',
          'priorityqueue.(*priorityqueue).Get',
          'cache.(*FIFO).Pop',
          'cache.(*DeltaFIFO).Pop',
          'cache.(*RealFIFO).Pop',
          'cache.(*RealFIFO).PopBatch',
        ],
      },
    ],
    meaning: 'Workers of a controller with nothing to do. Their number is set by the concurrency of the controllers.',
    check: [targetMetrics('^workqueue_depth')],
    act: ['None unless it grows.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'workqueue-items',
    title: 'Items that stay in a work queue',
    kind: 'heap',
    signs: [{ any: ['util/workqueue'] }],
    meaning:
      'Memory of queued or remembered items. It grows when workers are slower than additions, when failed items are never forgotten, or in client-go before 1.22.6, which kept the array of a drained queue.',
    check: [
      targetMetrics('^workqueue_(depth|retries_total|unfinished_work_seconds|longest_running_processor_seconds)'),
    ],
    act: [
      'Look for a queue whose depth or longest-running seconds climb.',
      'Call Forget after success; bound the retries.',
    ],
    avoid: [],
    benign: true,
  },
];
