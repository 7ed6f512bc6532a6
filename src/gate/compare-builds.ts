/**
 * Compares two builds: what each operation leaves behind with the head, less what it leaves behind with the base. What
 * both do alike, and what the machine does to both, cancels out.
 *
 *     together    base head | head base | base head ...         each has its own address; both live all the time
 *     in turns    (start, warm up, one round, stop) of each     one address: base head | head base | base head ...
 */
import { answerOf, outcomeOf } from './gate-answer.ts';
import { type GateChoices, GateLog, judgeSeries } from './gate-log.ts';
import type { JudgedRounds } from './judge-rounds.ts';
import {
  addRound,
  beginRounds,
  commandFailed,
  type GateEnd,
  type GateFailure,
  type GateProgress,
  guarded,
  type OperationsRun,
  stopped,
} from './run-gate.ts';
import { differenceOf, type GateSeries, turnsOf } from './series.ts';
import type { RoundPorts } from './take-round.ts';

export type Build = 'base' | 'head';

export interface ComparePorts {
  readonly signal: AbortSignal;
  /** As the user named the base, for sentences. */
  readonly baseName: string;
  readonly runOperations: (build: Build, round: number) => Promise<OperationsRun>;
  readonly onRound: (progress: GateProgress) => void;
}

export interface TogetherPorts extends ComparePorts {
  readonly ports: (build: Build) => RoundPorts;
}

export interface TurnPorts extends ComparePorts {
  /** Starts a build for one turn; `stop` ends it. */
  readonly start: (
    build: Build,
    turn: number,
  ) => Promise<{ readonly ports: RoundPorts; readonly stop: () => Promise<void> }>;
}

/** Either may profit from being first: the caches of the machine are warm, or its disk is busy. */
function order(round: number): readonly Build[] {
  return round % 2 === 1 ? ['base', 'head'] : ['head', 'base'];
}

export async function compareTogether(ports: TogetherPorts, choices: GateChoices): Promise<GateEnd> {
  const logs = { base: new GateLog(), head: new GateLog() };
  return guarded(ports, logs.head, async (): Promise<GateEnd> => {
    for (const build of order(1)) await beginRounds(ports.ports(build), logs[build]);
    let series = differenceOf(logs.head.series(), logs.base.series());
    let judged = judgeSeries(series, logs.head, choices);
    while (logs.head.rounds < choices.maxRounds && outcomeOf(judged, choices.budget) === 'undecided') {
      const round = logs.head.rounds + 1;
      for (const build of order(round)) {
        const failed = await operate(ports, build, round, ports.ports(build), logs[build], choices);
        if (failed !== undefined) return failed;
      }
      series = differenceOf(logs.head.series(), logs.base.series());
      judged = judgeSeries(series, logs.head, choices);
      ports.onRound({ round, operations: logs.head.total, measures: judged.measures });
    }
    return answered(ports, judged, logs.head, series, ports.ports('head').connection.target, choices);
  });
}

export async function compareInTurns(ports: TurnPorts, choices: GateChoices): Promise<GateEnd> {
  const turns: { head: GateSeries; base: GateSeries }[] = [];
  let judged: JudgedRounds | undefined;
  let target = '';
  let log = new GateLog();
  while (
    turns.length < choices.maxRounds &&
    (judged === undefined || outcomeOf(judged, choices.budget) === 'undecided')
  ) {
    const turn = turns.length + 1;
    const found: Partial<Record<Build, GateSeries>> = {};
    for (const build of order(turn)) {
      const own = new GateLog();
      const started = await ports.start(build, turn);
      try {
        const failed = await guarded(ports, own, () => turnOf(ports, build, turn, started.ports, own, choices));
        if (failed !== undefined) return { ...failed, message: `turn ${turn} of the ${build}: ${failed.message}` };
      } finally {
        await started.stop();
      }
      target = started.ports.connection.target;
      found[build] = own.series();
      if (build === 'head') log = own;
    }
    turns.push(found as { head: GateSeries; base: GateSeries });
    const series = turnsOf(turns);
    judged = judgeSeries(series, log, choices);
    const operations = series.operations.reduce((sum, one) => sum + one, 0);
    ports.onRound({ round: turn, operations, measures: judged.measures });
  }
  return judged === undefined ? stopped(log) : answered(ports, judged, log, turnsOf(turns), target, choices);
}

/** One round to warm up, and one that counts. */
async function turnOf(
  ports: TurnPorts,
  build: Build,
  turn: number,
  round: RoundPorts,
  log: GateLog,
  choices: GateChoices,
): Promise<GateFailure | undefined> {
  const save: RoundPorts['save'] = (path, body) =>
    round.save(`${build}/turn-${String(turn).padStart(2, '0')}/${path}`, body);
  const warm = await ports.runOperations(build, turn);
  if (ports.signal.aborted) return stopped(log);
  if (warm.kind === 'failed') return commandFailed(round, warm.message);
  await beginRounds({ ...round, save }, log);
  return operate(ports, build, turn, { ...round, save }, log, choices);
}

async function operate(
  ports: ComparePorts,
  build: Build,
  round: number,
  of: RoundPorts,
  log: GateLog,
  choices: GateChoices,
): Promise<GateFailure | undefined> {
  const ran = await ports.runOperations(build, round);
  if (ports.signal.aborted) return stopped(log);
  if (ran.kind === 'failed') return commandFailed(of, `round ${round}, ${build}: ${ran.message}`);
  return addRound(of, log, ran.operations ?? choices.operations);
}

function answered(
  { baseName }: ComparePorts,
  judged: JudgedRounds,
  log: GateLog,
  { operations }: GateSeries,
  target: string,
  choices: GateChoices,
): GateEnd {
  const result = answerOf({
    target,
    comparedWith: baseName,
    operation: choices.operation,
    budget: choices.budget,
    today: choices.today,
    evidence: choices.evidence,
    operations,
    judged,
    idle: undefined,
    idleRounds: 0,
    memProfileRate: log.last?.memProfileRate,
    askedRate: choices.askedRate,
  });
  return { kind: 'judged', result };
}
