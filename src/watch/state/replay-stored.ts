/** Plays the samples of a store to a detector, which is judged on the way as if it had run all along. */
import { RESOURCE_RULES } from '../../evidence/resource-rules.ts';
import type { DetectorRow } from '../background.ts';
import type { SampleStore, WatchStore } from '../../store/ports.ts';
import type { ReplayPart } from '../../store/records.ts';
import { elementAt, Failure } from '../../base/errors.ts';
import { AttributeLog } from '../../judge/cohorts/attribute-log.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ComparedFleet } from '../../judge/bisect/bisect.ts';
import { type DescribedTargets, descriptionsFor } from '../../evidence/read-attribute-file.ts';
import type { AttributeChange } from '../../judge/cohorts/cohort-model.ts';
import type { FleetDetector } from '../../judge/detect/detection.ts';
import { storedDescriptions } from './describe-target.ts';
import type { Attributes } from '../../evidence/target.ts';

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

interface StoredFleetOptions {
  /** Must be new. */
  readonly detector: FleetDetector;
  readonly timeScale: number;
  /** When to judge; the last sample by default. */
  readonly at: number | undefined;
  /** What the user says targets are. */
  readonly described: DescribedTargets | undefined;
  /** As the user named the folder. */
  readonly shown: string;
}

interface StoredFleet {
  readonly fleet: ComparedFleet;
  readonly endSeconds: number;
}

type FleetStore = Pick<WatchStore, 'targets' | 'replay' | 'records'>;

/**
 * A fleet from the store of an `oakum watch` that does not run: its samples, what its targets are, and what changed.
 */
export async function readStoredFleet(store: FleetStore, options: StoredFleetOptions): Promise<StoredFleet> {
  const { detector, described } = options;
  const hourSeconds = 3600 / options.timeScale;
  const stored = await store.targets();
  const endSeconds =
    options.at ?? stored.reduce((last, { lastSeenAt }) => Math.max(last, lastSeenAt ?? last), -Infinity);
  const from = endSeconds - MEMORY_HOURS * hourSeconds;
  const present = stored.filter(
    ({ firstSeenAt, lastSeenAt }) => lastSeenAt !== null && lastSeenAt >= from && (firstSeenAt ?? 0) <= endSeconds,
  );
  if (present.length === 0) throw new Failure('no-evidence', `${options.shown} has no samples to judge`);

  // All changes, later ones, too: what a target is now, without them, is what it was then.
  const events = groupBy(await store.records({ kind: 'event', event: 'change', since: from }), ({ target }) => target);
  const log = new AttributeLog();
  const changes: AttributeChange[] = [];
  for (const { target, attributes } of present) {
    const given = descriptionsFor(described ?? new Map(), target);
    const rows = [
      ...storedDescriptions(attributes, events.get(target) ?? []),
      ...given.map(({ atSeconds, attributes: own }) => ({ at: atSeconds, attributes: own })),
    ].filter(({ at }) => at <= endSeconds);
    for (const { at, attributes: own } of rows.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))) {
      detector.describe(target, own, at);
      changes.push(...log.describe(target, own, at));
    }
  }

  let hasKubelets = false;
  await replayStored({
    samples: store,
    now: endSeconds,
    until: endSeconds,
    hourSeconds,
    targets: present.map(({ target }) => target),
    observe: async rows => {
      for (const { target, at, values } of rows) {
        detector.observe(target, at, values);
        hasKubelets ||= 'kubelet_running_pods' in values;
      }
    },
    evaluate: async at => detector.evaluate(at),
  });
  const targets = present.map(({ target }) => ({ name: target, attributes: currentOf(log, target) }));
  return { fleet: { targets, attributeChanges: changes, hasKubelets, inputs: { notes: [] } }, endSeconds };
}

function currentOf(log: AttributeLog, target: string): Attributes {
  return Object.fromEntries([...(log.attributesOf(target) ?? [])].map(([name, { value }]) => [name, value]));
}
