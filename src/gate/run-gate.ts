/**
 * Runs rounds of operations against a live process until it is clear whether each operation leaves something behind.
 *
 *     state at rest  ->  operations  ->  state at rest  ->  operations ...  ->  leaks | within budget | undecided
 *                                                                          ->  rounds without operations, if it leaks
 */
import type { GateFamily, GateGrowth, GateMeasure, GateResult } from './gate.ts';
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
    const first = await roundsOf(ports, log, choices, undefined);
    if (first.kind !== 'judged' || !mayGoOn(first.result, log, choices)) return first;
    // What looked like a leak grows over time, and the rounds ended before the rest was decided.
    if (log.afterIdle !== undefined) log.states[log.states.length - 1] = log.afterIdle;
    return roundsOf(ports, log, choices, overTimeIn(first.result));
  });
}

/** What rounds without operations showed to grow over time: more rounds of operations do not decide it again. */
type GrownOverTime = Pick<GateResult, 'measures' | 'families' | 'idleRounds'>;

function overTimeIn({ measures, families, idleRounds }: GateResult): GrownOverTime {
  const grown = new Set<string>([...measures, ...families].flatMap(one => (isOverTime(one) ? one.resource : [])));
  return {
    measures: measures.filter(({ resource }) => grown.has(resource)),
    families: families.filter(isOverTime),
    idleRounds,
  };
}

function isOverTime({ decision }: GateGrowth): boolean {
  return decision === 'over time';
}

function withOverTime(judged: JudgedRounds, overTime: GrownOverTime | undefined): JudgedRounds {
  if (overTime === undefined) return judged;
  const { measures, families } = overTime;
  const isNew = ({ resource }: GateMeasure | GateFamily): boolean => !measures.some(one => one.resource === resource);
  return {
    ...judged,
    measures: [...judged.measures.filter(isNew), ...measures],
    families: [...judged.families.filter(isNew), ...families],
  };
}

function mayGoOn({ outcome, growsWhenIdle }: GateResult, log: GateLog, { maxRounds }: GateChoices): boolean {
  return outcome === 'undecided' && growsWhenIdle && log.rounds < maxRounds;
}

/** Rounds until everything but what is known to grow over time is decided; then the answer. */
async function roundsOf(
  ports: GatePorts,
  log: GateLog,
  choices: GateChoices,
  overTime: GrownOverTime | undefined,
): Promise<GateEnd> {
  while (log.rounds < choices.maxRounds) {
    const round = log.rounds + 1;
    const ran = await ports.runOperations(round);
    if (ports.signal.aborted) return stopped(log);
    if (ran.kind === 'failed') return commandFailed(ports, `round ${round}: ${ran.message}`);
    const end = await addRound(ports, log, ran.operations ?? choices.operations);
    if (end !== undefined) return end;
    const judged = withOverTime(log.judge(choices), overTime);
    ports.onRound({ round, operations: log.total, measures: judged.measures });
    if (choices.decidesAll === true ? isAllDecided(judged) : outcomeOf(judged, choices.budget) !== 'undecided') break;
  }
  const judged = withOverTime(log.judge(choices), overTime);
  const result = await finishGate(ports, log, choices, judged, overTime?.idleRounds);
  return ports.signal.aborted ? stopped(log) : { kind: 'judged', result };
}

function isAllDecided({ measures }: Pick<JudgedRounds, 'measures'>): boolean {
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

/** After these, all goroutines are listed, to see at the end whether those that came first are still there. */
const EARLY_ROUNDS = 3;

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
  if (log.rounds === EARLY_ROUNDS && log.listedBefore !== undefined)
    log.listedEarly = await listGoroutines(ports, roundFolder(round), state);
  return undefined;
}

export function stopped(log: GateLog): GateFailure {
  return { kind: 'stopped', message: `stopped in round ${log.rounds + 1}, before a verdict` };
}
