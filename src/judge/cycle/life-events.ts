/**
 * Starts and deaths of the process. Sources report the same event several times; those sightings are joined.
 *
 *     kernel kill   unit exited   unit failed      |   unit started   process start   Starting event
 *     |------------- one death ---------------|    |   |------------- one start --------------|
 */
import type { DeathCause, ProcessNames } from '../../evidence/cycle/cycle.ts';
import { isSameLife, START_TOLERANCE_SECONDS } from '../../evidence/process-life.ts';
import type { SeenKill } from './kills.ts';
import { distinct, type Observed } from './phrases.ts';

export interface Sighting {
  readonly atSeconds: number;
  readonly is: 'start' | 'death';
  /** Each source reports one start or death once. */
  readonly by: 'metrics' | 'event' | 'detector' | 'unit' | 'log' | 'kill' | 'unit-exit' | 'unit-result' | 'unit-oom';
  readonly source: string;
  readonly cause?: DeathCause;
  /** A description for people. */
  readonly text?: string;
  readonly kill?: SeenKill;
}

export interface LifeEvent {
  readonly atSeconds: number;
  readonly is: 'start' | 'death';
  readonly sightings: readonly Sighting[];
}

/** How long the signs of one start may be apart. */
const START_SPAN_SECONDS = 30;
/** How long a unit may linger before systemd calls it failed. */
const DEATH_SPAN_SECONDS = 120;
const REPEAT_SECONDS: Readonly<Record<Sighting['is'], number>> = { start: START_TOLERANCE_SECONDS, death: 8 };

export function startSightings(seen: Observed, names: ProcessNames): Sighting[] {
  const sightings: Sighting[] = [];
  for (const { atSeconds, source } of distinctStarts(seen.metrics))
    sightings.push({ atSeconds, is: 'start', by: 'metrics', source });
  for (const { reason, atSeconds, source } of seen.kubeEvents) {
    if (atSeconds === undefined || names.name !== 'kubelet') continue;
    if (reason === 'Starting') sightings.push({ atSeconds, is: 'start', by: 'event', source });
    if (reason === 'KubeletStart') sightings.push({ atSeconds, is: 'start', by: 'detector', source });
  }
  for (const { event, atSeconds, source } of seen.logs) {
    if (atSeconds === undefined) continue;
    if (event.kind === 'process-started' && names.isProcess(event.process))
      sightings.push({ atSeconds, is: 'start', by: 'log', source });
    if (event.kind === 'unit' && event.change.kind === 'started' && names.isUnit(event.unit))
      sightings.push({ atSeconds, is: 'start', by: 'unit', source });
  }
  return sightings;
}

function distinctStarts(metrics: Observed['metrics']): { atSeconds: number; source: string }[] {
  const told = metrics.flatMap(({ values: { startSeconds: at }, source }) =>
    at === undefined ? [] : [{ atSeconds: at, source }],
  );
  told.sort((a, b) => a.atSeconds - b.atSeconds || (a.source < b.source ? -1 : 1));
  return told.filter(({ atSeconds }, i) => i === 0 || !isSameLife(told[i - 1].atSeconds, atSeconds));
}

export function deathSightings(seen: Observed, kills: readonly SeenKill[], names: ProcessNames): Sighting[] {
  const sightings: Sighting[] = [];
  for (const kill of kills) {
    const { atSeconds, evidence, isDoubtful } = kill;
    if (atSeconds === undefined || isDoubtful || !names.isProcess(kill.kill.process)) continue;
    for (const source of evidence) sightings.push({ atSeconds, is: 'death', by: 'kill', source, cause: 'oom', kill });
  }
  for (const { event, atSeconds, source } of seen.logs) {
    if (atSeconds === undefined) continue;
    if (event.kind === 'go-death' && (event.process === '' || names.isProcess(event.process))) {
      sightings.push({ atSeconds, is: 'death', by: 'log', source, cause: event.cause, text: event.message });
    }
    if (event.kind !== 'unit' || !names.isUnit(event.unit)) continue;
    const { change } = event;
    const sighting = { atSeconds, is: 'death', source } as const;
    if (change.kind === 'oom') sightings.push({ ...sighting, by: 'unit-oom', cause: 'oom' });
    else if (change.kind === 'stopping')
      sightings.push({ ...sighting, by: 'unit', cause: 'stopped', text: 'stopped through systemd' });
    else if (change.kind === 'failed') {
      const isOom = change.result === 'oom-kill';
      sightings.push({
        ...sighting,
        by: 'unit-result',
        ...(isOom ? { cause: 'oom' } : {}),
        text: `result ${change.result}`,
      });
    } else if (change.kind === 'exited') {
      const { code, status, name } = change;
      // A shell or a container around it turns a signal into 128 plus its number.
      const signal = code !== 'exited' ? status : status > 128 && status < 160 ? status - 128 : 0;
      const text =
        signal > 0
          ? `killed by signal ${signal}${code === 'exited' || name === '' ? '' : ` (${name})`}`
          : `exit status ${status}`;
      sightings.push({ ...sighting, by: 'unit-exit', cause: signal > 0 ? 'signal' : 'exit', text });
    }
  }
  return sightings;
}

/** In time order. A new event begins when the kind changes, after a gap, or when a source reports again. */
export function joinSightings(sightings: readonly Sighting[]): LifeEvent[] {
  const sorted = [...sightings].sort((a, b) => a.atSeconds - b.atSeconds || compareKeys(a, b));
  const lifeEvents: { is: Sighting['is']; sightings: Sighting[] }[] = [];
  for (const sighting of sorted) {
    const last = lifeEvents.at(-1);
    if (last !== undefined && last.is === sighting.is && belongs(last.sightings, sighting))
      last.sightings.push(sighting);
    else lifeEvents.push({ is: sighting.is, sightings: [sighting] });
  }
  return lifeEvents.map(({ is, sightings: own }) => ({ is, sightings: own, atSeconds: own[0].atSeconds }));
}

function compareKeys(a: Sighting, b: Sighting): number {
  const key = ({ is, by, source }: Sighting): string => `${is}\0${by}\0${source}`;
  return key(a) < key(b) ? -1 : 1;
}

function belongs(sightings: readonly Sighting[], next: Sighting): boolean {
  const span = next.is === 'start' ? START_SPAN_SECONDS : DEATH_SPAN_SECONDS;
  if (next.atSeconds - sightings[0].atSeconds > span) return false;
  // The kubelet logs its start in several lines.
  const repeat = next.by === 'log' ? START_SPAN_SECONDS : REPEAT_SECONDS[next.is];
  return sightings.every(({ by, atSeconds }) => by !== next.by || next.atSeconds - atSeconds <= repeat);
}

export function evidenceOf({ sightings }: LifeEvent): string[] {
  return distinct(sightings.map(({ source }) => source));
}
