/**
 * The processes of one target.
 *
 *     binary    kubelet | containerd ...      different programs in one folder
 *     life      ---- restart -----            by memory layout, build id and process_start_time_seconds
 *
 * A snapshot that shows neither layout nor start time goes to the life that its time falls into.
 */
import { groupBy } from '../../base/group-by.ts';
import { distinctStarts, START_TOLERANCE_SECONDS } from '../process-life.ts';
import type { TimedSnapshot } from './order-snapshots.ts';

export interface Life {
  readonly binary: string;
  buildId: string;
  layout: string;
  startTimeSeconds: number | undefined;
  fromSeconds: number;
  toSeconds: number;
  readonly members: TimedSnapshot[];
}

export function findLives(members: readonly TimedSnapshot[]): Life[] {
  return [...byBinary(members)].flatMap(([binary, ofBinary]) => livesOf(binary, ofBinary));
}

function byBinary(members: readonly TimedSnapshot[]): Map<string, TimedSnapshot[]> {
  const programs = new Map<string, string>();
  const binaries = new Set<string>();
  for (const { binary, program } of members.map(({ origin }) => origin)) {
    if (binary === '') continue;
    binaries.add(binary);
    if (program !== '') programs.set(program, binary);
  }
  const named = new Set(programs.values());
  const [onlyUnnamed, ...moreUnnamed] = [...binaries].filter(binary => !named.has(binary));
  const identify = ({ origin: { binary, program } }: TimedSnapshot): string => {
    if (binary !== '' || program === '') return binary;
    return programs.get(program) ?? (moreUnnamed.length === 0 ? onlyUnnamed : undefined) ?? program;
  };
  const known = new Set(members.map(identify).filter(id => id !== ''));
  const [only = ''] = known.size === 1 ? known : [];
  return groupBy(members, one => identify(one) || only);
}

function livesOf(binary: string, members: readonly TimedSnapshot[]): Life[] {
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

  for (const one of members) {
    const { buildId, layout } = one.origin;
    if (layout === '') continue;
    join(lives.find(life => life.layout === layout && life.buildId === buildId) ?? begin({ layout, buildId }), one);
  }
  const starts = startTimes(members);
  giveStarts(lives, starts);
  for (const one of members) {
    const { origin, startTimeSeconds } = one;
    if (origin.layout !== '' || startTimeSeconds === undefined) continue;
    const start = nearestOf(starts, startTimeSeconds);
    join(lives.find(life => life.startTimeSeconds === start) ?? begin({ startTimeSeconds: start }), one);
  }
  lives.sort(byTime);
  for (const one of members) {
    const { origin, startTimeSeconds } = one;
    if (origin.layout !== '' || startTimeSeconds !== undefined) continue;
    const life = lifeAt(lives, starts, timeOf(one), origin.buildId);
    join(life ?? begin({ buildId: origin.buildId }), one);
  }
  return lives.sort(byTime);
}

function join(life: Life, one: TimedSnapshot): void {
  life.members.push(one);
  if (life.buildId === '') life.buildId = one.origin.buildId;
  const time = timeOf(one);
  if (time === undefined) return;
  life.fromSeconds = Math.min(life.fromSeconds, one.times.contentFrom ?? time);
  life.toSeconds = Math.max(life.toSeconds, time);
}

/** A file's own time may be that of its copy: good enough to order by, but not to choose between lives. */
function timeOf({ taken }: TimedSnapshot): number | undefined {
  return taken.from === 'file' ? undefined : taken.seconds;
}

/** Lives of unknown time come last. */
function byTime(a: Life, b: Life): number {
  return a.fromSeconds === b.fromSeconds ? 0 : a.fromSeconds - b.fromSeconds;
}

/** Distinct start times in order. */
function startTimes(members: readonly TimedSnapshot[]): number[] {
  return distinctStarts(members.map(one => one.startTimeSeconds).filter(start => start !== undefined));
}

/** A life with a known layout began when its files say, else at the last start before its first snapshot. */
function giveStarts(lives: readonly Life[], starts: readonly number[]): void {
  const bySize = [...lives].sort((a, b) => b.members.length - a.members.length);
  const given = new Set<number>();
  for (const life of bySize) {
    const own = life.members.map(one => one.startTimeSeconds).find(start => start !== undefined);
    const start = own === undefined ? startBefore(starts, life.fromSeconds) : nearestOf(starts, own);
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
  // The process and whoever took the snapshot have different clocks.
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
  const [firstStart] = starts;
  if (firstStart !== undefined) {
    const start = startBefore(starts, seconds);
    const since = fitting.filter(life => life.startTimeSeconds === start);
    // A life without a start time may come before the first known start, if it ended by then.
    fitting = start === undefined ? since.filter(life => life.toSeconds < firstStart) : since;
  }
  const distance = (life: Life): number => Math.max(life.fromSeconds - seconds, seconds - life.toSeconds, 0);
  return fitting.reduce<Life | undefined>(
    (best, life) => (best === undefined || distance(life) < distance(best) ? life : best),
    undefined,
  );
}
