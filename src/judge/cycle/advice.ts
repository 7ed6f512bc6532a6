/** What a person should do in each stage. */
import type { CycleStage, Death } from '../../evidence/cycle/cycle.ts';
import type { History } from './history.ts';
import { deathsOf } from './stage.ts';

const NODE_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

export function adviceOf(stage: CycleStage, history: History): string[] {
  const { names, restarters, target } = history;
  const death = deathsOf(history).at(-1);
  const advice: string[] = [];
  const node = NODE_NAME.test(target) ? target : 'NODE';
  const capture =
    names.name === 'kubelet'
      ? `kubectl get --raw /api/v1/nodes/${node}/proxy/debug/pprof/heap > heap.pb.gz, the same for goroutine`
      : 'heap and goroutine profiles';
  if (stage === 'pre-oom' || stage === 're-oom')
    advice.push(`Take the evidence before the next kill: ${capture}; then oakum analyze heap.pb.gz`);
  if (stage === 'storm') advice.push('Let it come to rest: another restart begins the storm anew');
  if (stage === 're-oom') advice.push('Cordon the node, so that no more pods make each round shorter');
  if (death !== undefined && (stage === 'killed' || stage === 're-oom' || stage === 'recovered'))
    advice.push(...afterDeath(history, death));
  if (restarters.length > 0 && stage !== 'healthy')
    advice.push(
      `Pause the repairs of ${restarters.map(({ name }) => name).join(' and ')} before you restart or profile: one would cut both short`,
    );
  return advice;
}

function afterDeath({ names }: History, { cause, kill }: Death): string[] {
  if (cause === 'oom' && kill?.scope === 'memcg')
    return [
      `A higher limit of ${kill.limitCgroup || 'its cgroup'} buys time only; find out what grows: oakum analyze over heap profiles of two times`,
    ];
  if (cause === 'oom' && kill?.scope === 'global')
    return [
      `The whole node was short: look at what the pods use as well; the kubelet is spared (oom_score_adj -999) until nothing else is left`,
    ];
  if (cause === 'go-threads')
    return [
      'Every blocked system call holds a thread: look at goroutines in syscall, in oakum analyze of a goroutine dump',
    ];
  if (cause === 'oom' || cause === 'go-out-of-memory')
    return ['Keep the kernel log of that minute: it tells whose limit it was'];
  if (cause === 'unknown')
    return [
      `Why it died is in the logs: journalctl -u ${names.name} -o short-iso and journalctl -k, given to oakum cycle as well`,
    ];
  return [];
}
