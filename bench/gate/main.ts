/** `npm run bench:gate -- [RUNS] [SEED]`: how often `oakum gate` is wrong, and after how many rounds it decides. */
import { judgeGrowth, type GrowthDecision, type JudgedGrowth, type Round } from '../../src/gate/judge-growth.ts';
import { NO_BUDGET } from '../../src/gate/budget.ts';
import { type IdleAnswer, judgeIdle } from '../../src/gate/idle-growth.ts';
import { type GateMeasure, GATE_RULES } from '../../src/gate/gate.ts';
import type { RoundState } from '../../src/gate/take-round.ts';
import { diceFrom, type Dice } from '../detect/simulate/dice.ts';
import { HEALTHY, LEAKS, MORE_HEALTHY, OVER_TIME, SAMPLED_LEAK, SCALES, type Run, type Scale } from './generate.ts';

const RUNS = Number(process.argv[2] ?? 1000);
const SEED = Number(process.argv[3] ?? 1);
const OPERATIONS = [10, 50, 200];
const ROUND_SECONDS = 5;
const IDLE_ROUNDS = 3;

type Answer = GrowthDecision | 'over time';

interface Tally {
  runs: number;
  readonly answers: Record<Answer, number>;
  readonly rounds: number[];
}

function follow(run: Run, scale: Scale): { answer: Answer; rounds: number } {
  const rounds: Round[] = [];
  let judged: JudgedGrowth | undefined;
  while (rounds.length < GATE_RULES.maxRounds && (judged === undefined || judged.decision === 'undecided')) {
    const level = run.next();
    rounds.push({ operations: run.operations, level });
    const levelNoise = Math.max(GATE_RULES.levelNoise[scale.name], run.errorOf?.(level) ?? 0);
    judged = judgeGrowth(run.before, rounds, { budget: scale.budget, alpha: GATE_RULES.alpha, levelNoise });
  }
  const answer =
    judged?.decision === 'leaks' ? idleAnswer(judged, run, rounds, scale) : (judged?.decision ?? 'undecided');
  return { answer, rounds: rounds.length };
}

/** The rounds without operations that follow a leak. */
function idleAnswer(judged: JudgedGrowth, run: Run, rounds: readonly Round[], scale: Scale): Answer {
  const levels = [rounds.at(-1)?.level ?? NaN];
  const measure: GateMeasure = {
    resource: scale.name,
    per: 'operation',
    scope: null,
    unit: 'count',
    decision: judged.decision,
    growth: judged.perOperation,
    budget: scale.budget,
    levels: [run.before, ...rounds.map(({ level }) => level)],
  };
  const given = {
    measures: [measure],
    families: [],
    deviations: new Map([[scale.name, judged.deviation]]),
    levelsOfFamilies: new Map(),
    warmUpRounds: judged.warmUpRounds,
    operationsNeeded: undefined,
  };
  const answer = (): IdleAnswer =>
    judgeIdle(given, {
      idle: levels.map((level, i) => stateOf(scale, level, i * ROUND_SECONDS)),
      operations: rounds.length * run.operations,
      seconds: rounds.length * ROUND_SECONDS,
      budget: NO_BUDGET,
    });
  while (levels.length <= IDLE_ROUNDS || (levels.length <= rounds.length && !answer().isClear))
    levels.push(run.next(true));
  const told = answer();
  return told.growsWhenIdle ? 'over time' : (told.measures[0]?.decision ?? 'undecided');
}

function stateOf({ name }: Scale, level: number, takenAtSeconds: number): RoundState {
  const nothing = {
    startSeconds: undefined,
    process: undefined,
    collections: undefined,
    version: undefined,
    memProfileRate: undefined,
  };
  const files = { goroutines: '', heap: undefined };
  return { ...nothing, files, goroutines: undefined, heap: undefined, takenAtSeconds, levels: { [name]: level } };
}

type Make = (typeof HEALTHY)[string];

function tally(make: Make, kind: string, stream: number, scales: readonly Scale[] = SCALES): Tally {
  const result: Tally = { runs: 0, answers: { leaks: 0, within: 0, undecided: 0, 'over time': 0 }, rounds: [] };
  for (let i = 0; i < RUNS; i++) {
    const dice: Dice = diceFrom(SEED, stream, i);
    const scale = dice.pick(scales);
    const operations = dice.pick(OPERATIONS);
    const { answer, rounds } = follow({ kind, operations, ...make(scale, operations, dice) }, scale);
    result.runs++;
    result.answers[answer]++;
    result.rounds.push(rounds);
  }
  return result;
}

const HEAP = SCALES.filter(({ name }) => name === 'heap');
const healthy: [string, Tally][] = [
  ...Object.entries(HEALTHY).map(([kind, make], i): [string, Tally] => [kind, tally(make, kind, i)]),
  ...Object.entries(MORE_HEALTHY).map(([kind, make], i): [string, Tally] => [
    kind,
    tally(make, kind, 50 + i, kind.startsWith('sampled') ? HEAP : SCALES),
  ]),
  ...Object.entries(OVER_TIME).map(([kind, make], i): [string, Tally] => [kind, tally(make, kind, 80 + i)]),
];
const leaking: [number, string, Tally][] = [2, 5, 50].flatMap((times, t) => [
  ...Object.entries(LEAKS).map(([kind, make], i): [number, string, Tally] => [
    times,
    kind,
    tally(make(times), kind, 100 + 10 * t + i),
  ]),
  [times, 'seen by samples', tally(SAMPLED_LEAK(times), 'sampled', 105 + 10 * t, HEAP)] as [number, string, Tally],
]);

const share = (count: number, runs: number): string => `${((100 * count) / runs).toFixed(2)} %`;
const row = (name: string, { runs, answers, rounds }: Tally): string => {
  const sorted = [...rounds].sort((a, b) => a - b);
  const at = (part: number): string => String(sorted[Math.floor((sorted.length - 1) * part)]);
  const shares = (['leaks', 'over time', 'within', 'undecided'] as const).map(one => share(answers[one], runs));
  return `| ${name} | ${runs} | ${shares.join(' | ')} | ${at(0.5)} (${at(0.9)}) |`;
};
const sum = (tallies: readonly Tally[], answer: Answer): string => {
  const runs = tallies.reduce((total, one) => total + one.runs, 0);
  const count = tallies.reduce((total, one) => total + one.answers[answer], 0);
  return `${count} of ${runs} (${share(count, runs)})`;
};
const twice = leaking.filter(([times]) => times === 2).map(([, , one]) => one);
process.stdout.write(
  `${[
    '| run | n | leaks | over time | within budget | undecided | rounds, median (p90) |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...healthy.map(([name, one]) => row(`healthy: ${name}`, one)),
    ...leaking.map(([times, name, one]) => row(`leak ${times} x budget: ${name}`, one)),
    '',
    `wrong "leaks", bar 0.1 %: ${sum(
      healthy.map(([, one]) => one),
      'leaks',
    )}`,
    `wrong "within budget" at twice the budget, bar 1 %: ${sum(twice, 'within')}`,
  ].join('\n')}\n`,
);
