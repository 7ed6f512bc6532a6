/** What explains the growth of a cohort without its value being at fault. */
import type { CohortVeto } from './cohort-model.ts';
import { contrast, meanOf, median } from './contrast.ts';
import { type Fleet, type PodBoard, slopeOver } from './growth-board.ts';
import type { CohortSetting, JudgedCohort } from './judge-cohort.ts';
import { spreadOver } from './steady-growth.ts';
import type { CohortWords } from './cohort-words.ts';
import { WINDOW_HOURS } from './cohort-tuning.ts';

/** Before and after are compared with at most so many controls, each of which has to be laid out again. */
const MAX_CONTROLS = 60;
const MAX_MEMBERS = 120;
/** Changes within so many hours share their controls. */
const WAVE_HOURS = 3;
const MAX_BEFORE_HOURS = 72;
const MIN_BEFORE_HOURS = 6;

export function vetoesOf(
  judged: JudgedCohort,
  setting: CohortSetting,
  pods: PodBoard,
  fleet: Fleet,
  words: CohortWords,
): CohortVeto[] {
  const found = judged.contrast;
  if (found === undefined || !(found.difference > 0)) return [];
  const vetoes: CohortVeto[] = [];
  const { difference, mean, controlMean } = found;
  const hours = WINDOW_HOURS[judged.window];
  if (controlMean >= 0.5 * mean && controlMean * hours >= setting.board.rule.leastGrowth.amount / 2) {
    vetoes.push({ kind: 'controls grow', sentence: words.controlsGrow(controlMean) });
  }
  if (mean < 0.5 * difference) vetoes.push({ kind: 'controls shrink', sentence: words.controlsShrink(controlMean) });
  const density = densityOf(judged, pods, words);
  if (density !== undefined) vetoes.push({ kind: 'density', sentence: density });
  if (!judged.isSteady) vetoes.push({ kind: 'settles', sentence: words.settles() });
  const share = shareSinceChange(judged, setting, fleet);
  if (share < 0.5) vetoes.push({ kind: 'grew before', sentence: words.grewBefore(share) });
  return vetoes;
}

/**
 * What pods may have to do with it, if that may be half of the growth: more of them came to the cohort than to the
 * controls, or they came to both, but a build that holds more holds more for each pod, too.
 */
function densityOf(
  { window, rows, controls, board, contrast: found }: JudgedCohort,
  pods: PodBoard,
  words: CohortWords,
): string | undefined {
  const known = (which: readonly number[]): number[] =>
    which.map(row => pods.slope[window][row]).filter(slope => !Number.isNaN(slope));
  const [here, there] = [known(rows), known(controls)];
  if (found === undefined || here.length === 0 || there.length === 0) return undefined;
  const came = meanOf(here);
  const more = came - meanOf(there);
  const perPod = median(rows.map(row => board.perPod[row]));
  const error = median(rows.map(row => board.perPodError[row]));
  const levelPerPod = (which: readonly number[]): number =>
    median(which.map(row => board.level[row] / Math.max(1, pods.now[row])).filter(value => !Number.isNaN(value)));
  const dearer = Math.min(2, levelPerPod(rows) / levelPerPod(controls));
  const ofMore = Math.max(0, 2 * error * more, perPod * more);
  const ofDearer = came > 0 && dearer > 1 ? perPod * (dearer - 1) * came : 0;
  if (ofMore + ofDearer < 0.5 * found.difference) return undefined;
  return ofMore >= ofDearer ? words.density(more) : words.dearerPods(came, dearer);
}

/**
 * Difference in differences: of the cohort's growth beyond the controls, the share that began with the change. Each
 * member is compared with itself before, and both with targets that did not change. 1 if there is no before.
 */
function shareSinceChange(judged: JudgedCohort, setting: CohortSetting, fleet: Fleet): number {
  const { moment, board } = setting;
  const { cohort, rows, controls, window } = judged;
  const length = WINDOW_HOURS[window];
  const sinceOf = new Map(cohort.members.map((row, i) => [row, cohort.sinceBins[i]]));
  const before = Math.max(MIN_BEFORE_HOURS, Math.min(length, MAX_BEFORE_HOURS));
  const slopeBefore = (row: number, atBin: number): number =>
    slopeOver(fleet[row], board.rule, moment, atBin - before, atBin);
  const controlRows = spreadOver(controls, MAX_CONTROLS);
  const ofControls = new Map<number, number>();
  const controlsBefore = (atBin: number): number => {
    const wave = Math.floor(atBin / WAVE_HOURS);
    const known = ofControls.get(wave);
    if (known !== undefined) return known;
    const slopes = controlRows.map(row => slopeBefore(row, atBin)).filter(slope => !Number.isNaN(slope));
    const middle = slopes.length === 0 ? NaN : median(slopes);
    ofControls.set(wave, middle);
    return middle;
  };
  const differences: number[] = [];
  for (const row of spreadOver(rows, MAX_MEMBERS)) {
    const since = sinceOf.get(row) ?? -Infinity;
    if (!Number.isFinite(since)) continue;
    const own = slopeBefore(row, since) - controlsBefore(since);
    if (!Number.isNaN(own)) differences.push(own);
  }
  if (differences.length < rows.length / 2 || judged.contrast === undefined) return 1;
  const { mean } = contrast(differences, [0, 0]);
  return 1 - mean / judged.contrast.difference;
}
