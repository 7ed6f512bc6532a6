/** Plays the samples of a store to a detector, which is judged on the way as if it had run all along. */
import { RESOURCE_RULES } from '../../evidence/resource-rules.ts';
import type { DetectorRow } from '../background.ts';
import type { SampleStore } from '../../store/ports.ts';
import type { ReplayPart } from '../../store/records.ts';
import { elementAt } from '../../base/errors.ts';

/** The detector's memory, in its hours. */
export const MEMORY_HOURS: number = 14 * 24;
/** The detector remembers its verdicts, so it is evaluated on the way. */
const LEAD_IN_HOURS = 54;
const JUDGE_HOURS = 6;
/** As the store keeps them at normal speed. */
const STEPS_AN_HOUR = 12;

/** For these, the lowest value of an hour counts. */
const FLOORS: ReadonlySet<string> = new Set(
  RESOURCE_RULES.flatMap(({ sources }) =>
    sources.filter(({ aggregate }) => aggregate === 'floor').map(({ metric }) => metric),
  ),
);

export interface StoredReplay {
  readonly samples: Pick<SampleStore, 'replay'>;
  /** The moment that the samples lead up to. */
  readonly now: number;
  /** Later samples are left out; by default none. */
  readonly until?: number | undefined;
  /** How long an hour of the detector lasts. */
  readonly hourSeconds: number;
  /** Whose samples: reading them costs as much as they have, whatever else the store has. */
  readonly targets: readonly string[];
  /** The samples of each target come in time order. */
  readonly observe: (rows: readonly DetectorRow[]) => Promise<void>;
  readonly evaluate: (at: number) => Promise<unknown>;
}

export async function replayStored(replay: StoredReplay): Promise<void> {
  const hour = replay.hourSeconds;
  const from = replay.now - MEMORY_HOURS * hour;
  const leadInFrom = replay.now - LEAD_IN_HOURS * hour;
  if (hour === 3600) await replayWindows(replay, from, leadInFrom);
  else await replayAccelerated(replay, from, leadInFrom, hour);
}

async function replayWindows(
  { samples, until, targets, observe, evaluate }: StoredReplay,
  from: number,
  leadInFrom: number,
): Promise<void> {
  let windowEnd = -Infinity;
  // Beyond the lead-in, only the hours count.
  for await (const part of samples.replay({ from, hourlyBefore: leadInFrom, targets })) {
    const rows = rowsOf(part, until);
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (first === undefined || last === undefined) continue;
    // The parts of one window come together: one that begins after their end belongs to the next window.
    if (first.at > windowEnd && windowEnd > leadInFrom) await evaluate(windowEnd);
    windowEnd = Math.max(windowEnd, last.at);
    await observe(rows);
  }
  if (windowEnd > leadInFrom) await evaluate(windowEnd);
}

/** An accelerated cluster is small and its record short: all of it is loaded, and judged on the way. */
async function replayAccelerated(
  { samples, until, targets, observe, evaluate }: StoredReplay,
  from: number,
  leadInFrom: number,
  hour: number,
): Promise<void> {
  const rows: DetectorRow[] = [];
  for await (const part of samples.replay({ from, stepSeconds: hour / STEPS_AN_HOUR, targets }))
    rows.push(...rowsOf(part, until));
  rows.sort((a, b) => a.at - b.at);
  let judgeAt = leadInFrom;
  let waiting: DetectorRow[] = [];
  for (const row of rows) {
    if (row.at > judgeAt) {
      await observe(waiting);
      waiting = [];
      await evaluate(judgeAt);
      judgeAt = Math.max(row.at, judgeAt + JUDGE_HOURS * hour);
    }
    waiting.push(row);
  }
  await observe(waiting);
  const last = rows.at(-1);
  if (last !== undefined) await evaluate(last.at);
}

function rowsOf({ target, times, columns }: ReplayPart, until: number = Infinity): DetectorRow[] {
  const rows: DetectorRow[] = [];
  times.forEach((at, i) => {
    if (at > until) return;
    const values: Record<string, number> = {};
    for (const { metric, values: medians, lows } of columns) {
      const value = elementAt(FLOORS.has(metric) ? lows : medians, i);
      if (!Number.isNaN(value)) values[metric] = value;
    }
    rows.push({ target, at, values });
  });
  return rows;
}
