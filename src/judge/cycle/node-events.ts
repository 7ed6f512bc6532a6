/** What the node and its kubelet reported besides deaths and starts: readiness, memory, a stalled PLEG. */
import { conditionText } from './condition-text.ts';
import type { CycleEvent } from '../../evidence/cycle/cycle.ts';
import { cycleEvent } from './cycle-event.ts';
import type { History } from './history.ts';
import { plegAge } from './samples.ts';
import { durationText, timesText } from './phrases.ts';

/** A relist every second is normal; from 180 s on the node is NotReady. */
const STALLED_SECONDS = 60;
const JOIN_SECONDS = 600;

export function nodeEvents(history: History): CycleEvent[] {
  return [...reported(history), ...conditions(history), ...evictions(history), ...plegStalls(history)];
}

const TEXTS: Readonly<Record<string, string>> = {
  NodeReady: 'node Ready',
  NodeNotReady: 'node NotReady',
  NodeHasInsufficientMemory: 'node under MemoryPressure',
  EvictionThresholdMet: 'eviction threshold met',
  Rebooted: 'node rebooted',
  KubeletUnhealthy: 'node-problem-detector calls the kubelet unhealthy',
  FrequentKubeletRestart: 'node-problem-detector counts frequent restarts of the kubelet',
};

function reported({ seen }: History): CycleEvent[] {
  return seen.kubeEvents.flatMap(({ reason, message, atSeconds, lastSeconds, count, source }) => {
    const text = TEXTS[reason];
    if (text === undefined) return [];
    const more = count > 1 && lastSeconds !== undefined ? { untilSeconds: lastSeconds } : {};
    const said = reason === 'Rebooted' || reason === 'EvictionThresholdMet' ? `: ${message.slice(0, 120)}` : '';
    return [cycleEvent(atSeconds ?? null, `${text}${said}`, [source], more)];
  });
}

function conditions({ seen }: History): CycleEvent[] {
  return seen.conditions.flatMap(condition => {
    const { type, status, sinceSeconds, source } = condition;
    const isBad = type === 'Ready' ? status !== 'True' : status === 'True' && /Pressure$|^Kubelet|^Frequent/.test(type);
    if (!isBad) return [];
    return [cycleEvent(sinceSeconds ?? null, conditionText(condition), [source])];
  });
}

function evictions({ seen }: History): CycleEvent[] {
  const evicted = seen.kubeEvents.filter(({ reason, message }) => reason === 'Evicted' && /memory/.test(message));
  const first = evicted.at(0);
  if (first === undefined) return [];
  const last = evicted[evicted.length - 1];
  const text = `${timesText(evicted.length, 'pod')} evicted for memory`;
  const until = last.lastSeconds === undefined ? {} : { untilSeconds: last.lastSeconds };
  return [
    cycleEvent(
      first.atSeconds ?? null,
      text,
      evicted.map(({ source }) => source),
      until,
    ),
  ];
}

function plegStalls({ samples, seen }: History): CycleEvent[] {
  const points: { atSeconds: number; ageSeconds: number; source: string }[] = [];
  for (const sample of samples) {
    const ageSeconds = plegAge(sample) ?? 0;
    if (ageSeconds >= STALLED_SECONDS) points.push({ atSeconds: sample.atSeconds, ageSeconds, source: sample.source });
  }
  for (const { event, atSeconds, source } of seen.logs) {
    if (event.kind === 'pleg-stalled' && atSeconds !== undefined)
      points.push({ atSeconds, ageSeconds: event.ageSeconds, source });
  }
  points.sort((a, b) => a.atSeconds - b.atSeconds || (a.source < b.source ? -1 : 1));
  const stalls: (typeof points)[] = [];
  for (const point of points) {
    const last = stalls.at(-1);
    if (last !== undefined && point.atSeconds - last[last.length - 1].atSeconds <= JOIN_SECONDS) last.push(point);
    else stalls.push([point]);
  }
  return stalls.map(stall => {
    const worst = stall.reduce((most, { ageSeconds }) => Math.max(most, ageSeconds), 0);
    const text = `PLEG not seen for up to ${durationText(worst)} (NotReady from 3m)`;
    const until = stall[stall.length - 1].atSeconds;
    return cycleEvent(
      stall[0].atSeconds,
      text,
      stall.map(({ source }) => source),
      { untilSeconds: until },
    );
  });
}
