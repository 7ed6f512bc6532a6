/** The verdict on one cohort and resource, with its counter-examples. */
import {
  areOfOneBuild,
  CLUSTER_ATTRIBUTE,
  type CohortAlternative,
  type CohortClusters,
  type CohortVerdict,
  type CohortVeto,
  type CounterExample,
  type RateInterval,
} from './cohort-model.ts';
import type { Verdict } from '../verdict.ts';
import { leastGrowthOf } from '../detect/slow/judge.ts';
import type { AttributeLog } from './attribute-log.ts';
import type { AttributeColumn } from './cohort.ts';
import { studentQuantile, leastChance, rankTries } from './chance.ts';
import { median, type Contrast, meanOf, CONVINCING, FEW, contrast } from './contrast.ts';
import { type Fleet, type PodBoard, layTarget, slopeOver } from './growth-board.ts';
import type { CohortSetting, JudgedCohort } from './judge-cohort.ts';
import { onsetCandidates } from './onset.ts';
import type { Settled } from './settle-rivals.ts';
import { COHORT_TUNING, WINDOW_HOURS, SKIP_HOURS } from './cohort-tuning.ts';
import { vetoesOf } from './vetoes.ts';
import { type CohortCounts, CohortWords } from './cohort-words.ts';
import type { EvaluationTime } from '../detect/slow/decide.ts';
import { spreadOver } from './steady-growth.ts';

/** Each target has to be laid out again. */
const MAX_TARGETS = 60;

/** The second half of the window outgrows the first by this share of the slope; steady growth is not looked at again. */
const MIN_TURN = 0.5;

/** By then this share of them had begun. */
const BEGUN_SHARE = 0.75;

/** A bend in the first part of the window changes little. */
const MIN_LATER = 0.2;

/**
 * How many targets a comparison needs to prove anything at all: below that, no number of hours helps. Every way to
 * choose as many of them is as likely by chance, and there must be enough ways.
 *
 * A chance that is left after correcting for everything that is compared, and how often.
 */
const SURE = 1e-6;

const MAX_MORE = 60;

/** The rate of a cohort per pod, where the number of pods explains the differences between its targets. */
const MIN_TARGETS = 5;

/** Numbers of pods that are nearly equal explain nothing. */
const MIN_POD_SPREAD = 0.15;

/** The spread that must be left after dividing by pods, as a share of that before. */
const MAX_LEFT = 0.75;

/**
 * How long one more target must be observed to show the growth of a cohort by itself.
 *
 * The variance of a slope falls with the cube of the time (12 to 24 s^2 c / T^3 for noise that returns), so from the
 * spread of the controls over one window follows that over any other: T = W (k d(W) / rate)^(2/3), where k = 5.36 is a
 * chance of 1 in 10,000 with a power of 95 %.
 */
const ERRORS = 5.36;

const MIN_HOURS = 6;

export interface VerdictSetting {
  readonly setting: CohortSetting;
  readonly pods: PodBoard;
  readonly fleet: Fleet;
  readonly columns: readonly AttributeColumn[];
  readonly log: AttributeLog;
  /** Corrected for everything. */
  readonly chance: number;
  readonly rivals: Settled | undefined;
}

/** Healthy is said if the growth cannot add up to what matters within this time. */
const HEALTHY_HOURS = 168;
const MIN_HEALTHY_HOURS = 24;
const MIN_HEALTHY_TARGETS = 3;
const MAX_COUNTER_EXAMPLES = 20;
const MAX_DIFFERENCES = 4;

