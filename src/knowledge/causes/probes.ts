/** Liveness, readiness and startup probes: one goroutine per probe. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, kubeletPath, KUBELET_GOROUTINES, SAVE_FIRST } from './commands.ts';

const PROBES = `${kubeletPath('/metrics/probes')} | grep '^prober_probe_total' | sort -t' ' -k2 -rn | head`;
const WORKER = 'prober.(*worker).doProbe';

export const PROBE_CAUSES: readonly CauseRecord[] = [
  {
    id: 'probe-exec-running',
    title: 'Exec probes that do not return',
    kind: 'goroutine',
    signs: [
      { any: [WORKER, 'prober.(*prober).runProbe'], all: ['probe/exec'] },
      { any: [WORKER], all: ['kuberuntime.(*kubeGenericRuntimeManager).RunInContainer'] },
      { any: ['prober.(*execInContainer)'] },
    ],
    meaning:
      'Probes run a command inside a container and wait for the runtime to return. Each costs a process and a runtime call; if they hang, goroutines stay here and processes pile up in the container.',
    check: [
      PROBES,
      kubeletMetrics('^kubelet_runtime_operations_duration_seconds_(sum|count).*exec_sync'),
      kubeletMetrics('^go_threads'),
    ],
    act: [
      SAVE_FIRST,
      'Use httpGet, tcpSocket or grpc probes where possible; give exec probes a period of 10 s or more and a timeout.',
      'See whether the runtime answers: time crictl exec CONTAINER true',
    ],
    avoid: ['Do not raise timeoutSeconds to hide it: more probes then overlap.'],
    benign: false,
  },
  {
    id: 'probe-network-running',
    title: 'Network probes under way',
    kind: 'goroutine',
    signs: [{ any: [WORKER, 'prober.(*prober).runProbe', 'prober.(*prober).probe'] }],
    meaning:
      'Probes wait for an answer of a container over HTTP, TCP or gRPC, at most until their timeout. Many at once means slow containers or very short periods, not a leak, unless they stay for minutes.',
    check: [PROBES, KUBELET_GOROUTINES],
    act: ['Lengthen probe periods and spread start-up with initialDelaySeconds or startup probes.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'probe-worker-idle',
    title: 'One worker per probe, waiting for its next turn',
    kind: 'goroutine',
    signs: [{ any: ['prober.(*worker).run'] }, { creators: ['prober.(*manager).AddPod'], states: ['select', 'sleep'] }],
    meaning:
      'The kubelet keeps one goroutine per configured probe, so the count follows containers times probes. A count above the probes of the pods on the node means workers that were not stopped with their pod.',
    check: [
      PROBES,
      `kubectl get pods -A --field-selector spec.nodeName=$NODE -o json | jq '[.items[].spec.containers[] | (.livenessProbe, .readinessProbe, .startupProbe) | select(. != null)] | length'`,
    ],
    act: ['Compare the count with the number of probes on the node; the second command counts them.'],
    avoid: [],
    benign: true,
  },
];
