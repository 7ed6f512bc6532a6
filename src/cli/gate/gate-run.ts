/** `oakum gate` and `oakum gate init`: rounds of operations against a live process, and whether each leaves something behind. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { encodeText } from '../../base/text.ts';
import { baselineText } from '../../gate/baseline.ts';
import { type GateEnd, runGate } from '../../gate/run-gate.ts';
import { budgetText } from '../../gate/budget-file.ts';
import { targetText } from '../../evidence/target.ts';
import { openTarget, reportUnreachable } from '../connect/open-target.ts';
import { writeFileAtomically } from '../connect/write-file-atomically.ts';
import { EvidenceFolder, gateFolderName } from './evidence-folder.ts';
import { choicesOf, progressLine, roundPorts, waitForAnswer } from './gate-ports.ts';
import type { GateForm } from './gate-request.ts';
import { reportEnd, reportFailure } from './report-gate.ts';
import { runOperations, countInSystem, type StartedTarget, startTarget } from './programs.ts';
import { type Io, stopSignal } from '../io.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { STARTED_RATE, withSamplingRate } from '../../gate/gate.ts';

type RunRequest = GateForm<'run'> | GateForm<'init'>;

export function gateRun(request: RunRequest, io: Io): Promise<number> {
  return request.form === 'init' ? initialise(request, io) : judgeTarget(request, io, reportEnd);
}

type Report = typeof reportEnd;

async function judgeTarget(request: RunRequest, io: Io, report: Report): Promise<number> {
  const evidence = new EvidenceFolder(request.evidence ?? gateFolderName(request.ref), io);
  const env = { ...io.env };
  if (request.start !== undefined) env['GODEBUG'] = withSamplingRate(io.env['GODEBUG'], STARTED_RATE);
  const askedRate = env['GODEBUG'] === io.env['GODEBUG'] ? undefined : STARTED_RATE;
  const choices = { ...(await choicesOf(request, evidence, askedRate, io)), decidesAll: request.form === 'init' };
  const opened = await openTarget(request.ref, request.options);
  if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(request.ref), io);
  const { connection } = opened;
  const stop = stopSignal();
  const { signal } = stop;
  let started: StartedTarget | undefined;
  try {
    if (request.start !== undefined)
      started = startTarget(request.start, request.ref, { cwd: io.cwd, env, signal }, evidence.log('target.log'));
    await waitForAnswer(connection, started, request.waitSeconds, signal, io);
    const count = async (): ReturnType<typeof countInSystem> =>
      (await started?.countInSystem()) ?? countInSystem(request.pid);
    const end = await runGate(
      {
        ...roundPorts({ connection, evidence, signal, countInSystem: count }, request),
        runOperations: round => {
          const of = { ...io.env, OAKUM_ROUND: String(round), OAKUM_TARGET: connection.target };
          return runOperations(request.argv, { cwd: io.cwd, env: of, signal }, evidence.log('command.log'));
        },
        onRound: progress => io.stderr.write(progressLine(progress, request.operation)),
      },
      choices,
    );
    return await report(end, started, request, evidence, io);
  } finally {
    await started?.stop();
    await evidence.flush();
    stop.release();
  }
}

const BUDGET_FILE = 'oakum.budget.yaml';
const BASELINE_FILE = 'oakum.baseline.json';

/** Writes a budget, and a baseline if something leaks now, instead of judging it. */
async function initialise(request: GateForm<'init'>, io: Io): Promise<number> {
  const budget = request.budgetFile ?? BUDGET_FILE;
  const baseline = request.baselineFile ?? join(dirname(budget), BASELINE_FILE);
  // The budget names it relative to itself.
  const named = relative(resolve(io.cwd, dirname(budget)), resolve(io.cwd, baseline))
    .split(sep)
    .join('/');
  if (existsSync(resolve(io.cwd, budget)))
    throw new Failure('cannot-write', `${budget} is there already: remove it, or name another with --budget`);
  const report: Report = async (end: GateEnd, started, settings, evidence) => {
    if (end.kind !== 'judged') return reportFailure(end, started, evidence, io);
    await reportEnd(end, started, settings, evidence, io);
    const { result } = end;
    const leaks = result.outcome === 'leaks';
    if (leaks) await writeFileAtomically(baseline, encodeText(baselineText(result)), io.cwd);
    await writeFileAtomically(budget, encodeText(budgetText(result, leaks ? named : undefined)), io.cwd);
    io.stderr.write(`wrote ${budget}${leaks ? ` and ${baseline}` : ''}\n`);
    return result.measures.some(({ growth }) => growth === null) ? EXIT.undecided : EXIT.done;
  };
  return judgeTarget({ ...request, budgetFile: undefined, baselineFile: undefined }, io, report);
}
