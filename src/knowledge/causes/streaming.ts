/** exec, attach, port-forward and log following: streams that outlive their clients. */
import type { CauseRecord } from './cause-record.ts';
import { CAN_PROFILE, kubeletMetrics, KUBELET_STACKS, RESTART_ONE, SAVE_FIRST } from './commands.ts';

const INFLIGHT = kubeletMetrics('^kubelet_http_inflight_requests');
const FDS = kubeletMetrics('^process_(open|max)_fds');
const NO_LOOPS = 'Find automation that runs kubectl exec, port-forward or logs -f in loops and limit it.';

export const STREAMING: readonly CauseRecord[] = [
  {
    id: 'port-forward-streams',
    title: 'Port-forward streams that stay open',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'portforward.(*httpStreamHandler)',
          'portforward.(*websocketStreamHandler)',
          'portforward.(*portForwarder)',
          'portforward.ServePortForward',
        ],
      },
      { any: ['portforward.(*PortForwarder)'] },
    ],
    meaning:
      'Each kubectl port-forward keeps a connection and a pair of streams per forwarded connection. Streams that were reset but not removed stay with their goroutines until the session ends.',
    check: [INFLIGHT, FDS, CAN_PROFILE, KUBELET_STACKS],
    act: ['End long port-forward sessions; upgrade kubelet and kubectl to supported versions.', NO_LOOPS],
    avoid: [],
    benign: false,
  },
  {
    id: 'spdy-connection',
    title: 'SPDY connections that are not closed',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'spdystream.(*Connection)',
          'spdystream.(*PriorityFrameQueue)',
          'spdystream.(*idleAwareFramer)',
          'spdystream.(*Stream)',
        ],
      },
    ],
    meaning:
      'Streaming over SPDY costs several goroutines per connection: serve, frame handlers and queues. Equal large counts of them are exec, attach or port-forward sessions whose other end went away.',
    check: [INFLIGHT, FDS, CAN_PROFILE, KUBELET_STACKS],
    act: [
      SAVE_FIRST,
      NO_LOOPS,
      'Since 1.20 the kubelet only relays: if these frames are in the container runtime, upgrade the runtime.',
    ],
    avoid: [],
    benign: false,
  },
  {
    id: 'upgrade-proxy',
    title: 'Relayed exec, attach and port-forward sessions',
    kind: 'goroutine',
    signs: [
      { any: ['util/proxy.(*UpgradeAwareHandler)'] },
      { any: ['proxy.(*StreamTranslatorHandler)', 'proxy.(*TunnelingHandler)', 'proxy.(*streamTunnel)'] },
      { creators: ['util/proxy.(*UpgradeAwareHandler)'] },
    ],
    meaning:
      'An upgraded connection is copied in both directions until one end closes it. Sessions whose client vanished without closing stay here, one pair of goroutines and two sockets each.',
    check: [INFLIGHT, FDS, `ss -tnp | grep kubelet | awk '{print $1}' | sort | uniq -c`],
    act: [
      NO_LOOPS,
      'Shorten the idle timeout of streams in the runtime (stream_idle_timeout in containerd, 4h by default).',
      RESTART_ONE,
    ],
    avoid: [],
    benign: false,
  },
  {
    id: 'remote-command',
    title: 'Remote commands under way',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'tools/remotecommand',
          'streaming/remotecommand',
          'server/remotecommand',
          'util/wsstream',
          'httpstream/wsstream',
          'httpstream/spdy',
          'tools/remotecommand.(*streamProtocolV4)',
        ],
      },
    ],
    meaning:
      'Goroutines that move the input and output of an exec or attach. They end with the session; those that wait for minutes in a send belong to a session that nobody reads.',
    check: [INFLIGHT, KUBELET_STACKS],
    act: [NO_LOOPS, 'In own clients pass a context with a deadline to the executor and close the stream.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'log-follow',
    title: 'Followed container logs',
    kind: 'goroutine',
    signs: [{ any: ['kuberuntime/logs.ReadLogs', 'kuberuntime/logs.waitLogs', 'logs.ReadLogs', 'logs.waitLogs'] }],
    meaning:
      'Every kubectl logs -f holds a goroutine, an open file and an inotify instance until its client leaves. Old kubelets kept them after the client left or the file was rotated.',
    check: [INFLIGHT, FDS, `ls -l /proc/$(pgrep -x kubelet)/fd | grep -c 'log.*deleted'`],
    act: [
      'Move log collection to an agent that reads files on the node; end followers that nobody reads.',
      RESTART_ONE,
    ],
    avoid: [],
    benign: false,
  },
  {
    id: 'streaming-buffers',
    title: 'Buffers of streaming connections',
    kind: 'heap',
    signs: [
      {
        any: ['spdystream', 'spdystream/spdy', 'util/proxy.(*UpgradeAwareHandler)', 'httpstream/spdy', 'util/wsstream'],
      },
    ],
    meaning:
      'Memory allocated for exec, attach and port-forward connections. It is freed when the sessions end; growth means that sessions or stream tables are kept.',
    check: [INFLIGHT, FDS],
    act: [NO_LOOPS, 'Take a goroutine profile too: it shows how many sessions there are.'],
    avoid: [],
    benign: true,
  },
];
