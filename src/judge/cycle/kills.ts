/**
 * OOM kills, each once, even if several sources report it.
 *
 *     kernel log    pid 4711 java    07:12:25
 *     SystemOOM     pid 4711 java    07:12:26     the same
 *     Starting                       09:00:00
 *     SystemOOM     pid 4711 java    09:00:02     the same again: a kubelet that starts reads the kernel's whole buffer
 */
import type { KubeEventObservation, LogObservation, OomKill } from '../../evidence/cycle/cycle.ts';
import { hasWithin, lastUntil } from './sorted-times.ts';
import { distinct } from './phrases.ts';

export interface SeenKill {
  readonly kill: OomKill;
  readonly atSeconds: number | undefined;
  readonly evidence: readonly string[];
  /** Only reported by an event right after a start, so it may be from any time since the boot. */
  readonly isDoubtful: boolean;
}

export interface Kills {
  /** In time order; kills without a time come last. */
  readonly kills: readonly SeenKill[];
  /** Events that reported an old kill as if it were new. */
  readonly reemitted: readonly SeenKill[];
}

/** An event arrives at most this long after what it reports, and a repeated one this long after a start. */
const LAG_SECONDS = 600;
/** Reading the buffer takes some time. */
const DOUBT_SECONDS = 60;
/** How many kills of one name and pid are searched, latest first: pids are reused, but rarely. */
const MAX_KNOWN = 20;

export function findKills(
  logs: readonly LogObservation[],
  events: readonly KubeEventObservation[],
  startSeconds: readonly number[],
  rebootSeconds: readonly number[],
): Kills {
  const kills: SeenKill[] = [];
  const reemitted: SeenKill[] = [];
  /** Indexes of kills by victim, since a log may have a hundred thousand. */
  const byVictim = new Map<string, number[]>();
  const find = (kill: OomKill, fits: (known: SeenKill) => boolean): number =>
    byVictim
      .get(victimKey(kill))
      ?.slice(-MAX_KNOWN)
      .find(at => fits(kills[at])) ?? -1;
  const add = (next: SeenKill): void => {
    const key = victimKey(next.kill);
    const at = kills.push(next) - 1;
    const known = byVictim.get(key);
    if (known === undefined) byVictim.set(key, [at]);
    else known.push(at);
  };
  const merge = (at: number, next: SeenKill): void => {
    kills[at] = {
      kill: fuller(kills[at].kill, next.kill),
      atSeconds: kills[at].atSeconds ?? next.atSeconds,
      evidence: distinct([...kills[at].evidence, ...next.evidence]),
      isDoubtful: false,
    };
  };
  for (const { event, atSeconds, source } of logs) {
    if (event.kind !== 'oom-kill') continue;
    const next: SeenKill = { kill: event.kill, atSeconds, evidence: [source], isDoubtful: false };
    const same = find(event.kill, known => isNear(known.atSeconds, atSeconds));
    if (same < 0) add(next);
    else merge(same, next);
  }
  for (const { kill, atSeconds, source } of events) {
    if (kill === undefined || atSeconds === undefined) continue;
    const next: SeenKill = { kill, atSeconds, evidence: [source], isDoubtful: false };
    const started = lastWithin(startSeconds, atSeconds, LAG_SECONDS);
    const rebooted = (since: number): boolean => hasWithin(rebootSeconds, since, atSeconds);
    const same = find(
      kill,
      ({ atSeconds: at }) => isNear(at, atSeconds) || (started !== undefined && at !== undefined && !rebooted(at)),
    );
    if (same < 0) {
      const isDoubtful = lastWithin(startSeconds, atSeconds, DOUBT_SECONDS) !== undefined;
      add({ ...next, isDoubtful });
      continue;
    }
    const at = kills[same].atSeconds;
    // A start between the kill and the event: the kubelet has read the buffer again.
    if (at !== undefined && started !== undefined && at < started) reemitted.push({ ...next, atSeconds });
    else merge(same, next);
  }
  kills.sort((a, b) => (a.atSeconds ?? Infinity) - (b.atSeconds ?? Infinity) || a.kill.pid - b.kill.pid);
  return { kills, reemitted };
}

function victimKey({ pid, process, processCgroup }: OomKill): string {
  return pid === 0 ? processCgroup : `${pid} ${process.slice(0, 15)}`;
}

function isNear(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined || Math.abs(a - b) <= LAG_SECONDS;
}

/** The last one before `seconds`, if it is close enough; clocks differ by a second. */
function lastWithin(times: readonly number[], seconds: number, withinSeconds: number): number | undefined {
  const last = lastUntil(times, seconds + 1);
  return last !== undefined && seconds - last <= withinSeconds ? last : undefined;
}

/** The more detailed value of each field. */
function fuller(a: OomKill, b: OomKill): OomKill {
  return {
    process: a.process || b.process,
    pid: a.pid,
    scope: a.scope === 'unknown' ? b.scope : a.scope,
    limitCgroup: a.limitCgroup || b.limitCgroup,
    processCgroup: a.processCgroup || b.processCgroup,
    limitBytes: a.limitBytes ?? b.limitBytes,
    residentBytes: a.residentBytes ?? b.residentBytes,
    oomScoreAdj: a.oomScoreAdj ?? b.oomScoreAdj,
    invokedBy: a.invokedBy || b.invokedBy,
  };
}
