/** `oakum verify`: whether what a plan did helped. */
import { pastSamples } from '../../act/verify/past-samples.ts';
import { verifyPlan, type VerifyPorts } from '../../act/verify/verify-plan.ts';
import { Journal } from '../../act/apply/journal.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { PlanVerification, VerifyOutcome } from '../../act/verify/plan-verification.ts';
import { renderJson, renderYaml } from '../../report/json.ts';
import { openActing } from '../connect/act-ports.ts';
import { openPlanFiles } from '../connect/plan-files.ts';
import { openPrometheus, type PrometheusAccess } from '../connect/open-target.ts';
import type { TargetOptions } from '../options/connection.ts';
import { type Io, stopSignal } from '../terminal/io.ts';
import { verifyText } from '../../act/apply/apply-text.ts';
import { EXIT } from '../../base/errors.ts';

export interface VerifyTask {
  readonly file: string;
  readonly options: TargetOptions;
  readonly forSeconds: number;
  readonly everySeconds: number;
  readonly warmUpSeconds: number | undefined;
  readonly output: 'text' | 'json' | 'yaml';
  readonly prometheus: PrometheusAccess | undefined;
  /** Label matchers for the node's series; '' for none. */
  readonly match: string;
}

export async function verify(task: VerifyTask, io: Io): Promise<number> {
  const { plan, log, samples } = await openPlanFiles(task.file, io.cwd);
  const { ports, actor } = await openActing(plan, task.options, io);
  const stop = stopSignal();
  try {
    const records = await log.read();
    const verifyPorts = { ...ports, samples, ...pastOf(task, records, ports, stop.signal) };
    const verification = await verifyPlan({ ...task, plan, records, signal: stop.signal }, verifyPorts);
    await logAnswers(
      verification,
      new Journal(log, { planId: plan.id, planHash: plan.hash, actor }, records, ports.clock.now),
    );
    const { output } = task;
    io.stdout.write(
      output === 'json'
        ? renderJson(verification)
        : output === 'yaml'
          ? renderYaml(verification)
          : verifyText(verification),
    );
    return exitCodeOf(verification.nodes.map(({ outcome }) => outcome));
  } finally {
    stop.release();
  }
}

/** Nothing without --prometheus. */
function pastOf(
  { prometheus, match }: VerifyTask,
  records: readonly PlanRecord[],
  { actions, clock }: Pick<VerifyPorts, 'actions' | 'clock'>,
  signal: AbortSignal,
): Pick<VerifyPorts, 'past'> {
  if (prometheus === undefined) return {};
  const history = openPrometheus(prometheus);
  const now = (): number => clock.now();
  return {
    past: nodePlan => {
      const restart = nodePlan.steps.find(({ kind }) => kind === 'restart');
      const ended = records.findLast(record => record.kind === 'step-ended' && record.step === restart?.id);
      const at = Date.parse(ended?.at ?? nodePlan.verification.before.at) / 1000;
      return pastSamples(nodePlan, at, { history, actions, match, now, signal });
    },
  };
}

/** For the report of the incident; the same answer is written once. Without an apply there is no log to write to. */
async function logAnswers({ nodes }: PlanVerification, journal: Journal): Promise<void> {
  if (journal.records.length === 0) return;
  for (const { node, outcome, sentence } of nodes) {
    const last = journal.records.findLast(record => record.kind === 'verified' && record.node === node);
    const isNew = last?.kind !== 'verified' || last.outcome !== outcome;
    if (isNew) await journal.write({ kind: 'verified', node, outcome, detail: sentence });
  }
}

/** The worst decides: not as planned, then came back, then not yet known. */
function exitCodeOf(outcomes: readonly VerifyOutcome[]): number {
  const has = (...of: VerifyOutcome[]): boolean => outcomes.some(outcome => of.includes(outcome));
  if (has('unwell', 'not restarted')) return EXIT.actionFailed;
  if (has('unread')) return EXIT.couldNotObserve;
  if (has('came back, intrinsic')) return EXIT.leakFound;
  return has('too early') ? EXIT.undecided : EXIT.done;
}
