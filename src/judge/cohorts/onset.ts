/**
 * When each target of a cohort began to grow, against what changed on it.
 *
 *     node-1   v1.35.7 ______|v1.36.0 /////     began with the life that the change began
 *     node-2   ______________|cni-x ///////     began within a life: the bend of a line that fits best, as an interval
 *
 * A change explains a target if it lies within its interval or shortly before. A change that many targets had without
 * growing explains nothing.
 */
import type { OnsetCandidate } from './cohort-model.ts';
import type { EvaluationTime } from '../detect/slow/decide.ts';
import type { AttributeLog } from './attribute-log.ts';
import { type Fleet, layTarget } from './growth-board.ts';
import type { JudgedCohort } from './judge-cohort.ts';
import { spreadOver } from './steady-growth.ts';
import { onsetSentence } from './cohort-words.ts';

const MAX_TARGETS = 100;
/** Samples and attributes come at different times; an hour is what the detector resolves. */
const MARGIN_HOURS = 1.5;
const MAX_CANDIDATES = 6;
/** Candidates that fewer than this share of the targets had are no near misses either. */
const MIN_SHARE = 0.1;

interface Onset {
  readonly row: number;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** The most likely moment. */
  readonly atSeconds: number;
}

export function onsetCandidates(
  judged: JudgedCohort,
  fleet: Fleet,
  log: AttributeLog,
  moment: EvaluationTime,
): OnsetCandidate[] {
  const rows = spreadOver(judged.leakingRows, MAX_TARGETS);
  const onsets = rows.flatMap(row => {
    const onset = onsetOf(row, judged, fleet, moment);
    return onset === undefined ? [] : [onset];
  });
  if (onsets.length === 0) return [];
  const margin = MARGIN_HOURS * moment.binSeconds;
  const found = new Map<string, { attribute: string; to: string; delays: number[]; had: Set<number> }>();
  for (const { row, fromSeconds, toSeconds, atSeconds } of onsets) {
    for (const { attribute, to, atSeconds: changedAt } of log.changesOf(fleet[row].name)) {
      if (to === undefined || changedAt < fromSeconds - margin || changedAt > toSeconds + margin) continue;
      const key = `${attribute}\0${to}`;
      const known = found.get(key) ?? { attribute, to, delays: [], had: new Set<number>() };
      if (!known.had.has(row)) known.delays.push(Math.abs(atSeconds - changedAt));
      known.had.add(row);
      found.set(key, known);
    }
  }
  const leaking = new Set(judged.leakingRows);
  // Nothing can be said about the others: they changed too late to be compared.
  const compared = new Set([...judged.rows, ...judged.controls]);
  const candidates = [...found.values()].map(({ attribute, to, delays, had }) => {
    const without = fleet.filter(
      ({ name }, row) =>
        compared.has(row) &&
        !leaking.has(row) &&
        log.changesOf(name).some(change => change.attribute === attribute && change.to === to),
    ).length;
    const candidate = {
      attribute,
      value: to,
      targets: had.size,
      of: onsets.length,
      without,
      withinMinutes: Math.round(Math.max(...delays) / 60),
    };
    return { ...candidate, sentence: onsetSentence(candidate) };
  });
  return candidates
    .filter(({ targets, of }) => targets >= MIN_SHARE * of)
    .sort((a, b) => scoreOf(b) - scoreOf(a) || a.withinMinutes - b.withinMinutes)
    .slice(0, MAX_CANDIDATES);
}

function scoreOf({ targets, without }: { readonly targets: number; readonly without: number }): number {
  return targets / (1 + without);
}

/** Undefined if it grew before the record. */
function onsetOf(
  row: number,
  { board, contrast }: JudgedCohort,
  fleet: Fleet,
  moment: EvaluationTime,
): Onset | undefined {
  const target = fleet[row];
  const sums = layTarget(target, board.rule, moment);
  if (sums === undefined) return undefined;
  const bend = sums.bend();
  if (bend === undefined) return undefined;
  const { binSeconds } = moment;
  const seconds = (bin: number): number => bin * binSeconds;
  if (!bend.isFirstHour) {
    return {
      row,
      fromSeconds: seconds(bend.fromBin),
      toSeconds: seconds(bend.toBin + 1),
      atSeconds: seconds(bend.bin),
    };
  }
  // It grew from the first hours of its life on: with the life before it, if that grew as well, else with this one.
  const began = target.lifeBeganSeconds;
  if (!Number.isFinite(began) || target.epochBins.length === 0) return undefined;
  const before = sums.over(Math.floor(began / binSeconds) - 48, Math.floor(began / binSeconds));
  if (before.hours >= 12 && contrast !== undefined && before.slope > 0.5 * contrast.difference + contrast.controlMean) {
    return undefined;
  }
  return { row, fromSeconds: began, toSeconds: seconds(bend.toBin + 1), atSeconds: began };
}
