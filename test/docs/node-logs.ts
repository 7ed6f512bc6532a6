/** A made-up night of worker-17: its kubelet grows to its cgroup's limit, is killed, and starts again. */
const KILL_SECONDS = Date.UTC(2026, 10, 15, 3, 7, 44) / 1000;

const KILL = [
  'kubelet invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=-999',
  'memory: usage 2097152kB, limit 2097152kB, failcnt 911',
  'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/system.slice/kubelet.service,task_memcg=/system.slice/kubelet.service,task=kubelet,pid=989,uid=0',
  'Memory cgroup out of memory: Killed process 989 (kubelet) total-vm:3145728kB, anon-rss:2000000kB, file-rss:40000kB, shmem-rss:8kB, UID:0 pgtables:4800kB oom_score_adj:-999',
];

const SYSTEMD = [
  'kubelet.service: Main process exited, code=killed, status=9/KILL',
  "kubelet.service: Failed with result 'oom-kill'.",
  'kubelet.service: Scheduled restart job, restart counter is at 4.',
  'Started kubelet.service - kubelet: The Kubernetes Node Agent.',
];

interface Entry {
  readonly seconds: number;
  readonly program: string;
  readonly text: string;
}

const ENTRIES: readonly Entry[] = [
  ...KILL.map(text => ({ seconds: KILL_SECONDS, program: 'kernel', text })),
  ...SYSTEMD.map((text, index) => ({ seconds: KILL_SECONDS + 1 + 5 * index, program: 'systemd', text })),
];

/** `journalctl -o json`. */
export function journalJson(): string {
  const line = ({ seconds, program, text }: Entry): string =>
    JSON.stringify({
      __REALTIME_TIMESTAMP: `${seconds}000000`,
      _HOSTNAME: 'worker-17',
      SYSLOG_IDENTIFIER: program,
      MESSAGE: text,
    });
  return `${ENTRIES.map(line).join('\n')}\n`;
}

/** `journalctl -o short-iso` of one program. */
export function journalText(only: 'kernel' | 'systemd'): string {
  const line = ({ seconds, program, text }: Entry): string =>
    `${new Date(seconds * 1000).toISOString().slice(0, 19)}+0000 worker-17 ${program}: ${text}`;
  const own = ENTRIES.filter(({ program }) => program === only);
  return `${own.map(line).join('\n')}\n`;
}

/** `kubectl get events -o json`. */
export function eventsJson(): string {
  const event = (seconds: number, reason: string, type: string, message: string): object => ({
    kind: 'Event',
    reason,
    message,
    type,
    firstTimestamp: new Date(seconds * 1000).toISOString(),
    lastTimestamp: new Date(seconds * 1000).toISOString(),
    count: 1,
    source: { component: 'kubelet', host: 'worker-17' },
    involvedObject: { kind: 'Node', name: 'worker-17' },
  });
  const items = [
    event(KILL_SECONDS + 17, 'Starting', 'Normal', 'Starting kubelet.'),
    event(KILL_SECONDS + 78, 'NodeReady', 'Normal', 'Node worker-17 status is now: NodeReady'),
  ];
  return JSON.stringify({ kind: 'List', items }, null, 2);
}
