/** The rounds of one process so far. */
import type { TargetFacts } from '../knowledge/preconditions.ts';
import type { FamilyTable } from '../profile/families/family.ts';
import { judgeRounds, type JudgedRounds } from './judge-rounds.ts';
import { type Budget } from './budget.ts';
import type { KnownLeak } from '../knowledge/known-leak.ts';
import { type GateSeries, seriesOf } from './series.ts';
import type { RoundState } from './take-round.ts';

export interface GateChoices {
  /** Per round, if the command does not say. */
  readonly operations: number;
  readonly maxRounds: number;
  readonly budget: Budget;
  readonly today: string;
  readonly catalogue: readonly KnownLeak[];
  readonly evidence: string;
  /** What an operation is called: `workspace`. */
  readonly operation: string;
  /** What the started program was told with GODEBUG=memprofilerate; undefined if nothing. */
  readonly askedRate: number | undefined;
  /** Whether to go on until every resource is decided, so that each is known as well as it can be. */
  readonly decidesAll?: boolean;
}

export class GateLog {
  readonly states: RoundState[] = [];
  /** One per round, so one fewer than states. */
  readonly operations: number[] = [];
  /** Every goroutine before the first round. */
  listedBefore: FamilyTable | undefined;
  /** After the first rounds; undefined if they were not listed then. */
  listedEarly: FamilyTable | undefined;
  /** After rounds without operations: where more rounds of operations would begin. */
  afterIdle: RoundState | undefined;

  get rounds(): number {
    return this.operations.length;
  }

  get total(): number {
    return this.operations.reduce((sum, one) => sum + one, 0);
  }

  get last(): RoundState | undefined {
    return this.states.at(-1);
  }

  /** From the state before the first round to that after the last. */
  get seconds(): number {
    return (this.last?.takenAtSeconds ?? NaN) - (this.states[0]?.takenAtSeconds ?? NaN);
  }

  /** How long a round usually takes. */
  get roundSeconds(): number {
    const lengths = this.states
      .slice(1)
      .map((state, i) => state.takenAtSeconds - (this.states[i]?.takenAtSeconds ?? NaN));
    return lengths.sort((a, b) => a - b)[lengths.length >> 1] ?? 1;
  }

  series(): GateSeries {
    return seriesOf(this.states, this.operations);
  }

  judge(choices: GateChoices): JudgedRounds {
    return judgeSeries(this.series(), this, choices);
  }
}

export function judgeSeries(series: GateSeries, log: GateLog, { budget, today, catalogue }: GateChoices): JudgedRounds {
  return judgeRounds(series, { budget, today, catalogue, facts: factsOf(log) });
}

export function factsOf({ states }: GateLog): TargetFacts {
  const version = states.findLast(state => state.version !== undefined)?.version;
  return version === undefined ? {} : { version };
}

export function isRestarted(before: RoundState | undefined, after: RoundState): boolean {
  if (before === undefined) return false;
  if (before.process !== undefined && after.process !== undefined) return before.process !== after.process;
  if (before.startSeconds !== undefined && after.startSeconds !== undefined)
    return Math.abs(before.startSeconds - after.startSeconds) > 2;
  return (after.collections ?? Infinity) < (before.collections ?? 0);
}

/** `round-03` */
export function roundFolder(round: number): string {
  return `round-${String(round).padStart(2, '0')}`;
}
