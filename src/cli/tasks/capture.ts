/** `oakum capture`: saves the evidence of a live process in a folder before a restart destroys it. */
import { openTarget, reportUnreachable } from '../connect/open-target.ts';
import { oneLine } from '../../base/text-layout.ts';
import { type CaptureChoices, captureSteps, costOf } from '../../live/capture/capture-steps.ts';
import { type CaptureOutcome, runCapture } from '../../live/capture/run-capture.ts';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { renderCapture, renderPlan } from '../../live/capture/capture-text.ts';
import { capturePorts } from '../connect/capture-ports.ts';
import { captureProgress } from '../terminal/capture-progress.ts';
import { type Io, fail, stopSignal } from '../terminal/io.ts';
import type { TargetOptions } from '../options/connection.ts';
import { EXIT } from '../../base/errors.ts';

export interface CaptureRequest {
  readonly ref: TargetRef;
  readonly options: TargetOptions;
  readonly choices: CaptureChoices;
  readonly folder: string;
  readonly dryRun: boolean;
}

export async function capture(request: CaptureRequest, io: Io): Promise<number> {
  const { ref, options, choices, folder } = request;
  if (request.dryRun) {
    io.stdout.write(planText(request, targetText(ref), 'not contacted yet'));
    return EXIT.done;
  }
  const opened = await openTarget(ref, options);
  if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(ref), io);
  const { connection } = opened;
  io.stderr.write(planText(request, connection.target, wayTo(connection)));
  const stop = stopSignal();
  try {
    const ports = capturePorts(connection, folder, stop.signal, io);
    const progress = captureProgress(io.stderr);
    const outcome = await runCapture({ ...ports, onEvent: progress.show }, choices);
    progress.clear();
    return report(outcome, folder, io);
  } finally {
    stop.release();
  }
}

function planText({ choices, folder }: CaptureRequest, target: string, way: string): string {
  const steps = captureSteps(choices).map(step => ({ ...step, cost: costOf(step) }));
  return renderPlan({ target, way, folder, ...choices, steps });
}

function wayTo({ via, address }: TargetConnection): string {
  if (via === 'api-server-proxy') return `through the API server ${address}`;
  return via === 'kubelet' ? `at the kubelet ${address}` : `at ${address}`;
}

function report({ end, manifest, message = '' }: CaptureOutcome, folder: string, io: Io): number {
  const kept = manifest?.entries.filter(entry => entry.file !== undefined).length ?? 0;
  if (manifest !== undefined && kept > 0) io.stdout.write(renderCapture(manifest, folder));
  switch (end) {
    case 'whole':
    case 'part':
      return EXIT.done;
    case 'nothing':
      return fail(io, EXIT.couldNotObserve, `nothing could be taken: ${oneLine(message)}`);
    case 'stopped':
      return fail(
        io,
        EXIT.interrupted,
        `stopped; ${kept} files were kept, and the same command with -o ${folder} resumes`,
      );
    case 'cannot-write':
      return fail(io, EXIT.actionFailed, `${oneLine(message)}; ${kept} files were kept`);
    case 'refused':
      return fail(io, EXIT.usage, oneLine(message));
  }
}
