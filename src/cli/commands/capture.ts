import { formatSeconds } from '../../base/say.ts';
import { EXTRA_KINDS } from '../../live/capture/capture-steps.ts';
import { captureFolderName } from '../connect/capture-ports.ts';
import { defineCommand, type Command } from '../options/command.ts';
import {
  CONNECTION_OPTIONS,
  requiredTarget,
  TARGET_FORMS,
  TARGET_OPERANDS,
  targetOptions,
} from '../options/connection.ts';
import { byteSize, durationOrZero, flag, folder, list, wholeNumber } from '../options/kinds.ts';
import { NO_GC } from '../options/shared.ts';
import { Failure } from '../../base/errors.ts';

const MAX_CPU_SECONDS = 30;

export const command: Command = defineCommand({
  name: 'capture',
  summary: 'save the evidence of a live process: metrics, goroutines and heap, twice',
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
  run: async (request, io) => (await import('../tasks/capture.ts')).capture(request, io),
});
