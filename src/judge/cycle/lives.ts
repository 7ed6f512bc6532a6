/**
 * The lives of the process: from start to death, to start, ...
 *
 *     lives    [?----- death]  [start ---------- death]  [start ------
 *
 * A start without a death before it still ends the previous life. Between two deaths in a row there was a start that
 * nobody saw.
 */
import type { Death, DeathCause, ProcessNames } from '../../evidence/cycle/cycle.ts';
import { isSameLife } from '../../evidence/process-life.ts';
import { evidenceOf, type LifeEvent } from './life-events.ts';
import type { SeenKill } from './kills.ts';
import { type BootRecord, wasReboot } from './reboots.ts';
import type { Sample } from './samples.ts';
import { killText, secondsText, type Observed } from './phrases.ts';

/**
 * Why the process died, from everything that was observed.
 *
 * A repairer acts within this time of finding the process unhealthy.
 */
const REPAIR_SECONDS = 300;

/** The kernel is trusted most, then the Go runtime, then systemd. */
const ORDER: readonly DeathCause[] = ['oom', 'go-out-of-memory', 'go-threads', 'crash', 'stopped', 'signal', 'exit'];

export interface Life {
  /** Undefined if it began before anything was observed. */
  readonly startSeconds: number | undefined;
  /** The process's own start time, if metrics show it: its counters are 0 there. */
  readonly processStartSeconds: number | undefined;
  readonly startEvidence: readonly string[];
  /** Whether there was a life before it. */
  readonly isRestart: boolean;
  /** Whether the node rebooted before it; undefined if unknown. */
  readonly reboot: boolean | undefined;
  /** What ended it. */
  readonly death: Death | undefined;
  readonly deathEvidence: readonly string[];
  readonly samples: readonly Sample[];
}

type Draft = { -readonly [K in keyof Life]: Life[K] };

/** A process seen this long before a start was restarted. */
const EARLIER_SECONDS = 60;
/** Clocks differ, and the last data of a dying process arrives late. */
const HEARTBEAT_SECONDS = 10;

export function findLives(
  lifeEvents: readonly LifeEvent[],
  samples: readonly Sample[],
  seen: Observed,
  boots: BootRecord,
  untimed: readonly SeenKill[],
  names: ProcessNames,
): Life[] {
  const lives: Draft[] = [];
  const begin = (part: Partial<Draft>): void => {
    const isRestart = lives.length > 0;
    lives.push({ ...EMPTY, isRestart, ...part });
  };
  const first = firstSeen(seen, samples, names);
  const next = lifeEvents.at(0);
  if (first !== undefined && (next === undefined || first < next.atSeconds - EARLIER_SECONDS)) begin({});
  let lastSeconds = first;
  for (const lifeEvent of lifeEvents) {
    const open = lives.at(-1)?.death === undefined ? lives.at(-1) : undefined;
    if (lifeEvent.is === 'death') {
      if (open === undefined) begin({});
      const dying = lives[lives.length - 1];
      dying.death = deathOf(lifeEvent, seen, names);
      dying.deathEvidence = evidenceOf(lifeEvent);
    } else {
      const { atSeconds } = lifeEvent;
      const reboot = lives.length === 0 ? undefined : wasReboot(boots, lastSeconds, lifeEvent);
      if (open !== undefined) {
        const last = samples.findLast(sample => sample.atSeconds < atSeconds)?.atSeconds ?? lastSeconds;
        open.death = unseenDeath(last, atSeconds, reboot);
        open.deathEvidence = evidenceOf(lifeEvent);
      }
      const own = lifeEvent.sightings.find(({ by }) => by === 'metrics')?.atSeconds;
      begin({ startSeconds: atSeconds, processStartSeconds: own, startEvidence: evidenceOf(lifeEvent), reboot });
    }
    lastSeconds = lifeEvent.atSeconds;
  }
  assignUntimed(lives, untimed, begin);
  const death = lives.at(-1)?.death;
  if (death !== undefined && isAliveAfter(death, seen, samples, names)) begin({});
  return withSamples(lives, samples);
}

const EMPTY: Life = {
  startSeconds: undefined,
  processStartSeconds: undefined,
  startEvidence: [],
  isRestart: false,
  reboot: undefined,
  death: undefined,
  deathEvidence: [],
  samples: [],
};

/** When the process, or the node it belongs to, was first seen. */
function firstSeen(seen: Observed, samples: readonly Sample[], names: ProcessNames): number | undefined {
  const times: (number | undefined)[] = [];
  for (const { values, atSeconds } of samples) {
    if (values.startSeconds !== undefined || values.relists !== undefined) times.push(values.startSeconds ?? atSeconds);
  }
  if (names.name === 'kubelet') {
    for (const { atSeconds } of seen.conditions) times.push(atSeconds);
    for (const { atSeconds, component } of seen.kubeEvents) if (component === 'kubelet') times.push(atSeconds);
  }
  for (const { event, atSeconds } of seen.logs) {
    if (event.kind === 'pleg-stalled' || (event.kind === 'unit' && names.isUnit(event.unit))) times.push(atSeconds);
  }
  const known = times.filter(time => time !== undefined);
  return known.reduce<number | undefined>(
    (least, time) => (least === undefined || time < least ? time : least),
    undefined,
  );
}

/** A start that was not seen itself, only what came after it. */
function isAliveAfter(
  { atSeconds: died }: Death,
  seen: Observed,
  samples: readonly Sample[],
  names: ProcessNames,
): boolean {
  if (died === null) return false;
  const isLater = (at: number | undefined): boolean => at !== undefined && at > died + HEARTBEAT_SECONDS;
  if (samples.some(({ values, atSeconds }) => values.relists !== undefined && isLater(atSeconds))) return true;
  if (names.name !== 'kubelet') return false;
  return (
    seen.conditions.some(
      ({ type, status, atSeconds }) => type === 'Ready' && status === 'True' && isLater(atSeconds),
    ) || seen.kubeEvents.some(({ reason, atSeconds }) => reason === 'NodeReady' && isLater(atSeconds))
  );
}