export function cohortVerdict(judged: JudgedCohort, around: VerdictSetting): CohortVerdict {
  const { setting, fleet, chance, rivals } = around;
  const { cohort, board, contrast, rows, controls, window } = judged;
  const { binSeconds } = setting.moment;
  const perRealHour = 3600 / binSeconds;
  const words = new CohortWords(board.rule, cohort.attribute, cohort.value, perRealHour);
  const windowHours = window < 0 ? 0 : WINDOW_HOURS[window];
  const vetoes = rivals?.isBlamed === true ? vetoesOf(judged, setting, around.pods, fleet, words) : [];
  const verdict = decide(judged, around, vetoes);
  const missing =
    verdict === 'unknown' && contrast !== undefined ? targetsMissing(rows.length, controls.length) : undefined;
  // Names are for people who look into it: for what is found, and for what is likely but not proved.
  const isLikely = contrast !== undefined && contrast.low > 0 && judged.isMaterial && rivals?.isBlamed !== false;
  const isListed = verdict === 'leak' || verdict === 'watch' || (verdict === 'unknown' && isLikely);
  const present = verdict === 'leak' || verdict === 'watch' ? presentRate(judged, fleet, setting.moment) : undefined;
  const rate = present === undefined ? rateOf(judged, perRealHour) : intervalOf(present.contrast, perRealHour);
  const growsSinceSeconds = present === undefined ? undefined : present.fromBin * binSeconds;
  const firstSince = Math.min(...cohort.sinceBins.filter(Number.isFinite));
  const clusters = isListed ? clustersOf(judged, around.columns) : undefined;
  const perPod = contrast === undefined || !isListed ? undefined : perPodRate(judged, around.pods, perRealHour);
  return {
    attribute: cohort.attribute,
    value: cohort.value,
    resource: board.rule.resource,
    unit: board.rule.unit,
    verdict,
    ratePerHour: rate,
    ...(growsSinceSeconds === undefined ? {} : { growsSinceSeconds }),
    ...(perPod === undefined ? {} : { perPod }),
    spreadPerHour: contrast === undefined ? NaN : contrast.spread * perRealHour,
    targets: cohort.members.length,
    observed: rows.length,
    leaking: isListed ? judged.leakingRows.map(row => fleet[row].name) : [],
    ...(clusters === undefined ? {} : { clusters }),
    against: isListed ? counterExamples(judged, around, perRealHour) : [],
    controls: controls.length,
    controlsLeaking: judged.controlsLeaking,
    equalAges: judged.equalAges,
    sinceSeconds: Number.isFinite(firstSince) ? firstSince * binSeconds : undefined,
    windowHours: windowHours / perRealHour,
    chance,
    leastChance: judged.leastChance,
    ...(missing === undefined ? {} : { targetsMissing: missing }),
    vetoes,
    alternatives: alternativesOf(cohort.attribute, rivals, words, rows.length),
    onset: isListed ? onsetCandidates(judged, fleet, around.log, setting.moment) : [],
    hoursForOne: hoursForOne(judged) / perRealHour,
    sentence: sentenceOf(verdict, judged, {
      words,
      rate,
      growsSinceSeconds,
      chance,
      vetoes,
      rivals,
      windowHours,
      missing,
      clusters,
      proved: cohort.members.filter(row => setting.provedRows.has(row)).length,
    }),
  };
}

/** Undefined if all targets are in one cluster, or if the cohort is a cluster. */
function clustersOf(
  { cohort, rows, leakingRows }: JudgedCohort,
  columns: readonly AttributeColumn[],
): CohortClusters | undefined {
  const column = columns.find(({ attribute }) => attribute === CLUSTER_ATTRIBUTE);
  if (column === undefined || cohort.attribute === CLUSTER_ATTRIBUTE || column.cohorts.length < 2) return undefined;
  const namesOf = (some: readonly number[]): string[] => [...new Set(some.flatMap(row => column.values[row] ?? []))];
  return { leaking: namesOf(leakingRows).sort(), withIt: namesOf(rows).length };
}

/** What goes on is the rate of a leak, not what came with a warm-up. */
function rateOf({ contrast, straight, rows }: JudgedCohort, perRealHour: number): RateInterval {
  if (contrast === undefined) return [NaN, NaN, NaN];
  if (straight === undefined) return intervalOf(contrast, perRealHour);
  const reach = studentQuantile(0.05, Math.max(1, rows.length - 1)) * straight.error;
  const at = (offset: number): number => (straight.slope + offset) * perRealHour;
  return [at(-reach), at(0), at(reach)];
}

function intervalOf({ low, difference, high }: Contrast, perRealHour: number): RateInterval {
  return [low * perRealHour, difference * perRealHour, high * perRealHour];
}

function decide(judged: JudgedCohort, around: VerdictSetting, vetoes: readonly CohortVeto[]): Verdict {
  const { chance, rivals } = around;
  if (rivals?.isBlamed === true) {
    if (!judged.isMaterial) return 'unknown';
    return chance <= COHORT_TUNING.leak && vetoes.length === 0 ? 'leak' : 'watch';
  }
  // What another value stands for or explains says nothing about this one.
  if (rivals !== undefined) return 'unknown';
  return isHealthy(judged, around.setting) ? 'healthy' : 'unknown';
}

