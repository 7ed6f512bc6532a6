/** The rules people use today, from guides, rule collections, products and papers. */
import { rule, type Rule } from './rule.ts';
import type { SeriesName } from './target-history.ts';
import type { Line, View, Window } from './view.ts';

const MB = 1e6;
/** For rules that need a limit if the node exposes none. */
const ASSUMED_LIMIT_BYTES = 2000 * MB;

type Memory = Exclude<SeriesName, 'goroutines'>;
/** The windows a line is fitted to, and on which memory. */
type Lines = { readonly hours: number; readonly sinceRestart: boolean; readonly memory: Memory };
type DerivLimits = { readonly goroutinesPerSecond: number; readonly bytesPerSecond: number };
type CorootLimits = { readonly hours: number; readonly megabytesPerHour: number; readonly sharePerHour: number };

type LineGate = {
  readonly r2: number;
  readonly exitDays: number;
  /** Share of the limit at which a rule looks at a target. */
  readonly leastShare: number;
  /** When tuned, the exit is twice the level: few leaks come near the limit in time. */
  readonly toDouble: boolean;
  readonly memory: Memory;
};
type LbrGate = LineGate & { readonly sinceRestart: boolean };
type PrecogGate = LineGate & { readonly times: number };

const MEMORIES: readonly Memory[] = ['resident', 'live'];
const WINDOWS = { hours: [72, 168, 336], sinceRestart: [false, true], memory: MEMORIES };

export const RULES: readonly Rule[] = [
  rule('more than 500 goroutines', { most: 500 }, undefined, (view, { most }) => view.hoursAgo('goroutines', 0) > most),
  rule(
    'more than 1000 goroutines',
    { most: 1000 },
    undefined,
    (view, { most }) => view.hoursAgo('goroutines', 0) > most,
  ),
  rule<{ goroutines: number; megabytes: number }>(
    'goroutines or RSS above a level',
    undefined,
    { goroutines: [500, 700, 1000, 1500, 2500], megabytes: [200, 300, 400, 600, 1000] },
    (view, { goroutines, megabytes }) =>
      view.hoursAgo('goroutines', 0) > goroutines || view.hoursAgo('resident', 0) > megabytes * MB,
  ),
  rule(
    'goroutines above the first day',
    { by: 100 },
    { by: [50, 100, 150, 200, 300, 500] },
    (view, { by }) => view.hoursAgo('goroutines', 0) > view.firstDay('goroutines') + by,
  ),
  rule(
    'RSS per day',
    { megabytes: 100 },
    { megabytes: [2, 5, 10, 15, 20, 30, 50] },
    (view, { megabytes }) => view.hoursAgo('resident', 0) - view.hoursAgo('resident', 24) > megabytes * MB,
  ),
  rule(
    'predict_linear to the limit',
    { hours: 6, aheadDays: 4 },
    { hours: [6, 24, 72, 168], aheadDays: [4, 14, 30, 60, 120] },
    (view, { hours, aheadDays }) => {
      const line = view.line('resident', { hours, sinceRestart: false });
      return line !== undefined && line.last + line.slopePerHour * 24 * aheadDays > limitOf(view);
    },
  ),
  rule('deriv over 5 m', { goroutinesPerSecond: 10, bytesPerSecond: 1e7 }, undefined, derivShort),
  rule<Lines & { goroutinesPerDay: number; megabytesPerDay: number }>(
    'deriv over days',
    undefined,
    { ...WINDOWS, goroutinesPerDay: [3, 6, 10, 20], megabytesPerDay: [0.5, 1, 2, 4, 8] },
    (view, { goroutinesPerDay, megabytesPerDay, memory, ...window }) =>
      risesBy(view, 'goroutines', window, goroutinesPerDay) || risesBy(view, memory, window, megabytesPerDay * MB),
  ),
  rule(
    'Coroot',
    { hours: 24, megabytesPerHour: 50, sharePerHour: 0.1 },
    { hours: [24, 72, 168], megabytesPerHour: [0.03, 0.1, 0.3, 1, 5], sharePerHour: [0.0001, 0.0003, 0.001, 0.003] },
    coroot,
  ),
  rule<LbrGate>(
    'LBR, line with R2',
    { r2: 0.8, exitDays: 7, leastShare: 0.4, toDouble: false, memory: 'resident', sinceRestart: false },
    {
      r2: [0.8, 0.9, 0.95, 0.98],
      exitDays: [20, 40, 80, 120, 200],
      leastShare: [0],
      toDouble: [true],
      memory: MEMORIES,
      sinceRestart: [false, true],
    },
    lineBacked,
  ),
  rule<PrecogGate>(
    'Precog, against its own past',
    { r2: 0.88, exitDays: 7, leastShare: 0.4, toDouble: false, times: 1, memory: 'resident' },
    {
      r2: [0.5, 0.7, 0.88],
      exitDays: [20, 40, 80],
      leastShare: [0],
      toDouble: [true],
      times: [0.5, 1, 2],
      memory: MEMORIES,
    },
    precog,
  ),
  rule<Lines & { z: number; growth: number }>(
    'Mann-Kendall and growth',
    { hours: 168, z: 1.96, growth: 0, memory: 'resident', sinceRestart: false },
    { ...WINDOWS, hours: [168, 336], z: [5, 7, 8, 9], growth: [0.03, 0.08, 0.15, 0.25] },
    (view, { z, growth, memory, ...window }) =>
      (['goroutines', memory] as const).some(series => {
        const found = view.monotony(series, window);
        return found !== undefined && found.z > z && found.growth > growth;
      }),
  ),
];

