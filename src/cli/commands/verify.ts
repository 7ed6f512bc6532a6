/** `oakum verify`: whether what a plan did helped. */
import { withoutBraces } from '../../base/matcher-text.ts';
import { prometheusSamples } from '../../act/prometheus-samples.ts';
import { verifyPlan, type VerifyPorts } from '../../act/verify-plan.ts';
import { otherCluster } from '../../act/apply/check-plan.ts';
import { Journal } from '../../act/apply/journal.ts';
import type { PlanRecord } from '../../store/plan-log.ts';
import type { PlanVerification, VerifyOutcome } from '../../act/plan-verification.ts';
import { renderJson, renderYaml } from '../../report/json.ts';
import { openActing, openPlanFiles } from '../connect/act-ports.ts';
import { openPrometheus } from '../connect/open-target.ts';
import { CONNECTION_OPTIONS, targetOptions } from '../options/connection.ts';
import { fail, type Io, stopSignal } from '../io.ts';
import { verifyText } from '../../act/plan/plan-text.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { duration, durationOrZero, file, text } from '../options/kinds.ts';
import { PROMETHEUS_HEADER, PROMETHEUS_TOKEN_FILE, prometheusAccess, prometheusUrl } from '../options/sources.ts';
import { outputFormat } from '../options/shared.ts';

const line = commandLine({
  name: 'verify',
  usage: ['-f PLAN [options]'],
  examples: [
    ['oakum verify -f plan.yaml', 'one look'],
    ['oakum verify -f plan.yaml --for 2h', 'looks every minute until it is known'],
    [
      'oakum verify -f plan.yaml --prometheus http://localhost:9090',
      'from what it has of both lives: one look is enough',
    ],
    ['oakum verify -f plan.yaml -o json', 'for scripts'],
  ],
  about:
    'Read-only. Each look is kept beside the plan, so looking now and then for some hours is as good as --for. Exit code: 0 cleared, 1 came back, 3 could not be observed, 4 not as planned, 5 too early to tell, or nothing to compare with.',
  operands: {},
  options: {
    file: file({ short: 'f', placeholder: 'PLAN', help: 'the plan, from oakum plan' }),
    output: outputFormat(['text', 'json', 'yaml']),
    for: durationOrZero({ default: '0', help: 'keep looking until it is known, at most so long' }),
    every: duration({ default: '60s', help: 'time between two looks' }),
    warmUp: durationOrZero({ help: 'time after the restart that does not count', defaultNote: "the plan's" }),
    prometheus: prometheusUrl('samples of both lives; then the hours since the restart need not be watched'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    prometheusHeader: PROMETHEUS_HEADER,
    prometheusMatch: text({
      placeholder: 'LABELS',
      default: '',
      needs: ['prometheus'],
      help: `the series of the node, such as instance="10.0.0.1:10250" (default found by the node's name and addresses)`,
    }),
    ...CONNECTION_OPTIONS,
  },
  request: ({ file: path, for: forSeconds, every, warmUp, output, prometheusMatch, ...values }, operands, io) => {
    if (path === undefined) throw new Failure('usage', 'no plan given: verify -f plan.yaml');
    if (operands.length > 0) throw new Failure('usage', `verify takes a plan with -f, not ${operands.join(' ')}`);
    const options = targetOptions(values, io);
    const prometheus = prometheusAccess({ ...values, selector: '' }, io);
    const match = withoutBraces(prometheusMatch);
    return { file: path, forSeconds, everySeconds: every, warmUpSeconds: warmUp, output, options, prometheus, match };
  },
});

export const command: Command = defineCommand(line, verify);

type Request = RequestOf<typeof line>;

async function verify(task: Request, io: Io): Promise<number> {
  const { plan, log, samples } = await openPlanFiles(task.file, io.cwd, { to: 'look' });
  const { ports, actor } = await openActing(plan, task.options, io);
  const elsewhere = await otherCluster(plan, ports.actions);
  if (elsewhere !== undefined)
    return fail(io, elsewhere.why === 'no-answer' ? EXIT.couldNotObserve : EXIT.actionFailed, elsewhere.detail);
  const stop = stopSignal();
  try {
    const records = await log.read();
    const verifyPorts = { ...ports, samples, ...prometheusOf(task, records, ports, stop.signal) };
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
function prometheusOf(
  { prometheus, match }: Request,
  records: readonly PlanRecord[],
  { actions, clock }: Pick<VerifyPorts, 'actions' | 'clock'>,
  signal: AbortSignal,
): Pick<VerifyPorts, 'fromPrometheus'> {
  if (prometheus === undefined) return {};
  const history = openPrometheus(prometheus);
  const now = (): number => clock.now();
  return {
    fromPrometheus: nodePlan => {
      const restart = nodePlan.steps.find(({ kind }) => kind === 'restart');
      const ended = records.findLast(record => record.kind === 'step-ended' && record.step === restart?.id);
      const at = Date.parse(ended?.at ?? nodePlan.verification.before.at) / 1000;
      return prometheusSamples(nodePlan, at, { history, actions, match, now, signal });
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
  return has('too early', 'unknown') ? EXIT.undecided : EXIT.done;
}