function isHealthy({ contrast, window, rows, board }: JudgedCohort, { moment }: CohortSetting): boolean {
  if (contrast === undefined || rows.length < MIN_HEALTHY_TARGETS) return false;
  if (WINDOW_HOURS[window] < MIN_HEALTHY_HOURS) return false;
  const least = leastGrowthOf(board.rule, median(rows.map(row => board.level[row])), moment.options);
  return (
    contrast.high * HEALTHY_HOURS < least || (contrast.difference <= 0 && contrast.high * windowOf(window) < least)
  );
}

function windowOf(window: number): number {
  return WINDOW_HOURS[window];
}

/** Members that do not grow, with what most of the growing ones have and they have not. */
function counterExamples(
  judged: JudgedCohort,
  { columns, fleet }: VerdictSetting,
  perRealHour: number,
): CounterExample[] {
  const leaking = new Set(judged.leakingRows);
  const slopes = judged.board.slope[judged.window];
  if (slopes === undefined) return [];
  return judged.rows
    .filter(row => !leaking.has(row))
    .slice(0, MAX_COUNTER_EXAMPLES)
    .map(row => ({
      target: fleet[row].name,
      ratePerHour: slopes[row] * perRealHour,
      differs: columns.flatMap(column => differenceIn(column, row, judged.leakingRows)).slice(0, MAX_DIFFERENCES),
    }));
}

