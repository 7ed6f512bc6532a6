import { GATE_STEPS, gateRequest, OUTPUT_KINDS } from '../gate/gate-arguments.ts';
import { defineCommand, type Command } from '../options/command.ts';
import { CONNECTION_OPTIONS, TARGET_FORMS } from '../options/connection.ts';
import { custom, duration, durationOrZero, file, flag, folder, text, texts, wholeNumber } from '../options/kinds.ts';
import { CATALOGUE, COLOR } from '../options/shared.ts';
import { GATE_RULES } from '../../gate/gate.ts';

export const command: Command = defineCommand({
  name: 'gate',
  summary: 'no leak gets merged: run operations, decide what each leaves behind',
  usage: [
    '--target TARGET [options] -- COMMAND [ARGUMENT...]',
    '--compare BASE HEAD --target TARGET [options] -- COMMAND [ARGUMENT...]',
    'init --target TARGET [options] -- COMMAND [ARGUMENT...]',
    'begin --target TARGET | round --operations N | end',
  ],
  examples: [
    ['oakum gate --target http://localhost:6060 -- ./create-and-delete-50.sh'],
    ['oakum gate --target http://localhost:6060 --operations 50 -o junit=leaks.xml -o sarif=leaks.sarif -- make churn'],
    [`oakum gate --start './bin/manager --pprof-bind-address=:6060' --target http://localhost:6060 -- ./churn.sh`],
    ['oakum gate --compare ./base ./head --target http://localhost:6060 -- ./churn.sh'],
  ],
  about: `Runs the command in rounds against a live Go process, waits until the process is at rest, collects its garbage, and counts goroutines, live heap, objects, file descriptors and threads. Ends as soon as it is clear whether each operation leaves something behind: 0 within the budget, 1 leaks, 5 undecided. A command that prints OAKUM_OPERATIONS=n says how many operations a round had. init writes a budget from what is there now; begin, round and end are for a test harness that does the operations itself.\n\n${TARGET_FORMS}`,
  operands: { subcommands: GATE_STEPS, completes: 'files' },
  options: {
    target: texts({ placeholder: 'TARGET', help: 'the process under test; two with --compare: base, then head' }),
    start: text({ placeholder: 'LINE', default: '', help: 'start it with this line for sh, and end it afterwards' }),
    compare: text({
      placeholder: 'BASE HEAD',
      default: '',
      help: 'start two builds by turns and judge the difference',
    }),
    viaClient: flag({ help: 'the rounds come from a test harness: gate begin, gate round, gate end' }),
    operations: wholeNumber(
      1,
      1e9,
    )({ default: '1', help: 'operations in a round, if the command does not print them' }),
    per: custom('NAME', 'a word such as workspace', given => (/^[\p{L}\d -]{1,40}$/u.test(given) ? given : undefined))({
      default: 'operation',
      help: 'what an operation is called, such as workspace',
    }),
    maxRounds: wholeNumber(5, 10_000)({ default: String(GATE_RULES.maxRounds), help: 'rounds before it is undecided' }),
    settle: duration({ default: '10s', help: 'at most this long for the process to come to rest after a round' }),
    wait: durationOrZero({ default: '60s', help: 'at most this long until the target answers for the first time' }),
    pid: wholeNumber(1)({ help: 'the process on this machine, to count its descriptors and threads' }),
    budget: file({ help: 'what may be left behind, such as oakum.budget.yaml' }),
    baseline: file({ help: 'what is left behind already: only what is new or faster counts' }),
    evidence: folder({ default: '', defaultNote: './oakum-gate-TARGET-TIME', help: 'where to keep the profiles' }),
    output: texts({
      short: 'o',
      placeholder: 'KIND[=FILE]',
      help: `${OUTPUT_KINDS.join(', ')}; to a file or to stdout (default text)`,
    }),
    catalogue: CATALOGUE,
    color: COLOR,
    ...CONNECTION_OPTIONS,
  },
  request: gateRequest,
  run: async (request, io) => (await import('../tasks/gate.ts')).gate(request, io),
});
