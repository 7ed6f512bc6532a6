/** `oakum capture`: saves the evidence of a live process in a folder before a restart destroys it. */
import { openTarget, reportUnreachable } from '../connect/open-target.ts';
import { oneLine } from '../../base/text-layout.ts';
import { captureSteps, costOf, EXTRA_KINDS } from '../../live/capture/capture-steps.ts';
import { type CaptureOutcome, runCapture } from '../../live/capture/run-capture.ts';
import { targetText } from '../../evidence/target.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { renderCapture, renderPlan } from '../../live/capture/capture-text.ts';
import { capturePorts, captureFolderName } from '../connect/capture-ports.ts';
import { captureProgress } from '../capture-progress.ts';
import { type Io, fail, stopSignal } from '../io.ts';
import {
  CONNECTION_OPTIONS,
  requiredTarget,
  TARGET_FORMS,
  TARGET_OPERANDS,
  targetOptions,
} from '../options/connection.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { formatSeconds } from '../../base/say.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { byteSize, durationOrZero, flag, folder, list, wholeNumber } from '../options/kinds.ts';
import { NO_GC } from '../options/shared.ts';

const MAX_CPU_SECONDS = 30;

const line = commandLine({
  name: 'capture',
  usage: ['TARGET [-o DIR] [options]'],
  examples: [
    ['oakum capture node/worker-17 -o ./worker-17', 'metrics, goroutines and heap, twice, 5 minutes apart'],
    ['oakum capture node/worker-17 --dry-run', 'what it would request, and what that costs the target'],
    ['oakum capture http://localhost:6060 --gap 0', 'one set, from any Go daemon'],
    ['oakum capture unix:///run/kcp/debug.sock --gap 15m'],
  ],
  about: `Read-only. Ctrl-C, a dying target or a full disk lose nothing that was saved; the same command with the same -o resumes.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    output: folder({ short: 'o', help: 'where to save', defaultNote: './oakum-TARGET-TIME' }),
    gap: durationOrZero({ default: '5m', help: 'time between the two sets; 0 for one set only' }),
    cpu: wholeNumber(
      0,
      9999,
    )({ placeholder: 'SECONDS', default: '0', help: 'a CPU profile too; above 30 needs --force' }),
    debug2: flag({ help: 'list all goroutines even above 10,000 of them, which stops the process for seconds' }),
    force: flag({
      help: 'list them even above 50,000, where Go cuts the list at 64 MiB; allow CPU profiles above 30 s',
    }),
    also: list(EXTRA_KINDS)({ default: '', help: '' }),
    maxBytes: byteSize({ default: '80Mi', help: 'largest answer to accept; for metrics, 256Mi or more' }),
    noGc: NO_GC,
    dryRun: flag({ help: 'print the plan and exit' }),
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io) => {
    const options = targetOptions(values, io);
    const ref = requiredTarget(operands, options);
    if (values.cpu > MAX_CPU_SECONDS && !values.force)
      throw new Failure('usage', `--cpu above ${formatSeconds(MAX_CPU_SECONDS)} needs --force`);
    return {
      ref,
      options,
      choices: {
        gapSeconds: values.gap,
        cpuSeconds: values.cpu,
        also: EXTRA_KINDS.filter(kind => values.also.includes(kind)),
        debug2: values.debug2,
        force: values.force,
        gc: !values.noGc,
        requestTimeoutSeconds: options.requestTimeoutSeconds,
        maxBytes: values.maxBytes,
      },
      folder: values.output || captureFolderName(ref),
      dryRun: values.dryRun,
    };
  },
});

export const command: Command = defineCommand(line, capture);

type Request = RequestOf<typeof line>;

async function capture(request: Request, io: Io): Promise<number> {
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

function planText({ choices, folder }: Request, target: string, way: string): string {
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
