/** Events in time order, each with the stage it begins and its sources. */
import type { CycleEvent } from '../../evidence/cycle/cycle.ts';
import { formatCount } from '../../base/quantities.ts';
import { cycleEvent } from './cycle-event.ts';
import { type History, isForMemory, type Phase } from './history.ts';
import { nodeEvents } from './node-events.ts';
import { distinct } from './observed.ts';
import { stormText } from './sentence.ts';
import { killText, secondsText } from './phrases.ts';

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
