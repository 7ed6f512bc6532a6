/** `oakum apply`: does what a plan says, after asking, and verifies it. */
import { applyPlan, type ApplyResult } from '../../act/apply/apply-plan.ts';
import { previewPlan } from '../../act/apply/preview-plan.ts';
import { scrapeNode, verifyOne } from '../../act/verify/verify-plan.ts';
import type { StopReason } from '../../store/plan-log.ts';
import { previewText, undoneText } from '../../act/apply/apply-text.ts';
import { openActing, type OpenedActing } from '../connect/act-ports.ts';
import { openPlanFiles, type PlanFiles } from '../connect/plan-files.ts';
import type { TargetOptions } from '../options/connection.ts';
import { type Io, fail, stopSignal } from '../terminal/io.ts';
import { packageVersion } from '../terminal/package-files.ts';
import { decodeText } from '../../base/text.ts';
import { EXIT, Failure } from '../../base/errors.ts';

export interface ApplyTask {
  readonly file: string;
  readonly options: TargetOptions;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly abort: boolean;
}

export async function apply(task: ApplyTask, io: Io): Promise<number> {
  const files = await openPlanFiles(task.file, io.cwd);
  const isAsked = !task.yes && !task.dryRun;
  if (isAsked && io.terminal === undefined)
    throw new Failure(
      'usage',
      'apply asks before it acts, and there is no terminal to ask on: give --yes, or --dry-run to only look',
    );
  const acting = await openActing(files.plan, task.options, io);
  const stop = stopSignal();
  try {
    const request = requestOf(files, acting, stop.signal);
    if (!task.yes) {
      const { standing, steps } = await previewPlan(request, acting.ports);
      if (standing.kind === 'refused') return refused(standing.why, standing.detail, io);
      io.stdout.write(previewText(files.plan, steps));
      const blocked = steps.find(({ why }) => why !== undefined);
      if (blocked !== undefined)
        return fail(io, EXIT.actionFailed, `${blocked.step}: ${blocked.why}; nothing was done`);
      if (task.dryRun) return EXIT.done;
      if (standing.kind !== 'done' && !(await askYes(`Apply ${files.plan.id}?`, io))) {
        io.stderr.write('nothing was done\n');
        return EXIT.done;
      }
    }
    return end(await applyPlan(request, acting.ports), files, task, io);
  } finally {
    stop.release();
  }
}

function requestOf(files: PlanFiles, acting: OpenedActing, signal: AbortSignal) {
  const { plan, log, samples } = files;
  const { actor, holder, hasEnded, ports } = acting;
  const verifyPorts = { ...ports, samples };
  return {
    plan,
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

function end(result: ApplyResult, { plan, log }: PlanFiles, { file }: ApplyTask, io: Io): number {
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
