/**
 * One cohort and one resource: over which window it differs most from its controls, by how much, and by what chance.
 *
 *     members that have the value all through the window   ->  their slopes  \
 *     targets that lack it all through the window          ->  theirs        -> contrast -> steady? large enough?
 */
import { leastGrowthOf } from '../detect/slow/judge.ts';
import type { EvaluationTime } from '../detect/slow/decide.ts';
import type { AttributeColumn, Cohort } from './cohort.ts';
import { controlsOf } from './cohort.ts';
import { contrast, median, pooledSlopes, type Contrast } from './contrast.ts';
import { hypergeometricTail, leastChance } from './chance.ts';
import { type Fleet, type GrowthBoard, deviateOf, type FleetGrowth } from './growth-board.ts';
import { type Steadiness, steadinessOf, UNSTEADY } from './steady-growth.ts';
import { COHORT_TUNING, SKIP_HOURS, SLACK, WINDOW_HOURS } from './cohort-tuning.ts';

export interface JudgedCohort {
  readonly column: AttributeColumn;
  readonly cohort: Cohort;
  readonly board: GrowthBoard;
  /** Index in WINDOW_HOURS; -1 if no window has members and controls. */
  readonly window: number;
  readonly rows: readonly number[];
  readonly controls: readonly number[];
  readonly contrast: Contrast | undefined;
  /** Corrected for the windows that were tried. */
  readonly chance: number;
  readonly leastChance: number;
  readonly isMaterial: boolean;
  readonly isSteady: boolean;
  readonly straight: Steadiness['straight'];
  readonly equalAges: boolean;
  readonly leakingRows: readonly number[];
  readonly controlsLeaking: number;
}

/** What of a fleet the cohorts share. */
export interface CohortSetting {
  readonly moment: EvaluationTime;
  readonly fleet: Fleet;
  readonly board: GrowthBoard;
  readonly growth: FleetGrowth;
  /** Hours since the present life of each target began; Infinity if it is older than the record. */
  readonly ageHours: Float64Array;
  /** Targets that were proved to leak by themselves, by their metrics or their captures. */
  readonly provedRows: ReadonlySet<number>;
}

const MAX_WINDOWS = 8;
/** A cohort that is closer to the fleet than this is not looked at in detail. */
const WORTH_A_LOOK = 2;
/** Below this age at the start of the window, caches may still be filling. */
const YOUNG_HOURS = 24;
/** Targets that gave up the value this recently are no controls. */
const PROVED_HOURS = 24;

export function judgeCohort(column: AttributeColumn, cohort: Cohort, setting: CohortSetting): JudgedCohort {
  return withProvedTargets(judgeGrowth(column, cohort, setting), setting);
}

function judgeGrowth(column: AttributeColumn, cohort: Cohort, setting: CohortSetting): JudgedCohort {
  const windows = windowsFor(cohort, setting);
  const candidates = windows.filter(
    window => deviateOf(setting.growth[window], rowsIn(cohort, setting, window)) >= WORTH_A_LOOK,
  );
  const judged = (candidates.length > 0 ? candidates : windows.slice(0, 1)).map(window =>
    judgeWindow(column, cohort, setting, window, windows.length),
  );
  const rank = ({ chance, isMaterial, isSteady }: JudgedCohort): number =>
    isMaterial && isSteady ? chance - 2 : chance;
  return judged.sort((a, b) => rank(a) - rank(b))[0] ?? notJudged(column, cohort, setting);
}

/**
 * Targets that leak fast are proved one by one before a cohort has hours to compare. If most of the cohort is proved
 * and the others are not, their number decides.
 */
function withProvedTargets(judged: JudgedCohort, { provedRows, moment }: CohortSetting): JudgedCohort {
  const { column, cohort } = judged;
  const proved = cohort.members.filter(row => provedRows.has(row));
  if (proved.length < 2 || proved.length < COHORT_TUNING.leastLeaking * cohort.members.length) return judged;
  const controls = controlsOf(column, cohort.value, moment.endBin - PROVED_HOURS);
  const others = controls.filter(row => provedRows.has(row)).length;
  const all = cohort.members.length + controls.length;
  const chance = hypergeometricTail(all, proved.length + others, cohort.members.length, proved.length);
  if (2 * chance >= judged.chance || controls.length === 0) return judged;
  const leaking = new Set([...judged.leakingRows, ...proved]);
  return {
    ...judged,
    rows: cohort.members,
    controls,
    chance: Math.min(1, 2 * chance),
    leastChance: leastChance(cohort.members.length, controls.length),
    isMaterial: true,
    isSteady: true,
    leakingRows: cohort.members.filter(row => leaking.has(row)),
    controlsLeaking: others,
  };
}

/** The longest that at least half of the observed members fill, and shorter ones, down to a few hours. */
function windowsFor(cohort: Cohort, setting: CohortSetting): number[] {
  const counts = WINDOW_HOURS.map((_, window) => rowsIn(cohort, setting, window).length);
  const least = Math.max(1, Math.max(...counts) / 2);
  const chosen: number[] = [];
  for (let window = WINDOW_HOURS.length - 1; window >= 0 && chosen.length < MAX_WINDOWS; window--) {
    if (counts[window] < least) continue;
    const last = chosen.at(-1);
    if (last === undefined || WINDOW_HOURS[window] <= 0.8 * WINDOW_HOURS[last]) chosen.push(window);
  }
  return chosen;
}