/** Kills from a ring buffer without a clock explain the latest deaths that have no other explanation. */
function assignUntimed(lives: Draft[], untimed: readonly SeenKill[], begin: (part: Partial<Draft>) => void): void {
  const left = untimed.filter(({ kill }) => !lives.some(({ death }) => death?.kill?.pid === kill.pid));
  for (const life of [...lives].reverse()) {
    if (life.death === undefined || life.reboot === true || !mayBeOom(life.death)) continue;
    const kill = left.pop();
    if (kill === undefined) return;
    life.death = withKill(life.death, kill);
    life.deathEvidence = [...life.deathEvidence, ...kill.evidence];
  }
  if (lives.length > 0) return;
  // If nothing else is known, each kill ends a life.
  for (const kill of left) {
    const death: Death = { atSeconds: null, cause: 'oom', sentence: '', kill: null };
    begin({ death: withKill(death, kill), deathEvidence: kill.evidence });
  }
}

/** By the start time in a sample, or else by when it was taken. */
function withSamples(lives: readonly Draft[], samples: readonly Sample[]): Life[] {
  const own = lives.map<Sample[]>(() => []);
  for (const sample of samples) {
    const { startSeconds } = sample.values;
    const byStart =
      startSeconds === undefined
        ? -1
        : lives.findIndex(({ processStartSeconds: start }) => start !== undefined && isSameLife(start, startSeconds));
    const byTime = lives.findLastIndex((life, i) => beginOf(life, lives[i - 1]) <= sample.atSeconds);
    own[byStart >= 0 ? byStart : Math.max(byTime, 0)]?.push(sample);
  }
  return lives.map((life, i) => ({ ...life, samples: own[i] }));
}

/** A start that was not seen came after the previous death. */
function beginOf(life: Life, before: Life | undefined): number {
  return life.startSeconds ?? before?.death?.atSeconds ?? -Infinity;
}

function deathOf(lifeEvent: LifeEvent, seen: Observed, names: ProcessNames): Death {
  const { sightings, atSeconds } = lifeEvent;
  const kill = sightings.find(sighting => sighting.kill !== undefined)?.kill?.kill ?? null;
  const ranked = sightings
    .filter(sighting => sighting.cause !== undefined)
    .sort((a, b) => ORDER.indexOf(a.cause ?? 'unknown') - ORDER.indexOf(b.cause ?? 'unknown'));
  const told = ranked.at(0);
  const cause = told?.cause ?? 'unknown';
  const by = cause === 'oom' || cause.startsWith('go-') ? undefined : repairBefore(atSeconds, seen, names);
  if (by !== undefined) return { atSeconds, cause: 'repairer', sentence: by, kill };
  return { atSeconds, cause, sentence: sentenceOf(cause, kill, told?.text ?? ''), kill };
}

function sentenceOf(cause: DeathCause, kill: Death['kill'], text: string): string {
  if (kill !== null) return `OOM-killed (${killText(kill)})`;
  switch (cause) {
    case 'oom':
      return 'OOM-killed, as systemd says; no line of the kernel tells whose limit it was';
    case 'go-out-of-memory':
      return `out of memory in the Go runtime: ${text}`;
    case 'go-threads':
      return `out of threads in the Go runtime: ${text}`;
    case 'crash':
      return `crashed: ${text}`;
    case 'signal':
      return `${text}; nothing shows an OOM kill`;
    case 'exit':
      return `exited with ${text.replace(/^exit /, '')}; nothing shows an OOM kill`;
    default:
      return text || 'died, and nothing tells why';
  }
}

function repairBefore(seconds: number, seen: Observed, names: ProcessNames): string | undefined {
  for (const { event, atSeconds } of seen.logs) {
    if (event.kind !== 'repair' || !event.acts || atSeconds === undefined || !names.isProcess(event.component))
      continue;
    const before = seconds - atSeconds;
    if (before >= -1 && before <= REPAIR_SECONDS)
      return `killed by node-problem-detector's health-checker (${event.message})`;
  }
  for (const { reason, atSeconds, message } of seen.kubeEvents) {
    if (reason !== 'KubeletUnhealthy' || atSeconds === undefined || /: False/.test(message)) continue;
    const before = seconds - atSeconds;
    if (before >= 0 && before <= REPAIR_SECONDS && names.name === 'kubelet')
      return `died ${secondsText(before)} after it was called KubeletUnhealthy: node-problem-detector's health-checker kills it where repair is on`;
  }
  return undefined;
}

/** A death that is only known from the start after it. */
function unseenDeath(lastSeenSeconds: number | undefined, startSeconds: number, reboot: boolean | undefined): Death {
  const gap =
    lastSeenSeconds === undefined ? '' : `within ${secondsText(startSeconds - lastSeenSeconds)} before its new start`;
  if (reboot === true)
    return { atSeconds: null, cause: 'reboot', sentence: 'ended with a reboot of the node', kill: null };
  const sentence = `died ${gap === '' ? 'before its new start' : gap}; no log tells why`;
  return { atSeconds: null, cause: 'unknown', sentence, kill: null };
}

/** Whether a kill without a time could explain it as well. */
function mayBeOom({ cause, kill }: Death): boolean {
  return kill === null && (cause === 'oom' || cause === 'unknown' || cause === 'signal');
}

function withKill(death: Death, { kill }: SeenKill): Death {
  return { ...death, cause: 'oom', kill, sentence: `OOM-killed (${killText(kill)}; its line carries no time)` };
}
