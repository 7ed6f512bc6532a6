/**
 * Runs a recording through the detector as if it were live.
 *
 *     const recording = await readRecording(pile.read(paths));
 *     const detection = runDetection(recording, { detector: createFleetDetector() });
 */
import { finiteOrNull } from '../../base/finite.ts';
import type { ResourceVerdict, TargetVerdict } from './detection.ts';
import type { LimitSource, Resource } from '../../evidence/resource.ts';
import {
  type DetectedTarget,
  type Detection,
  type LimitBasis,
  type ResourceDetection,
  recordedCohort,
} from './recorded-detection.ts';
import type { Evidence } from '../ledger/ledger.ts';
import { compareVerdicts, mayLeak, worseOf, worst } from '../verdict.ts';
import type { CohortVerdict } from '../cohorts/cohort-model.ts';
import { GATE_PREFIX } from '../../evidence/attributes-of-series.ts';
import { cohortEvidence, weighCohorts } from '../ledger/cohort-evidence.ts';
import { raiseVerdict, weighDetected } from '../ledger/metric-evidence.ts';
import type { Recording } from '../../evidence/recording/read-recording.ts';
import { FleetReplay, type ReplayedFleet, type ReplayedTarget, type ReplayOptions, spanOf } from './fleet-replay.ts';
import { timeText } from '../../base/say.ts';

export type RunOptions = Omit<ReplayOptions, 'firstSeconds' | 'endSeconds'> & {
  /** When to judge, with the samples until then; at the last sample by default. */
  readonly atSeconds?: number | undefined;
};

export function runDetection(recording: Recording, options: RunOptions): Detection {
  const [firstSeconds, last] = spanOf(recording.targets);
  const replay = new FleetReplay({ ...options, firstSeconds, endSeconds: options.atSeconds ?? last });
  replay.add(recording);
  return detectionOf(replay.finish(), { ...options, endSeconds: replay.endSeconds });
}

/** The verdicts of a fleet that was replayed, with what its cohorts say. */
export function detectionOf(
  { targets: all, verdicts, verdictChanges, inputs }: ReplayedFleet,
  { detector, endSeconds, timeScale, everySeconds }: Omit<ReplayOptions, 'firstSeconds'>,
): Detection {
  const cohorts = detector.evaluateCohorts(endSeconds).filter(({ verdict }) => mayLeak(verdict));
  const byName = new Map(verdicts.map(verdict => [verdict.target, verdict]));
  const targets = all.flatMap(target => {
    const verdict = byName.get(target.name);
    return verdict === undefined ? [] : [detectedTarget(target, verdict, cohorts)];
  });
  targets.sort(byWeight);
  return {
    schema: 'oakum.detection/v1',
    verdict: [...targets, ...cohorts]
      .map(({ verdict }) => verdict)
      .reduce(worseOf, worst(targets.map(({ verdict }) => verdict))),
    at: timeText(endSeconds),
    timeScale: timeScale ?? 1,
    targets,
    cohorts: cohorts.map(recordedCohort),
    changes: everySeconds === undefined ? null : verdictChanges,
    inputs,
  };
}

function detectedTarget(
  { name, attributes, fromSeconds, toSeconds, sampleCount, limitSource, histories }: ReplayedTarget,
  { verdict, resources }: TargetVerdict,
  cohorts: readonly CohortVerdict[],
): DetectedTarget {
  const detected = resources
    .map(one => {
      const detection = resourceDetection(one, cohortEvidence(name, one.resource, attributes, cohorts), limitSource);
      const history = Array.from(histories.get(one.metric) ?? [], finiteOrNull);
      return { ...raiseVerdict(detection, detection.ledger), history };
    })
    .sort((a, b) => compareVerdicts(a.verdict, b.verdict));
  return {
    target: name,
    attributes: Object.fromEntries(Object.entries(attributes).filter(([key]) => !key.startsWith(GATE_PREFIX))),
    verdict: detected.map(one => one.verdict).reduce(worseOf, verdict),
    from: timeText(fromSeconds),
    to: timeText(toSeconds),
    sampleCount,
    resources: detected,
  };
}

export function resourceDetection(
  one: ResourceVerdict,
  ofCohorts: readonly Evidence[] = [],
  limitSource: LimitSource = 'given',
): Omit<ResourceDetection, 'history'> {
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
    limit: one.limit === undefined ? null : { ...one.limit, ...limitFacts(one.resource, limitSource) },
    clock: one.clock ?? null,
    explanation: one.explanation ?? null,
    reasons: one.reasons,
    ledger: weighCohorts(weighDetected(one), ofCohorts),
  };
}

function limitFacts(resource: Resource, memory: LimitSource): Pick<LimitBasis, 'of' | 'from'> {
  if (resource === 'file descriptors') return { of: resource, from: 'process_max_fds' };
  if (resource === 'threads') return { of: resource, from: 'the Go runtime' };
  return { of: 'resident memory', from: memory };
}

/** Worst first, then by time to the limit, then by name. */
function byWeight(a: DetectedTarget, b: DetectedTarget): number {
  const hours = ({ resources }: DetectedTarget): number => resources[0]?.timeToLimitHours?.[0] ?? Infinity;
  const [x, y] = [hours(a), hours(b)];
  return compareVerdicts(a.verdict, b.verdict) || (x === y ? 0 : x - y) || (a.target < b.target ? -1 : 1);
}
