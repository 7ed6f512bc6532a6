/** `oakum apply`: does what a plan says, after asking, and verifies it. */
import { applyPlan, type ApplyResult, previewPlan, abortPlan } from '../../act/apply/apply-plan.ts';
import { approvePlan } from '../../act/apply/approval.ts';
import { otherCluster, otherNodes } from '../../act/apply/check-plan.ts';
import { abortOnNodes } from '../../act/apply/abort-node.ts';
import { scrapeNode, verifyOne } from '../../act/verify-plan.ts';
import type { StopReason } from '../../store/plan-log.ts';
import { templateProblem } from '../../act/plan/distribution.ts';
import { type PreviewPlace, previewText, undoneText } from '../../act/plan/plan-text.ts';
import { openActing, type OpenedActing, openPlanFiles, type PlanFiles } from '../connect/act-ports.ts';
import { CONNECTION_OPTIONS, type TargetOptions, targetOptions } from '../options/connection.ts';
import { planPolicy } from '../options/acting.ts';
import { type Io, fail, stopSignal } from '../io.ts';
import { packageVersion } from '../package-files.ts';
import { decodeText } from '../../base/text.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { file, flag, name } from '../options/kinds.ts';

const line = commandLine({
  name: 'apply',
  usage: ['-f PLAN [options]'],
  examples: [
    ['oakum apply -f plan.yaml', 'shows the steps, asks, and does them'],
    ['oakum apply -f plan.yaml --dry-run', 'shows the steps, and which would be refused now'],
    ['oakum apply -f plan.yaml --yes', 'for scripts'],
    ['oakum apply -f plan.yaml --abort', 'undoes what can be undone, and lists what cannot'],
    ['oakum verify -f plan.yaml', 'whether it helped'],
  ],
  about:
    'Reads the world again before each step, and stops if it changed. Keeps a log beside the plan, from which an interrupted apply resumes. Refuses a plan that was changed or is older than 30 minutes.',
  operands: {},
  options: {
    file: file({ short: 'f', placeholder: 'PLAN', help: 'the plan, from oakum plan' }),
    yes: flag({ help: 'do not ask' }),
    dryRun: flag({ excludes: ['yes'], help: 'only show what would be done' }),
    abort: flag({ excludes: ['yes', 'dryRun'], help: 'undo what was done and can be undone' }),
    command: name({
      placeholder: 'TEMPLATE',
      help: 'the command of a plan --via command; nothing that is run comes from the file',
    }),
    image: name({ help: 'the image of a plan --via pod, if the plan was given one' }),
    ...CONNECTION_OPTIONS,
  },
  request: ({ file: path, yes, dryRun, abort, command: template, image, ...values }, operands, io) => {
    if (path === undefined) throw new Failure('usage', 'no plan given: apply -f plan.yaml');
    if (operands.length > 0) throw new Failure('usage', `apply takes a plan with -f, not ${operands.join(' ')}`);
    const problem = template === undefined ? undefined : templateProblem(template);
    if (problem !== undefined) throw new Failure('usage', `--command: ${problem}`);
    const given = { template: template ?? null, image: image ?? null };
    return { file: path, yes, dryRun, abort, ...given, options: targetOptions(values, io) };
  },
});

export const command: Command = defineCommand(line, (request, io) =>
  request.abort ? abort(request, io) : apply(request, io),
);

type Request = RequestOf<typeof line>;

async function apply(task: Request, io: Io): Promise<number> {
  const reading = { to: 'act', oakumVersion: packageVersion(), template: task.template } as const;
  const files = await openPlanFiles(task.file, io.cwd, reading);
  const isAsked = !task.yes && !task.dryRun;
  if (isAsked && io.terminal === undefined)
    throw new Failure(
      'usage',
      'apply asks before it acts, and there is no terminal to ask on: give --yes, or --dry-run to only look',
    );
  const acting = await openActing(files.plan, task.options, io);
  const stop = stopSignal();
  try {
    const request = requestOf(files, acting, task.image, stop.signal);
    if (!task.yes) {
      const { standing, steps } = await previewPlan(request, acting.ports);
      if (standing.kind === 'refused') return refused(standing.why, standing.detail, io);
      io.stdout.write(previewText(files.plan, steps, placeOf(acting)));
      const blocked = steps.find(({ why }) => why !== undefined);
      if (blocked !== undefined)
        return fail(io, EXIT.actionFailed, `${blocked.step}: ${blocked.why}; nothing was done`);
      if (task.dryRun) return EXIT.done;
      if (standing.kind !== 'done' && !(await askYes(`Apply ${files.plan.id}?`, io))) {
        io.stderr.write('nothing was done\n');
        return EXIT.declined;
      }
    }
    return end(await applyPlan(request, acting.ports), files, task, io);
  } finally {
    stop.release();
  }
}

function placeOf({ context, actor, ports }: OpenedActing): PreviewPlace {
  return { context, address: ports.actions.address, user: actor };
}

function requestOf(files: PlanFiles, acting: OpenedActing, image: string | null, signal: AbortSignal) {
  const { plan, log, samples } = files;
  const { actor, holder, hasEnded, ports } = acting;
  const verifyPorts = { ...ports, samples };
  return {
    plan,
    image,
    log,
    actor,
    holder,
    hasEnded,
    signal,
    oakumVersion: packageVersion(),
    verify: (node: Parameters<typeof verifyOne>[2], records: Parameters<typeof verifyOne>[0]['records']) =>
      verifyOne({ plan, records, warmUpSeconds: undefined }, verifyPorts, node),
    observe: async ({ node }: { readonly node: string }) => void (await scrapeNode(verifyPorts, node)),
  };
}

