/** `oakum plan abort`: undoes what a plan did and can be undone, and lists what cannot. */
import { abortPlan } from '../../act/apply/abort-plan.ts';
import { undoneText } from '../../act/apply/apply-text.ts';
import { openActing } from '../connect/act-ports.ts';
import { openPlanFiles } from '../connect/plan-files.ts';
import type { TargetOptions } from '../options/connection.ts';
import { type Io, fail, stopSignal } from '../terminal/io.ts';
import { EXIT } from '../../base/errors.ts';

export interface AbortTask {
  readonly file: string;
  readonly options: TargetOptions;
}

export async function abort({ file, options }: AbortTask, io: Io): Promise<number> {
  const { plan, log } = await openPlanFiles(file, io.cwd);
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