function differenceIn({ attribute, values }: AttributeColumn, row: number, leaking: readonly number[]): string[] {
  const own = values[row];
  if (own === undefined) return [];
  const counts = new Map<string, number>();
  for (const other of leaking) {
    const value = values[other];
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const [usual, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  return usual !== own && count >= 0.8 * leaking.length ? [`${attribute} ${own}, not ${usual}`] : [];
}

function alternativesOf(
  own: string,
  rivals: Settled | undefined,
  words: CohortWords,
  count: number,
): CohortAlternative[] {
  return (rivals?.alternatives ?? []).map(({ other, relation }) => {
    const { attribute, value } = other.cohort;
    const name = `${attribute} ${value}`;
    const sentence = {
      alias: () => (areOfOneBuild(own, attribute) ? words.oneBuild(name) : words.alias(name, count)),
      explained: () => words.explainedBy(name),
      explains: () => words.explains(name),
      together: () => words.together(name),
    }[relation]();
    return { attribute, value, relation, sentence };
  });
}

interface SentenceParts {
  readonly words: CohortWords;
  readonly rate: RateInterval;
  readonly growsSinceSeconds: number | undefined;
  readonly chance: number;
  readonly vetoes: readonly CohortVeto[];
  readonly rivals: Settled | undefined;
  readonly windowHours: number;
  readonly missing: CohortVerdict['targetsMissing'];
  readonly clusters: CohortClusters | undefined;
  /** Members that are proved to leak by themselves. */
  readonly proved: number;
}

function sentenceOf(verdict: Verdict, judged: JudgedCohort, parts: SentenceParts): string {
  const { words, rate, growsSinceSeconds, vetoes, rivals, chance, windowHours, missing, clusters, proved } = parts;
  const { cohort, rows, controls, leakingRows, controlsLeaking, contrast } = judged;
  if (contrast === undefined) {
    return rivals?.isBlamed === true
      ? words.proved(leakingRows.length, rows.length, controls.length, controlsLeaking, clusters)
      : words.notCompared(cohort.members.length);
  }
  if (verdict === 'healthy') return words.healthy(rate, rows.length, windowHours);
  const counts: CohortCounts = {
    leaking: leakingRows.length,
    observed: rows.length,
    controls: controls.length,
    controlsLeaking,
    clusters,
  };
  const grows = words.grows(rate, growsSinceSeconds, counts);
  const [veto] = vetoes;
  if (veto !== undefined) return `${grows}; but ${veto.sentence}`;
  if (verdict === 'leak' || verdict === 'watch') return grows;
  const other = rivals?.alternatives.find(({ relation }) => relation !== 'explains');
  if (other !== undefined)
    return alternativesOf(cohort.attribute, { isBlamed: false, alternatives: [other] }, words, rows.length)[0].sentence;
  if (judged.isMaterial && contrast.low > 0 && missing !== undefined) {
    return words.tooFew(rate, counts, missing, proved);
  }
  return words.unproved(rate, chance);
}

/** In hours of the detector, from the change on; NaN if the cohort was not compared. */
function hoursForOne({ contrast, controls, window }: JudgedCohort): number {
  if (contrast === undefined || !(contrast.difference > 0)) return NaN;
  const error = contrast.controlDeviation * Math.sqrt(1 + 1 / controls.length);
  const hours = WINDOW_HOURS[window] * ((ERRORS * error) / contrast.difference) ** (2 / 3);
  return Math.max(MIN_HOURS, hours) + SKIP_HOURS;
}

function perPodRate(judged: JudgedCohort, pods: PodBoard, perRealHour: number): RateInterval | undefined {
  const { rows, board, window, contrast } = judged;
  if (contrast === undefined || rows.length < MIN_TARGETS) return undefined;
  const counts = rows.map(row => pods.now[row]);
  if (counts.some(count => !(count >= 1))) return undefined;
  const rates = rows.map(row => board.slope[window][row] - contrast.controlMean);
  const perPod = rates.map((rate, i) => rate / counts[i]);
  if (relativeSpread(counts) < MIN_POD_SPREAD) return undefined;
  if (relativeSpread(perPod) > MAX_LEFT * relativeSpread(rates)) return undefined;
  const mean = meanOf(perPod);
  const reach = (studentQuantile(0.05, rows.length - 1) * relativeSpread(perPod) * mean) / Math.sqrt(rows.length);
  return [(mean - reach) * perRealHour, mean * perRealHour, (mean + reach) * perRealHour];
}

function relativeSpread(values: readonly number[]): number {
  const mean = meanOf(values);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return Math.sqrt(variance) / Math.abs(mean);
}

export function mayProve(group: number, controls: number): boolean {
  const least = leastChance(group, controls);
  if (group < FEW || controls < FEW) return least <= SURE;
  return rankTries(group) * least <= CONVINCING;
}

/** How many more with the value and without it would do, the fewest together; undefined if there are enough. */
export function targetsMissing(
  group: number,
  controls: number,
): readonly [withIt: number, without: number] | undefined {
  if (mayProve(group, controls)) return undefined;
  for (let more = 1; more <= MAX_MORE; more++) {
    // Nearly equal sides first: they are the most telling, and the cheapest to get.
    const ways = Array.from({ length: more + 1 }, (_, withIt) => withIt).sort(
      (a, b) => Math.abs(group + a - controls - (more - a)) - Math.abs(group + b - controls - (more - b)),
    );
    const enough = ways.find(withIt => mayProve(group + withIt, controls + more - withIt));
    if (enough !== undefined) return [enough, more - enough];
  }
  return [MAX_MORE, MAX_MORE];
}

/**
 * The rate of growth that began within the window.
 *
 *     ____________/     the slope over the window is proof that it grows, but it mixes the flat hours with the others:
 *     |  window  |      what matters is the rate from the bend on
 */
interface PresentRate {
  /** The hour of the detector in which most of them had begun to grow. */
  readonly fromBin: number;
  readonly contrast: Contrast;
}

/** Undefined if it grew all through the window, or if that cannot be told. */
function presentRate(judged: JudgedCohort, fleet: Fleet, moment: EvaluationTime): PresentRate | undefined {
  const { board, window, contrast: whole, controls, straight } = judged;
  if (whole === undefined || straight !== undefined || judged.leakingRows.length === 0) return undefined;
  const rows = spreadOver(judged.leakingRows, MAX_TARGETS);
  const turns = rows.map(row => board.late[window][row] - board.early[window][row]).filter(turn => !Number.isNaN(turn));
  if (turns.length === 0 || meanOf(turns) < MIN_TURN * whole.difference) return undefined;

  const { endBin } = moment;
  const length = WINDOW_HOURS[window];
  const bends = rows.flatMap(row => {
    const bend = layTarget(fleet[row], board.rule, moment)?.bend();
    return bend === undefined ? [] : [bend.isFirstHour ? -Infinity : bend.bin];
  });
  const begun = bends.sort((a, b) => a - b)[Math.ceil(BEGUN_SHARE * bends.length) - 1];
  if (begun === undefined || begun < endBin - length + MIN_LATER * length) return undefined;
  const fromBin = Math.min(begun, endBin - WINDOW_HOURS[0]);
  const slopes = (which: readonly number[]): number[] =>
    which.map(row => slopeOver(fleet[row], board.rule, moment, fromBin, endBin)).filter(slope => !Number.isNaN(slope));
  const [grown, others] = [slopes(rows), slopes(spreadOver(controls, MAX_TARGETS))];
  if (2 * grown.length < rows.length || others.length === 0) return undefined;
  const present = contrast(grown, others);
  return present.difference > whole.difference ? { fromBin, contrast: present } : undefined;
}
