/**
 * The processes of one target.
 *
 *     binary    kubelet | containerd ...      different programs in one folder
 *     life      ---- restart -----            by memory layout, build id and process_start_time_seconds
 *
 * A snapshot that shows neither layout nor start time goes to the life that its time falls into.
 */
import { distinctStarts, START_TOLERANCE_SECONDS } from '../../model/process-life.ts';
import type { ReadSnapshot } from './read-member.ts';

export interface Life {
  readonly binary: string;
  buildId: string;
  layout: string;
  startTimeSeconds: number | undefined;
  fromSeconds: number;
  toSeconds: number;
  readonly members: number[];
}

export function findLives(
  all: readonly ReadSnapshot[],
  times: readonly (number | undefined)[],
  members: readonly number[],
): Life[] {
  const lives: Life[] = [];
  for (const [binary, ofBinary] of byBinary(all, members)) lives.push(...livesOf(binary, all, times, ofBinary));
  return lives;
}

function byBinary(all: readonly ReadSnapshot[], members: readonly number[]): Map<string, number[]> {
  const programs = new Map<string, string>();
  const binaries = new Set<string>();
  for (const index of members) {
    const { binary, program } = all[index].origin;
    if (binary === '') continue;
    binaries.add(binary);
    if (program !== '') programs.set(program, binary);
  }
  const named = new Set(programs.values());
  const unnamed = [...binaries].filter(binary => !named.has(binary));
  const identify = ({ origin: { binary, program } }: ReadSnapshot): string => {
    if (binary !== '' || program === '') return binary;
    return programs.get(program) ?? (unnamed.length === 1 ? unnamed[0] : program);
  };
  const known = new Set(members.map(index => identify(all[index])).filter(id => id !== ''));
  const [only = ''] = known.size === 1 ? known : [];
  const out = new Map<string, number[]>();
  for (const index of members) {
    const id = identify(all[index]) || only;
    const list = out.get(id);
    if (list === undefined) out.set(id, [index]);
    else list.push(index);
  }
  return out;
}

function livesOf(
  binary: string,
  all: readonly ReadSnapshot[],
  times: readonly (number | undefined)[],
  members: readonly number[],
): Life[] {
  const lives: Life[] = [];
  const begin = (part: Partial<Life>): Life => {
    const life: Life = {
      binary,
      buildId: '',
      layout: '',
      startTimeSeconds: undefined,
      fromSeconds: Infinity,
      toSeconds: -Infinity,
      members: [],
      ...part,
    };
    lives.push(life);
    return life;
  };
  const join = (life: Life, index: number): void => {
    const { origin, times: told } = all[index];
    life.members.push(index);
    if (life.buildId === '') life.buildId = origin.buildId;
    const time = times[index];
    if (time === undefined) return;
    life.fromSeconds = Math.min(life.fromSeconds, told.contentFrom ?? time);
    life.toSeconds = Math.max(life.toSeconds, time);
  };

  for (const index of members) {
    const { buildId, layout } = all[index].origin;
    if (layout === '') continue;
    join(lives.find(life => life.layout === layout && life.buildId === buildId) ?? begin({ layout, buildId }), index);
  }
  const starts = startTimes(all, members);
  giveStarts(lives, starts, all);
  for (const index of members) {
    const one = all[index];
    if (one.origin.layout !== '') continue;
    const { startTimeSeconds } = one;
    if (startTimeSeconds === undefined) continue;
    const start = nearestOf(starts, startTimeSeconds);
    join(lives.find(life => life.startTimeSeconds === start) ?? begin({ startTimeSeconds: start }), index);
  }
  lives.sort(byTime);
  for (const index of members) {
    const { origin, startTimeSeconds } = all[index];
    if (origin.layout !== '' || startTimeSeconds !== undefined) continue;
    const life = lifeAt(lives, starts, times[index], origin.buildId);
    join(life ?? begin({ buildId: origin.buildId }), index);
  }
  return lives.sort(byTime);
}

/** Those of unknown time last. */
function byTime(a: Life, b: Life): number {
  return a.fromSeconds === b.fromSeconds ? 0 : a.fromSeconds - b.fromSeconds;
}

/** Distinct start times in order. */
function startTimes(all: readonly ReadSnapshot[], members: readonly number[]): number[] {
  return distinctStarts(members.map(index => all[index].startTimeSeconds).filter(start => start !== undefined));
}

/** Each life that was seen by its layout began when its files say, else at the last start before its first snapshot. */
function giveStarts(lives: readonly Life[], starts: readonly number[], all: readonly ReadSnapshot[]): void {
  const bySize = [...lives].sort((a, b) => b.members.length - a.members.length);
  const given = new Set<number>();
  for (const life of bySize) {
    const told = life.members.map(index => all[index].startTimeSeconds).find(one => one !== undefined);
    const start = told === undefined ? startBefore(starts, life.fromSeconds) : nearestOf(starts, told);
    if (start === undefined || given.has(start)) continue;
    given.add(start);
    life.startTimeSeconds = start;
  }
}

function nearestOf(starts: readonly number[], seconds: number): number | undefined {
  const distance = (start: number): number => Math.abs(start - seconds);
  return starts.reduce<number | undefined>(
    (best, start) => (best === undefined || distance(start) < distance(best) ? start : best),
    undefined,
  );
}

function startBefore(starts: readonly number[], seconds: number): number | undefined {
  // The clocks of the process and of whoever took the snapshot differ.
  return starts.findLast(start => start <= seconds + START_TOLERANCE_SECONDS);
}

function lifeAt(
  lives: readonly Life[],
  starts: readonly number[],
  seconds: number | undefined,
  buildId: string,
): Life | undefined {
  let fitting = lives.filter(life => buildId === '' || life.buildId === '' || life.buildId === buildId);
  if (seconds === undefined) return fitting.at(-1);
  if (starts.length > 0) {
    const start = startBefore(starts, seconds);
    const since = fitting.filter(life => life.startTimeSeconds === start);
    // Before the first known start there may be a life without one, if it ended before.
    fitting = start === undefined ? since.filter(life => life.toSeconds < starts[0]) : since;
  }
  const distance = (life: Life): number => Math.max(life.fromSeconds - seconds, seconds - life.toSeconds, 0);
  return fitting.reduce<Life | undefined>(
    (best, life) => (best === undefined || distance(life) < distance(best) ? life : best),
    undefined,
  );
}
