/**
 * Runs a recording through the detector as if it were live.
 *
 *     const recording = await readRecording(pile.read(paths));
 *     const detection = runDetection(recording, { detector: createFleetDetector() });
 */
import { Failure } from '../../base/failure.ts';
import { timeText } from '../../base/time-text.ts';
import { finiteOrNull } from '../../base/finite.ts';
import type { FleetDetector, ResourceVerdict, TargetVerdict } from '../../model/detection.ts';
import type { DetectedTarget, Detection, ResourceDetection, VerdictChange } from '../../model/recorded-detection.ts';
import { type Verdict, compareVerdicts, worst } from '../../model/verdict.ts';
import { weighDetected } from '../ledger/detected.ts';
import { historyOf } from '../../evidence/recording/history.ts';
import type { RecordedTarget, Recording } from '../../evidence/recording/read-recording.ts';

export interface RunOptions {
  /** Must be new: a detector learns from everything it sees. */
  readonly detector: FleetDetector;
  /** When to judge, with the samples until then; at the last sample by default. */
  readonly atSeconds?: number | undefined;
  /** Also judges after each of these steps, to say when verdicts would have appeared. */
  readonly everySeconds?: number | undefined;
  readonly timeScale?: number;
}

const HISTORY_PARTS = 48;
const MAX_STEPS = 10_000;

/** Why a recording cannot be judged, in one line for the user. */
export class NothingToJudge extends Failure {
  constructor(message: string) {
    super('no-evidence', message);
  }
}

export function runDetection(recording: Recording, options: RunOptions): Detection {
  const { detector } = options;
  const [first, last] = spanOf(recording.targets);
  const end = options.atSeconds ?? last;
  if (!(first <= end)) {
    throw new NothingToJudge(
      `nothing was recorded until ${timeText(end)}: the first sample is from ${timeText(first)}`,
    );
  }
  const used = new Map<string, Used>();
  const changes: VerdictChange[] = [];
  const known = new Map<string, Verdict>();
  let verdicts: readonly TargetVerdict[] = [];
  const steps =
    options.everySeconds === undefined
      ? leadIn(first, end, options.timeScale ?? 1)
      : replaySteps(first, end, options.everySeconds);
  for (const at of steps) {
    for (const { name, timeline } of recording.targets) {
      let { count, lastSeconds } = used.get(name) ?? { count: 0, lastSeconds: NaN };
      for (const { atSeconds, values } of timeline.until(at)) {
        detector.observe(name, atSeconds, values);
        count++;
        lastSeconds = atSeconds;
      }
      used.set(name, { count, lastSeconds });
    }
    verdicts = detector.evaluate(at);
    changes.push(...changesOf(verdicts, at, known));
  }
  const byName = new Map(verdicts.map(verdict => [verdict.target, verdict]));
  const targets = recording.targets.flatMap(target => {
    const verdict = byName.get(target.name);
    const ofTarget = used.get(target.name);
    return verdict === undefined || ofTarget === undefined ? [] : [detectedTarget(target, verdict, ofTarget)];
  });
  targets.sort(byWeight);
  const { readPaths, otherCount, unread, notes } = recording;
  return {
    schema: 'oakum.detection/v1',
    verdict: worst(targets.map(({ verdict }) => verdict)),
    at: timeText(end),
    timeScale: options.timeScale ?? 1,
    targets,
    changes: options.everySeconds === undefined ? null : changes,
    inputs: { readCount: readPaths.length, otherCount, unread, notes },
  };
}

/** What the detector was given of a target. */
interface Used {
  readonly count: number;
  readonly lastSeconds: number;
}

function spanOf(targets: readonly RecordedTarget[]): [number, number] {
  let [first, last] = [Infinity, -Infinity];
  for (const { timeline } of targets) {
    first = Math.min(first, timeline.fromSeconds);
    last = Math.max(last, timeline.toSeconds);
  }
  return [first, last];
}

/** Multiples of the step after the first sample, and the end. */
function replaySteps(first: number, end: number, everySeconds: number): number[] {
  const count = Math.ceil((end - first) / everySeconds);
  if (count > MAX_STEPS) {
    throw new NothingToJudge(
      `--every gives ${count} evaluations, and the limit is ${MAX_STEPS}; choose a longer interval`,
    );
  }
  const steps: number[] = [];
  for (let at = (Math.floor(first / everySeconds) + 1) * everySeconds; at < end; at += everySeconds) steps.push(at);
  return [...steps, end];
}

/** The detector remembers its verdicts, so a single evaluation at the end would say less than regular ones. */
function leadIn(first: number, end: number, timeScale: number): number[] {
  const before = [48, 36, 24, 12].map(hours => end - (hours * 3600) / timeScale);
  return [...before.filter(at => at > first), end];
}

function changesOf(verdicts: readonly TargetVerdict[], at: number, known: Map<string, Verdict>): VerdictChange[] {
  const changes: VerdictChange[] = [];
  for (const { target, resources } of verdicts) {
    for (const { resource, verdict, reasons } of resources) {
      const key = `${target}\0${resource}`;
      const from = known.get(key) ?? 'unknown';
      known.set(key, verdict);
      if (from !== verdict)
        changes.push({ at: timeText(at), target, resource, from, to: verdict, reason: reasons[0] ?? '' });
    }
  }
  return changes;
}

function detectedTarget(
  { name, timeline }: RecordedTarget,
  { verdict, resources }: TargetVerdict,
  used: Used,
): DetectedTarget {
  const from = timeline.fromSeconds;
  const to = used.lastSeconds;
  const detected = resources.map(one => ({
    ...resourceDetection(one),
    history: historyOf(timeline.tables, one.metric, from, to, HISTORY_PARTS),
  }));
  return {
    target: name,
    verdict,
    from: timeText(from),
    to: timeText(to),
    sampleCount: used.count,
    resources: detected,
  };
}

export function resourceDetection(one: ResourceVerdict): Omit<ResourceDetection, 'history'> {
  const [low, high] = one.slopeInterval;
  const limit = one.timeToLimitHours;
  return {
    resource: one.resource,
    verdict: one.verdict,
    metric: one.metric,
    unit: one.unit,
    level: finiteOrNull(one.level),
    slopePerHour: finiteOrNull(one.slopePerHour),
    slopeInterval: Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null,
    onset: one.onsetSeconds === undefined ? null : timeText(one.onsetSeconds),
    timeToLimitHours: limit === undefined || !Number.isFinite(limit[0]) ? null : [limit[0], finiteOrNull(limit[1])],
    clock: one.clock ?? null,
    explanation: one.explanation ?? null,
    reasons: one.reasons,
    ledger: weighDetected(one),
  };
}

/** Worst first, then by time to the limit, then by name. */
function byWeight(a: DetectedTarget, b: DetectedTarget): number {
  const hours = ({ resources }: DetectedTarget): number => resources[0]?.timeToLimitHours?.[0] ?? Infinity;
  const [x, y] = [hours(a), hours(b)];
  return compareVerdicts(a.verdict, b.verdict) || (x === y ? 0 : x - y) || (a.target < b.target ? -1 : 1);
}