function end(result: ApplyResult, { plan, log }: PlanFiles, { file }: Request, io: Io): number {
  switch (result.kind) {
    case 'done': {
      const next = `whether it helped: oakum verify -f ${file}`;
      io.stdout.write(`${plan.id} is ${result.wasDone ? 'already ' : ''}applied (log: ${log.place}); ${next}\n`);
      return EXIT.done;
    }
    case 'refused':
      return refused(result.why, result.detail, io);
    case 'stopped': {
      io.stdout.write(undoneText(result.undone));
      const next = NEXT[result.why] ?? `what it did is in ${log.place}`;
      const where = result.step === null ? '' : ` at ${result.step}`;
      const code = result.why === 'interrupted' ? EXIT.interrupted : EXIT.actionFailed;
      return fail(io, code, `stopped${where}: ${result.detail}; ${next.replace('FILE', file)}`);
    }
  }
}

const RESUME = 'the same command resumes, and oakum apply --abort -f FILE undoes what can be undone';
const NEXT: Partial<Record<StopReason, string>> = { interrupted: RESUME, 'no-answer': RESUME, 'per-hour': RESUME };

/** A server that does not answer is no refusal of ours. */
function refused(why: StopReason, detail: string, io: Io): number {
  return fail(io, why === 'no-answer' ? EXIT.couldNotObserve : EXIT.actionFailed, detail);
}

/** Asks on the terminal; only the whole word yes is a yes. */
export async function askYes(question: string, io: Io): Promise<boolean> {
  io.stderr.write(`${question} Type yes to go on: `);
  let text = '';
  for await (const chunk of io.stdin) {
    text += decodeText(chunk);
    if (text.includes('\n')) break;
  }
  return /^yes\s*$/.test(text.split('\n')[0] ?? '');
}

/** `oakum plan abort` too: undoes what was done and can be undone, and lists what cannot. */
export async function abort(
  { file, options }: { readonly file: string; readonly options: TargetOptions },
  io: Io,
): Promise<number> {
  const { plan, log } = await openPlanFiles(file, io.cwd, { to: 'look' });
  const { ports, actor, holder, hasEnded } = await openActing(plan, options, io);
  const stop = stopSignal();
  try {
    const result = await abortPlan({ plan, log, actor, holder, hasEnded, signal: stop.signal }, ports);
    if (result.kind === 'refused') return fail(io, EXIT.actionFailed, result.detail);
    if (result.kind === 'nothing-begun') {
      io.stdout.write(`${plan.id} was never applied: there is nothing to undo\n`);
      return EXIT.done;
    }
    io.stdout.write(undoneText(result.undone));
    io.stdout.write(`${plan.id} is aborted (log: ${log.place})\n`);
    const failed = result.undone.find(({ outcome }) => outcome === 'failed');
    return failed === undefined ? EXIT.done : fail(io, EXIT.actionFailed, `${failed.step}: ${failed.detail}`);
  } finally {
    stop.release();
  }
}

/** `oakum plan abort --node`: what any plan left on a node, from the cluster alone. */
export async function abortNode(
  {
    node,
    lockNamespace,
    options,
  }: { readonly node: string; readonly lockNamespace: string; readonly options: TargetOptions },
  io: Io,
): Promise<number> {
  const { ports, actor, holder, hasEnded, context } = await openActing({ id: `abort-${node}` }, options, io);
  const stop = stopSignal();
  try {
    const { lock } = planPolicy(lockNamespace);
    const request = { nodes: [node], planId: null, lock, actor, holder, hasEnded, signal: stop.signal };
    const result = await abortOnNodes(request, ports);
    if (result.kind === 'refused') return fail(io, EXIT.actionFailed, result.detail);
    const where = `${node} of ${context} (${ports.actions.address})`;
    io.stdout.write(result.undone.length === 0 ? `no plan left anything on ${where}\n` : undoneText(result.undone));
    const failed = result.undone.find(({ outcome }) => outcome === 'failed');
    return failed === undefined ? EXIT.done : fail(io, EXIT.actionFailed, `${failed.step}: ${failed.detail}`);
  } finally {
    stop.release();
  }
}

interface ApproveTask {
  readonly file: string;
  readonly template: string | null;
  readonly image: string | null;
  readonly options: TargetOptions;
}

/** `oakum plan approve`: shows what an apply would do, asks, and records who said yes in the cluster. */
export async function approve({ file: path, template, image, options }: ApproveTask, io: Io): Promise<number> {
  if (io.terminal === undefined)
    throw new Failure('usage', 'approve asks a person, and there is no terminal to ask on');
  const files = await openPlanFiles(path, io.cwd, { to: 'act', oakumVersion: packageVersion(), template });
  const acting = await openActing(files.plan, options, io);
  const { actions, clock } = acting.ports;
  const { plan } = files;
  const elsewhere = (await otherCluster(plan, actions)) ?? (await otherNodes(plan, actions, { image, isNew: true }));
  if (elsewhere !== undefined) return refused(elsewhere.why, elsewhere.detail, io);
  io.stdout.write(previewText(plan, [], placeOf(acting)));
  if (!(await askYes(`Approve ${plan.id} for someone else to apply?`, io))) {
    io.stderr.write('nothing was approved\n');
    return EXIT.declined;
  }
  const approved = await approvePlan(plan, acting.actor, actions, clock.now());
  if (approved.kind === 'refused') return fail(io, EXIT.actionFailed, approved.detail);
  io.stdout.write(`${plan.id} is approved by ${acting.actor}\n`);
  return EXIT.done;
}
