/** Events in time order, each with the stage it begins and its sources. */
import type { CycleEvent, CycleStage } from '../../evidence/cycle/cycle.ts';
import { formatCount } from '../../base/say.ts';
import { type History, isForMemory, type Phase } from './history.ts';
import { stormText } from './sentence.ts';
import { killText, secondsText, durationText, timesText, conditionText, distinct } from './phrases.ts';
import { plegAge } from './samples.ts';

/** One line of the timeline. */
const MAX_EVIDENCE = 5;

/**
 * What the node and its kubelet reported besides deaths and starts: readiness, memory, a stalled PLEG.
 *
 * A relist every second is normal; from 180 s on the node is NotReady.
 */
const STALLED_SECONDS = 60;

const JOIN_SECONDS = 600;

const TEXTS: Readonly<Record<string, string>> = {
  NodeReady: 'node Ready',
  NodeNotReady: 'node NotReady',
  NodeHasInsufficientMemory: 'node under MemoryPressure',
  EvictionThresholdMet: 'eviction threshold met',
  Rebooted: 'node rebooted',
  KubeletUnhealthy: 'node-problem-detector calls the kubelet unhealthy',
  FrequentKubeletRestart: 'node-problem-detector counts frequent restarts of the kubelet',
};

const MAX_EVENTS = 500;

export interface Timeline {
  readonly events: readonly CycleEvent[];
  /** How many older ones were left out. */
  readonly omitted: number;
}

export function timelineOf(history: History): Timeline {
  const events = [...lifeEvents(history), ...otherKills(history), ...reemissions(history), ...nodeEvents(history)];
  const merged = mergeEqual(events);
  const key = ({ stage, text }: CycleEvent): string => `${stage ?? ''}\0${text}`;
  merged.sort(
    (a, b) =>
      (a.atSeconds ?? Infinity) - (b.atSeconds ?? Infinity) || order(a) - order(b) || (key(a) < key(b) ? -1 : 1),
  );
  return { events: merged.slice(-MAX_EVENTS), omitted: Math.max(0, merged.length - MAX_EVENTS) };
}

/** Two dumps of the same events, or a journal and a syslog, report the same thing. */
function mergeEqual(events: readonly CycleEvent[]): CycleEvent[] {
  const byText = new Map<string, CycleEvent>();
  for (const event of events) {
    const key = `${event.atSeconds} ${event.text}`;
    const known = byText.get(key);
    byText.set(
      key,
      known === undefined ? event : { ...known, evidence: distinct([...known.evidence, ...event.evidence]) },
    );
  }
  return [...byText.values()];
}

/** Within one second, deaths come before starts. */
function order({ stage }: CycleEvent): number {
  return stage === 'pre-oom' ? 0 : stage === 'killed' || stage === 're-oom' ? 1 : 2;
}

function lifeEvents({ phases, names }: History): CycleEvent[] {
  const events: CycleEvent[] = [];
  phases.forEach((phase, i) => {
    const { life, sign, storm } = phase;
    const before = phases[i - 1]?.life.death;
    if (life.startSeconds !== undefined) {
      const text = startText(phase, before?.atSeconds ?? null, names.name);
      events.push(cycleEvent(life.startSeconds, text, life.startEvidence, life.isRestart ? {} : { stage: 'healthy' }));
    }
    if (storm !== undefined) {
      const text = `reconciliation storm: ${stormText(storm)}`;
      const { fromSeconds, untilSeconds } = storm;
      events.push(cycleEvent(fromSeconds, text, sourcesOf(phase), { stage: 'storm', untilSeconds }));
      if (!storm.isOngoing)
        events.push(cycleEvent(untilSeconds, 'at rest again', sourcesOf(phase), { stage: 'recovered' }));
    }
    if (sign !== undefined) events.push(cycleEvent(sign.atSeconds, sign.text, sign.evidence, { stage: 'pre-oom' }));
    if (life.death === undefined) return;
    const { atSeconds, sentence, cause } = life.death;
    // A death that is only known from the next start is listed there.
    const at = atSeconds ?? phases[i + 1]?.life.startSeconds ?? null;
    const isAgain = isForMemory(cause) && before !== undefined && isForMemory(before.cause);
    const isPlanned = cause === 'stopped' || cause === 'reboot';
    const stage = isAgain ? 're-oom' : 'killed';
    events.push(cycleEvent(at, `${names.name} ${sentence}`, life.deathEvidence, isPlanned ? {} : { stage }));
  });
  return events;
}

function sourcesOf({ life }: Phase): string[] {
  return distinct(life.samples.map(({ source }) => source));
}

function startText({ life }: Phase, diedSeconds: number | null, name: string): string {
  if (!life.isRestart) return `${name} started`;
  const after =
    diedSeconds === null || life.startSeconds === undefined
      ? ''
      : ` ${secondsText(life.startSeconds - diedSeconds)} after its death`;
  const what =
    life.reboot === true ? ', with a reboot of the node' : life.reboot === false ? '; the node did not reboot' : '';
  return `${name} started again${after}${what}`;
}

/** Kills of other processes, grouped by name: a container that hits its limit does so again and again. */
function otherKills({ kills, phases }: History): CycleEvent[] {
  const deaths = new Set(phases.map(({ life }) => life.death?.kill));
  const groups = new Map<string, (typeof kills)[number][]>();
  for (const kill of kills) {
    if (deaths.has(kill.kill)) continue;
    const key = `${kill.kill.process}\0${kill.kill.scope}\0${String(kill.isDoubtful)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [kill]);
    else group.push(kill);
  }
  return [...groups.values()].map(group => {
    const [first] = group;
    const last = group.findLast(({ atSeconds }) => atSeconds !== undefined)?.atSeconds;
    const times = group.length === 1 ? '' : ` ${formatCount(group.length)} times`;
    const doubt = first.isDoubtful ? '; right after a start, so perhaps an old one' : '';
    const text = `${first.kill.process} OOM-killed${times} (${killText(first.kill)})${doubt}`;
    const evidence = group.flatMap(kill => kill.evidence);
    const until = last === undefined || group.length === 1 ? {} : { untilSeconds: last };
    return cycleEvent(first.atSeconds ?? null, text, evidence, until);
  });
}

function reemissions({ reemitted }: History): CycleEvent[] {
  return reemitted.map(({ kill, atSeconds, evidence }) =>
    cycleEvent(atSeconds ?? null, `the old OOM event of ${kill.process}, pid ${kill.pid}, was re-emitted`, evidence),
  );
}

function nodeEvents(history: History): CycleEvent[] {
  return [...reported(history), ...conditions(history), ...evictions(history), ...plegStalls(history)];
}

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

function cycleEvent(
  atSeconds: number | null,
  text: string,
  evidence: readonly string[],
  more: { readonly stage?: CycleStage; readonly untilSeconds?: number } = {},
): CycleEvent {
  const { stage = null, untilSeconds = null } = more;
  return { atSeconds, untilSeconds, stage, text, evidence: distinct(evidence).slice(0, MAX_EVIDENCE) };
}
