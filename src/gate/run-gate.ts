/**
 * Runs rounds of operations against a live process until it is clear whether each operation leaves something behind.
 *
 *     state at rest  ->  operations  ->  state at rest  ->  operations ...  ->  leaks | within budget | undecided
 *                                                                          ->  rounds without operations, if it leaks
 */
import type { GateMeasure, GateResult } from './gate.ts';
import { finishGate } from './finish-gate.ts';
import { outcomeOf } from './gate-answer.ts';
import { type GateChoices, GateLog, isRestarted, roundFolder } from './gate-log.ts';
import type { JudgedRounds } from './judge-rounds.ts';
import { listGoroutines, probe, type RoundPorts, takeRound, TargetLost } from './take-round.ts';

export interface GatePorts extends RoundPorts {
  /** Runs the operations of one round. */
  readonly runOperations: (round: number) => Promise<OperationsRun>;
  readonly onRound: (progress: GateProgress) => void;
}

export type OperationsRun =
  | {
      readonly kind: 'done';
      /** As the command says; undefined if it does not. */ readonly operations: number | undefined;
    }
  | { readonly kind: 'failed'; readonly message: string };

export interface GateProgress {
  readonly round: number;
  readonly operations: number;
  readonly measures: readonly GateMeasure[];
}

export type GateEnd = GateJudged | GateFailure;

export interface GateJudged {
  readonly kind: 'judged';
  readonly result: GateResult;
}

/** No verdict: the command failed, the target died or was restarted, or the user stopped it. */
export interface GateFailure {
  readonly kind: 'command-failed' | 'target-lost' | 'restarted' | 'stopped';
  readonly message: string;
}

export async function runGate(ports: GatePorts, choices: GateChoices): Promise<GateEnd> {
  const log = new GateLog();
  return guarded(ports, log, async (): Promise<GateEnd> => {
    await beginRounds(ports, log);
    while (log.rounds < choices.maxRounds) {
      const round = log.rounds + 1;
      const ran = await ports.runOperations(round);
      if (ports.signal.aborted) return stopped(log);
      if (ran.kind === 'failed') return commandFailed(ports, `round ${round}: ${ran.message}`);
      const end = await addRound(ports, log, ran.operations ?? choices.operations);
      if (end !== undefined) return end;
      const judged = log.judge(choices);
      ports.onRound({ round, operations: log.total, measures: judged.measures });
      if (choices.decidesAll === true ? isAllDecided(judged) : outcomeOf(judged) !== 'undecided') break;
    }
    const result = await finishGate(ports, log, choices, log.judge(choices));
    return ports.signal.aborted ? stopped(log) : { kind: 'judged', result };
  });
}

function isAllDecided({ measures }: JudgedRounds): boolean {
  return measures.length > 0 && measures.every(({ decision }) => decision !== 'undecided');
}

/** A command may fail because the target is gone, which is the worse news. */
export async function commandFailed(ports: RoundPorts, message: string): Promise<GateFailure> {
  try {
    await probe(ports);
    return { kind: 'command-failed', message };
  } catch (error) {
    if (!(error instanceof TargetLost)) throw error;
    return { kind: 'target-lost', message: `${message}; ${error.message}: no verdict about leaks` };
  }
}

/** Turns a target that does not answer into an end without a verdict. */
export async function guarded<T>(
  { signal }: Pick<RoundPorts, 'signal'>,
  log: GateLog,
  work: () => Promise<T>,
): Promise<T | GateFailure> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TargetLost)) throw error;
    if (signal.aborted) return stopped(log);
    const when = log.states.length === 0 ? 'before the first round' : `in round ${log.rounds + 1}`;
    return { kind: 'target-lost', message: `the target was lost ${when}: ${error.message}: no verdict about leaks` };
  }
}

/** The state before any operation. */
export async function beginRounds(ports: RoundPorts, log: GateLog): Promise<void> {
  const state = await takeRound(ports, roundFolder(0));
  log.states.push(state);
  log.listedBefore = await listGoroutines(ports, roundFolder(0), state);
}

/** The state after the operations of a round; an end if it is another process than before. */
export async function addRound(ports: RoundPorts, log: GateLog, operations: number): Promise<GateFailure | undefined> {
  const round = log.rounds + 1;
  const state = await takeRound(ports, roundFolder(round));
  if (isRestarted(log.last, state))
    return { kind: 'restarted', message: `the target was restarted in round ${round}: no verdict` };
  log.states.push(state);
  log.operations.push(operations);
  return undefined;
}

export function stopped(log: GateLog): GateFailure {
  return { kind: 'stopped', message: `stopped in round ${log.rounds + 1}, before a verdict` };
}