/** Members that had the value for the whole window and whose growth over it is known. */
export function rowsIn({ members, sinceBins }: Cohort, { moment, board }: CohortSetting, window: number): number[] {
  const length = WINDOW_HOURS[window];
  const from = moment.endBin - length + SLACK * length;
  return members.filter((row, i) => sinceBins[i] + SKIP_HOURS <= from && !Number.isNaN(board.slope[window][row]));
}

function judgeWindow(
  column: AttributeColumn,
  cohort: Cohort,
  setting: CohortSetting,
  window: number,
  windowsTried: number,
): JudgedCohort {
  const { board, moment, fleet } = setting;
  const slopes = board.slope[window];
  const rows = rowsIn(cohort, setting, window);
  const since = new Map(cohort.members.map((row, i) => [row, cohort.sinceBins[i]]));
  const lacking = controlsOf(column, cohort.value, moment.endBin - WINDOW_HOURS[window]).filter(
    row => !Number.isNaN(slopes[row]),
  );
  if (rows.length === 0 || lacking.length === 0) return notJudged(column, cohort, setting);
  const peers = equallyOld(rows, lacking, setting, window);
  const equalAges = peers.length >= Math.max(COHORT_TUNING.equalAges, rows.length);
  const controls = equalAges ? peers : lacking;
  const of = (column: Float64Array, which: readonly number[]): number[] => which.map(row => column[row]);
  const result = contrast(of(slopes, rows), of(slopes, controls));
  const { difference, controlMean } = result;
  // What a change sets off began with it; what comes with a start, with the life.
  const originBins = rows.map(row => {
    const began = Math.max(since.get(row) ?? -Infinity, moment.endBin - setting.ageHours[row]);
    return Number.isFinite(began) ? began : moment.endBin - WINDOW_HOURS[window];
  });
  const leastGrowth = leastGrowthOf(board.rule, median(of(board.level, rows)), moment.options);
  const pooled = pooledSlopes(of(slopes, rows), result);
  const material = difference > 0 && isMaterial(cohort, window, difference, leastGrowth);
  // Asked only of what may be blamed: it takes most of the time.
  const steady =
    material && result.chance <= COHORT_TUNING.watch
      ? steadinessOf({ fleet, board, moment, window, rows, originBins, controls, difference, leastGrowth })
      : UNSTEADY;
  const leakingRows =
    difference > 0 ? rows.filter((_, i) => pooled[i] - controlMean >= COHORT_TUNING.ownShare * difference) : [];
  return {
    column,
    cohort,
    board,
    window,
    rows,
    controls,
    contrast: result,
    chance: Math.min(1, result.chance * windowsTried),
    leastChance: leastChance(rows.length, controls.length),
    isMaterial: material,
    isSteady: steady.isSteady && (equalAges || peers.length < 3 || outgrows(slopes, rows, peers, difference)),
    straight: steady.straight,
    equalAges,
    leakingRows,
    controlsLeaking: controls.filter(row => slopes[row] - controlMean >= 0.5 * difference).length,
  };
}

/** Controls that started within a few hours of the cohort, if the cohort is young: warming up cancels against them. */
function equallyOld(
  rows: readonly number[],
  lacking: readonly number[],
  { ageHours }: CohortSetting,
  window: number,
): number[] {
  const age = median(rows.map(row => ageHours[row]));
  if (!(age - WINDOW_HOURS[window] < YOUNG_HOURS)) return [];
  const reach = Math.max(3, 0.25 * age);
  return lacking.filter(row => Math.abs(ageHours[row] - age) <= reach);
}

function outgrows(
  slopes: Float64Array,
  rows: readonly number[],
  peers: readonly number[],
  difference: number,
): boolean {
  const middle = (which: readonly number[]): number => median(which.map(row => slopes[row]));
  return middle(rows) - middle(peers) >= COHORT_TUNING.equalShare * difference;
}

function isMaterial({ sinceBins }: Cohort, window: number, difference: number, leastGrowth: number): boolean {
  const hours = WINDOW_HOURS[window];
  const { youngHours, youngFactor, leastOldHours } = COHORT_TUNING;
  const alwaysHadIt = sinceBins.filter(since => since === -Infinity).length > sinceBins.length / 2;
  if (alwaysHadIt && hours < leastOldHours) return false;
  return difference * hours >= leastGrowth * (hours < youngHours ? youngFactor : 1);
}

function notJudged(column: AttributeColumn, cohort: Cohort, { board }: CohortSetting): JudgedCohort {
  return {
    column,
    cohort,
    board,
    window: -1,
    rows: [],
    controls: [],
    contrast: undefined,
    chance: 1,
    leastChance: 1,
    isMaterial: false,
    isSteady: false,
    straight: undefined,
    equalAges: false,
    leakingRows: [],
    controlsLeaking: 0,
  };
}