function limitOf(view: View): number {
  return view.limitBytes ?? ASSUMED_LIMIT_BYTES;
}

function risesBy(view: View, series: SeriesName, window: Window, perDay: number): boolean {
  const line = view.line(series, window);
  return line !== undefined && line.slopePerHour * 24 > perDay;
}

function derivShort(view: View, limits: DerivLimits): boolean {
  const last = view.latest.at(-1);
  const before = view.latest.findLast(scrape => last !== undefined && last.atSeconds - scrape.atSeconds >= 240);
  if (last === undefined || before === undefined) return false;
  const seconds = last.atSeconds - before.atSeconds;
  return (
    (last.goroutines - before.goroutines) / seconds > limits.goroutinesPerSecond ||
    (last.heapInUse - before.heapInUse) / seconds > limits.bytesPerSecond
  );
}

/** The longest run without a fall by half; fits a line to it, and requires that the last quarter still rises. */
function coroot(view: View, { hours, megabytesPerHour, sharePerHour }: CorootLimits): boolean {
  const whole = view.line('resident', { hours, sinceRestart: true });
  const tail = view.line('resident', { hours: Math.max(6, hours / 4), sinceRestart: true });
  if (whole === undefined || tail === undefined || whole.points < hours / 3) return false;
  const least = Math.min(megabytesPerHour * MB, view.limitBytes === undefined ? Infinity : 0.05 * view.limitBytes);
  return (
    whole.slopePerHour >= least &&
    whole.slopePerHour / whole.mean >= sharePerHour &&
    tail.slopePerHour >= 0.3 * whole.slopePerHour
  );
}

/** Windows that grow backwards from now; one that is straight enough and reaches the exit soon is enough. */
function lineBacked(view: View, gate: LbrGate): boolean {
  const series: readonly SeriesName[] = gate.toDouble ? ['goroutines', gate.memory] : ['resident'];
  return series.some(name =>
    [24, 48, 96, 168, 336].some(hours => {
      const line = view.line(name, { hours, sinceRestart: gate.sinceRestart });
      return line !== undefined && leadsOut(view, line, gate);
    }),
  );
}

function leadsOut(view: View, line: Line, { r2, exitDays, leastShare, toDouble }: LineGate): boolean {
  if (line.r2 < r2 || line.slopePerHour <= 0) return false;
  const limit = toDouble ? 2 * line.mean : limitOf(view);
  return line.last > leastShare * limit && (limit - line.last) / line.slopePerHour < exitDays * 24;
}

/** As above, and steeper than anything in its first week. */
function precog(view: View, { times, ...gate }: PrecogGate): boolean {
  const trainedHours = 168;
  if (view.endHour <= trainedHours) return false;
  const series: readonly SeriesName[] = gate.toDouble ? ['goroutines', gate.memory] : ['resident'];
  return series.some(name =>
    [48, 96].some(hours => {
      const line = view.line(name, { hours, sinceRestart: false });
      if (line === undefined || !leadsOut(view, line, gate)) return false;
      return line.slopePerHour > times * view.steepestBefore(name, trainedHours, hours, gate.r2);
    }),
  );
}
