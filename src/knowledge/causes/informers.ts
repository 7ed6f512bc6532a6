/** Watches, reflectors and informers of client-go, and kcp's fork of them. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, RESTART_ONE, SAVE_FIRST, targetMetrics, TARGET_STACKS } from './commands.ts';

const LISTENER = ['(*processorListener).run', '(*processorListener).pop'];
const API_ERRORS = kubeletMetrics('^rest_client_requests_total.*code="(4..|5..|<error>)"');

export const INFORMERS: readonly CauseRecord[] = [
  {
    id: 'informer-handler',
    title: 'Event handlers on a shared informer',
    kind: 'goroutine',
    signs: [
      { any: LISTENER.map(name => `tools/cache.${name}`) },
      { any: ['cache.(*sharedIndexInformer).AddEventHandler'] },
    ],
    meaning:
      'Each AddEventHandler starts a run and a pop goroutine that end only when the handler is removed or the informer stops. The two grow in equal numbers when handlers are registered again and again, in kcp once per workspace.',
    check: [targetMetrics('^informer_queued_items'), targetMetrics('^go_goroutines'), TARGET_STACKS],
    act: [
      'Find who calls AddEventHandler per object, per reconcile or per tenant; keep the registration and remove it.',
      'Measure per operation: 2.0 per operation is one handler left behind.',
      'kcp: upgrade to v0.29.0 or later.',
    ],
    avoid: ['Do not judge by creation alone: delete what was created, wait, then compare.'],
    benign: true,
  },
  {
    id: 'informer-handler-blocked',
    title: 'Notifications that no handler takes',
    kind: 'heap',
    signs: [
      {
        any: [
          'utils/buffer.(*RingGrowing).WriteOne',
          'utils/buffer.(*TypedRingGrowing).WriteOne',
          'buffer.NewRingGrowing',
          'buffer.NewTypedRingGrowing',
        ],
      },
    ],
    meaning:
      'The buffer between an informer and a handler has no bound; it grows while the handler is slower than the events or blocked. A few large ones are stuck handlers, many small ones are handlers never removed.',
    check: [targetMetrics('^informer_queued_items'), TARGET_STACKS],
    act: ['Find the handler in the goroutine dump: processorListener.run with frames of your code above it.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'kubelet-object-cache',
    title: 'Watches on secrets and config maps of pods',
    kind: 'goroutine',
    signs: [
      { any: ['util/manager.(*objectCacheItem).startReflector', 'util/manager.(*objectCache)'] },
      { any: ['cache.(*Reflector)'], creators: ['util/manager.(*objectCacheItem)', 'util/manager.(*objectCache)'] },
    ],
    meaning:
      'The kubelet holds one reflector for each secret and config map that its pods refer to, and stops it when no pod needs it or it is immutable. Growth with a steady pod count means references that are not given back.',
    check: [
      kubeletMetrics('^(go_goroutines|kubelet_running_pods)'),
      `kubectl get pods -A --field-selector spec.nodeName=$NODE -o json | jq '[.items[].spec.volumes[]? | (.secret.secretName, .configMap.name) | select(. != null)] | unique | length'`,
    ],
    act: ['Mark secrets and config maps immutable where they are; their watches then stop.', RESTART_ONE],
    avoid: [],
    benign: true,
  },
  {
    id: 'watch-decoder',
    title: 'Goroutines that read a watch',
    kind: 'goroutine',
    signs: [
      { any: ['watch.(*StreamWatcher).receive'] },
      { creators: ['watch.NewStreamWatcher', 'watch.NewStreamWatcherWithLogger'] },
    ],
    meaning:
      'One goroutine decodes each open watch until the watch is stopped. When they outnumber the reflectors, watches were abandoned without Stop, usually after API server interruptions.',
    check: [API_ERRORS, targetMetrics('^(go_goroutines|rest_client_requests_total)'), TARGET_STACKS],
    act: [
      SAVE_FIRST,
      'Compare their count with the Reflector stacks: the excess is watches that nobody reads.',
      'Repair API server connectivity first; in own code call Stop on every watch.',
    ],
    avoid: [],
    benign: true,
  },
  {
    id: 'reflector',
    title: 'Reflectors: list and watch loops',
    kind: 'goroutine',
    signs: [
      { any: ['cache.(*Reflector)', 'cache.handleWatch', 'cache.handleAnyWatch', 'cache.watchHandler'] },
      {
        any: [
          'cache.(*sharedProcessor).run',
          'cache.(*controller).RunWithContext',
          'cache.(*controller).Run',
          'cache.(*controller).processLoop',
          'cache.(*sharedIndexInformer)',
        ],
      },
      { creators: ['cache.(*Reflector)', 'cache.(*controller)', 'cache.(*sharedIndexInformer)'] },
      { any: ['informers.(*Reflector)', 'informers.(*sharedIndexInformer)', 'informers.(*sharedProcessor)'] },
    ],
    meaning:
      'Every informer keeps a fixed handful of goroutines: reflector, resync, queue and processor. Their number is the number of informers; growth means informers or whole clients are created repeatedly and not stopped.',
    check: [targetMetrics('^(go_goroutines|rest_client_requests_total)'), API_ERRORS, TARGET_STACKS],
    act: [
      'Share one informer factory; stop the factory of a tenant or object when that is removed.',
      'Errors of the API server make reflectors reconnect; they must not make more of them.',
    ],
    avoid: [],
    benign: true,
  },
  {
    id: 'informer-store',
    title: 'Objects kept in an informer cache',
    kind: 'heap',
    signs: [
      {
        any: [
          'cache.(*Reflector)',
          'cache.(*threadSafeMap)',
          'cache.(*threadSafeStore)',
          'cache.(*DeltaFIFO)',
          'cache.(*RealFIFO)',
          'cache.(*storeIndex)',
        ],
      },
      { any: ['watch.(*StreamWatcher).receive'] },
    ],
    meaning:
      'Decoded objects held by informer caches: their size is the number and size of the watched objects. It is a leak only if it grows while those objects do not.',
    check: [
      targetMetrics('^go_(memstats_heap_inuse_bytes|gc_heap_live_bytes)'),
      `kubectl get --raw /metrics | grep '^apiserver_(storage_objects|resource_objects)' -E | sort -t' ' -k2 -rn | head`,
    ],
    act: [
      'Watch fewer objects: label or field selectors, metadata-only informers, transforms that drop managedFields.',
    ],
    avoid: [],
    benign: true,
  },
];
