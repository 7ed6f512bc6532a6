import { defineCommand, type Command } from '../options/command.ts';
import { CONNECTION_OPTIONS, targetOptions } from '../options/connection.ts';
import { file, flag } from '../options/kinds.ts';
import { Failure } from '../../base/errors.ts';

export const command: Command = defineCommand({
  name: 'apply',
  summary: 'do what a plan says, step by step, after asking',
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
    ...CONNECTION_OPTIONS,
  },
  request: ({ file: path, yes, dryRun, abort, ...values }, operands, io) => {
    if (path === undefined) throw new Failure('usage', 'no plan given: apply -f plan.yaml');
    if (operands.length > 0) throw new Failure('usage', `apply takes a plan with -f, not ${operands.join(' ')}`);
    return { file: path, yes, dryRun, abort, options: targetOptions(values, io) };
  },
  run: async (task, io) =>
    task.abort
      ? (await import('../tasks/abort.ts')).abort(task, io)
      : (await import('../tasks/apply.ts')).apply(task, io),
});
