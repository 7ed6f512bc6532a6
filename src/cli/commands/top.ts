import { defineCommand, type Command } from '../options/command.ts';
import {
  CONNECTION_OPTIONS,
  requiredTarget,
  TARGET_FORMS,
  TARGET_OPERANDS,
  targetOptions,
} from '../options/connection.ts';
import { duration, flag, wholeNumber } from '../options/kinds.ts';
import { CATALOGUE, COLOR, outputFormat } from '../options/shared.ts';

export const command: Command = defineCommand({
  name: 'top',
  summary: 'what one process holds now, live in the terminal',
  usage: ['TARGET [options]'],
  examples: [
    ['oakum top http://localhost:6060', 'goroutines, live heap and labels, every 5 seconds'],
    ['oakum top node/worker-17 --interval 15s'],
    ['oakum top unix:///run/kcp/debug.sock --once', 'one frame as text'],
    ['oakum top http://localhost:6060 --once --for 1m -o json', 'with the changes of a minute, for a script'],
  ],
  about: `Shows every family of goroutines with its count, change per minute, ages, wait and cause, the live heap by who holds it, and goroutines by label; the verdict stands on top, as in triage. Keys: ? lists them. It forces no garbage collection and spares large processes.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    interval: duration({ default: '5s', help: 'time between two samples' }),
    once: flag({ help: 'print one frame and end; needs no terminal' }),
    for: duration({ needs: ['once'], help: 'sample this long before the frame, so that changes are known' }),
    output: outputFormat(['text', 'json']),
    rows: wholeNumber(1, 100_000)({ default: '20', help: 'rows of each table with --once' }),
    catalogue: CATALOGUE,
    color: COLOR,
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io) => {
    const options = targetOptions(values, io);
    return {
      ref: requiredTarget(operands, options),
      options,
      everySeconds: values.interval,
      once: values.once || values.output === 'json',
      forSeconds: values.for ?? 0,
      output: values.output,
      rows: values.rows,
      catalogue: values.catalogue,
      color: values.color,
    };
  },
  run: async (request, io) => (await import('../tasks/top.ts')).top(request, io),
});
