/** `oakum capture`: the evidence of one live process, kept in a folder before a restart destroys it. */
import { openTarget } from '../connect/open-target.ts';
import { oneLine } from '../../base/text-layout.ts';
import { type CaptureChoices, captureSteps, EXTRA_KINDS, KINDS } from '../../engine/capture/capture-steps.ts';
import { type CaptureOutcome, runCapture } from '../../engine/capture/run-capture.ts';
import { type TargetRef, targetText } from '../../model/target.ts';
import type { TargetConnection } from '../../ports/target-connection.ts';
import { renderCapture, renderPlan } from '../../report/capture-text.ts';
import { captureFolderName } from '../connect/capture-folder-name.ts';
import { progressLine } from '../capture-progress.ts';
import { capturePorts } from '../connect/capture-ports.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { reportUnreachable } from '../connect/unreachable-target.ts';
import { parseByteSize, parseDuration } from '../options/option-values.ts';
import { stopSignal } from '../terminal/stop-signal.ts';
import {
  parseTarget,
  parseTargetOptions,
  TARGET_HELP,
  TARGET_OPTIONS,
  type TargetOptions,
} from '../options/connection.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum capture TARGET [-o DIR] [options]

  oakum capture node/worker-17 -o ./worker-17       metrics, goroutines and heap, now and again after 5 minutes
  oakum capture node/worker-17 --dry-run            what it would ask for, and what that costs the target
  oakum capture http://localhost:6060 --gap 0       one set, of any Go daemon
  oakum capture unix:///run/kcp/debug.sock --gap 15m

Read-only. Ctrl-C, a dying target or a full disk lose nothing that was taken; the same command with the same -o goes on.

  -o, --output DIR     where to (./oakum-TARGET-TIME)
      --gap TIME       between the two sets (5m); 0: one set only
      --cpu SECONDS    a CPU profile too; at most 30 unless --force
      --debug2         a list of all goroutines even above 10,000 of them: it stops the process for seconds
      --force          also above 50,000, where it is cut at 64 MiB, and CPU profiles above 30 s
      --also KIND,...  ${EXTRA_KINDS.join(', ')}
      --max-bytes N    of one answer (80Mi); of metrics 256Mi or more
      --dry-run        print the plan and end

${TARGET_HELP}`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  output: { type: 'string', short: 'o', default: '' },
  gap: { type: 'string', default: '5m' },
  cpu: { type: 'string', default: '0' },
  debug2: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  also: { type: 'string', default: '' },
  'max-bytes': { type: 'string', default: '80Mi' },
  'dry-run': { type: 'boolean', default: false },
} as const;

interface Request {
  readonly ref: TargetRef;
  readonly options: TargetOptions;
  readonly choices: CaptureChoices;
  readonly output: string;
  readonly dryRun: boolean;
}

export async function runCaptureCommand(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'capture', help: USAGE, options: OPTIONS, parse: (given: Parsed) => parse(given, io) };
  return runRequest(usage, argv, io, request => capture(request, io), programName);
}

type Parsed = Given<typeof OPTIONS>;

async function capture(request: Request, io: Io): Promise<number> {
  const { ref, options, choices, output } = request;
  try {
    if (request.dryRun) {
      io.stdout.write(planText(request, targetText(ref), 'not asked yet'));
      return EXIT.done;
    }
    const opened = await openTarget(ref, options);
    if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(ref), io);
    const { connection } = opened;
    io.stderr.write(planText(request, connection.target, wayTo(connection)));
    const stop = stopSignal();
    try {
      const outcome = await runCapture(
        {
          ...capturePorts(connection, output, stop.signal, io),
          onEvent: event => io.stderr.write(progressLine(event)),
        },
        choices,
      );
      return report(outcome, output, io);
    } finally {
      stop.release();
    }
  } catch (error) {
    return reportFailure(error, io);
  }
}

function planText({ choices, output }: Request, target: string, way: string): string {
  const steps = captureSteps(choices).map(step => ({ ...step, cost: KINDS[step.kind].cost }));
  return renderPlan({ target, way, folder: output, ...choices, steps });
}

function wayTo({ via, address }: TargetConnection): string {
  if (via === 'api-server-proxy') return `through the API server ${address}`;
  return via === 'kubelet' ? `at the kubelet ${address}` : `at ${address}`;
}

function report({ end, manifest, message = '' }: CaptureOutcome, output: string, io: Io): number {
  const kept = manifest?.entries.filter(entry => entry.file !== undefined).length ?? 0;
  if (manifest !== undefined && kept > 0) io.stdout.write(renderCapture(manifest, output));
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
        `stopped; ${kept} files were kept, and the same command with -o ${output} goes on`,
      );
    case 'cannot-write':
      return fail(io, EXIT.actionFailed, `${oneLine(message)}; ${kept} files were kept`);
    case 'refused':
      return fail(io, EXIT.usage, oneLine(message));
  }
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Parsed, io: Io): Request | string {
  const options = parseTargetOptions(values, io);
  if (typeof options === 'string') return options;
  const ref = parseTarget(positionals, options);
  if (typeof ref === 'string') return ref;
  const gapSeconds = values.gap === '0' ? 0 : parseDuration(values.gap);
  if (gapSeconds === undefined) return `--gap takes a time such as 5m, or 0, not ${values.gap}`;
  if (!/^\d{1,4}$/.test(values.cpu)) return `--cpu takes seconds, not ${values.cpu}`;
  const cpuSeconds = Number(values.cpu);
  if (cpuSeconds > MAX_CPU_SECONDS && !values.force) return `--cpu above ${MAX_CPU_SECONDS} s needs --force`;
  const also = values.also.split(',').filter(kind => kind !== '');
  const unknown = also.find(kind => !EXTRA_KINDS.some(known => known === kind));
  if (unknown !== undefined) return `--also ${unknown} is none of ${EXTRA_KINDS.join(', ')}`;
  const maxBytes = parseByteSize(values['max-bytes']);
  if (maxBytes === undefined) return `--max-bytes takes a size such as 80Mi, not ${values['max-bytes']}`;
  return {
    ref,
    options,
    choices: {
      gapSeconds,
      cpuSeconds,
      also: EXTRA_KINDS.filter(kind => also.includes(kind)),
      debug2: values.debug2,
      force: values.force,
      requestTimeoutSeconds: options.requestTimeoutSeconds,
      maxBytes,
    },
    output: values.output || captureFolderName(ref),
    dryRun: values['dry-run'],
  };
}

const MAX_CPU_SECONDS = 30;
