/** Memory that every healthy process holds; the last resort for heap families. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, targetMetrics, TARGET_HEAP } from './commands.ts';

export const HELD_OBJECTS: readonly CauseRecord[] = [
  {
    id: 'pod-objects',
    title: 'Pods as the kubelet keeps them',
    kind: 'heap',
    signs: [
      { any: ['kubelet/config', 'kubelet/pod', 'kubelet/status', 'api/core/v1.(*Pod)', 'api/core/v1.(*PodSpec)'] },
    ],
    meaning:
      'Copies of pod objects and their status inside the kubelet. They follow the pods of the node; growth with steady pods means copies of deleted ones are kept.',
    check: [kubeletMetrics('^(kubelet_running_pods|kubelet_working_pods|go_gc_heap_live_bytes)')],
    act: ['Compare two heap profiles taken at the same pod count.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'runtime-answers',
    title: 'Answers of the container runtime',
    kind: 'heap',
    signs: [
      {
        any: [
          'cri-client/pkg.(*remoteRuntimeService)',
          'cri-client/pkg.(*remoteImageService)',
          'kubelet/images',
          'kubelet/kuberuntime',
        ],
      },
    ],
    meaning:
      'Lists of containers, sandboxes and images as the runtime sent them. Their size follows what the runtime holds, exited containers and unused images included.',
    check: ['crictl ps -a -q | wc -l; crictl images -q | wc -l', kubeletMetrics('^kubelet_running_containers')],
    act: [
      'If exited containers pile up, find out why they are not collected: maximum-dead-containers, minimum-container-ttl-duration.',
    ],
    avoid: ['Do not tune --image-gc-high-threshold for containers: it is about images on disk.'],
    benign: true,
  },
  {
    id: 'request-objects',
    title: 'Objects of API requests',
    kind: 'heap',
    signs: [
      {
        any: [
          'endpoints/handlers',
          'endpoints/handlers/',
          'util/managedfields',
          'util/managedfields/',
          'structured-merge-diff/',
          'registry/generic/registry',
        ],
      },
    ],
    meaning:
      'Objects that are decoded, converted and merged for requests: most are soon garbage, some are kept by handlers. It follows the request rate and the size of objects.',
    check: [targetMetrics('^apiserver_(current_inflight_requests|request_total)'), TARGET_HEAP],
    act: ['Find the clients that send large or many writes; managedFields of large objects are a common cause.'],
    avoid: ['Do not call it a leak from one profile: compare several after garbage collections.'],
    benign: true,
  },
  {
    id: 'startup-tables',
    title: 'Tables made once at the start',
    kind: 'heap',
    signs: [
      {
        any: [
          'apimachinery/pkg/runtime.(*Scheme)',
          'apimachinery/pkg/conversion',
          'generated/openapi',
          'protobuf/internal/filedesc',
          'protobuf/internal/filetype',
          'protobuf/reflect/',
          'pkg/printers/',
          'emicklei/go-restful',
          'regexp.MustCompile',
          'regexp.Compile',
          'golang.org/x/net/html',
          'runtime.doInit',
          'runtime.doInit1',
        ],
      },
    ],
    meaning: 'Type registries, descriptors, routes and compiled expressions. They do not grow after the start.',
    check: [TARGET_HEAP],
    act: ['None unless it grows; then schemes, routes or expressions are built per request.'],
    avoid: [],
    benign: true,
  },
];
