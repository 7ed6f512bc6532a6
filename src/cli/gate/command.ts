/** The command line of `oakum gate`, whose forms are in files of their own. */
import { defineCommand, type Command, type AfterDashes, commandLine } from '../options/command.ts';
import { CONNECTION_OPTIONS, TARGET_FORMS, requiredTarget, targetOptions } from '../options/connection.ts';
import { custom, duration, durationOrZero, file, flag, folder, text, texts, wholeNumber } from '../options/kinds.ts';
import { CATALOGUE, COLOR } from '../options/shared.ts';
import { GATE_RULES } from '../../gate/gate.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { Io } from '../io.ts';
import type { GateOutput, GateRequest, GateSettings } from './gate-request.ts';
import { Failure } from '../../base/errors.ts';
import type { ValuesOf } from '../options/option.ts';

const OUTPUT_KINDS: readonly GateOutput['kind'][] = ['text', 'json', 'markdown', 'junit', 'sarif', 'benchstat'];
const GATE_STEPS = ['init', 'begin', 'round', 'end'] as const;
type Step = (typeof GATE_STEPS)[number];

const OPTIONS = {
  target: texts({ placeholder: 'TARGET', help: 'the process under test; two with --compare: base, then head' }),
  start: text({ placeholder: 'LINE', default: '', help: 'start it with this line for sh, and end it afterwards' }),
  compare: text({
    placeholder: 'BASE HEAD',
    default: '',
    help: 'start two builds by turns and judge the difference',
  }),
  viaClient: flag({ help: 'the rounds come from a test harness: gate begin, gate round, gate end' }),
  operations: wholeNumber(1, 1e9)({ default: '1', help: 'operations in a round, if the command does not print them' }),
  per: custom(
    'NAME',
    'a word such as workspace',
    word,
  )({
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
};

type Values = ValuesOf<typeof OPTIONS>;

const line = commandLine({
  name: 'gate',
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
  about: `Runs the command in rounds against a live Go process, waits until the process is at rest, collects its garbage, and counts goroutines, live heap, objects, memory outside the Go heap, file descriptors, threads and metric series. Ends as soon as it is clear whether each operation leaves something behind: 0 within the budget, 1 leaks, 5 undecided. A command that prints OAKUM_OPERATIONS=n says how many operations a round had. init writes a budget from what is there now; begin, round and end are for a test harness that does the operations itself.\n\n${TARGET_FORMS}`,
  operands: { subcommands: GATE_STEPS, completes: 'files' },
  options: OPTIONS,
  request: gateRequest,
});

export const command: Command = defineCommand(line, gate);

function word(given: string): string | undefined {
  return /^[\p{L}\d -]{1,40}$/u.test(given) ? given : undefined;
}

async function gate(request: GateRequest, io: Io): Promise<number> {
  switch (request.form) {
    case 'run':
    case 'init':
      return (await import('./gate-run.ts')).gateRun(request, io);
    case 'compare':
      return (await import('./gate-compare.ts')).gateCompare(request, io);
    default:
      return (await import('./gate-client.ts')).gateClient(request, io);
  }
}

function gateRequest(
  values: Values,
  operands: readonly string[],
  io: Pick<Io, 'cwd' | 'env'>,
  afterDashes: AfterDashes,
): GateRequest {
  const settings = settingsOf(values, targetOptions(values, io));
  const before = operands.slice(0, operands.length - (afterDashes?.length ?? 0));
  const step = GATE_STEPS.find(one => one === before[0]);
  if (step !== undefined) return stepOf(step, values, settings, before.slice(1), afterDashes);
  if (values.viaClient) throw new Failure('usage', '--via-client needs begin, round or end');
  const [head, ...more] = before;
  if (values.compare !== '') {
    if (head === undefined || more.length > 0)
      throw new Failure('usage', '--compare takes two builds: --compare BASE HEAD');
    if (values.start !== '') throw new Failure('usage', '--compare and --start exclude each other');
    const refs = values.target.map(one => requiredTarget([one], settings.options));
    if (refs.length === 0 || refs.length > 2) throw new Failure('usage', '--compare needs one --target, or two');
    return { ...settings, form: 'compare', refs, base: values.compare, head, argv: commandOf(afterDashes ?? []) };
  }
  return { ...settings, form: 'run', ...runOf(values, settings, afterDashes ?? before) };
}

function settingsOf(values: Values, options: GateSettings['options']): GateSettings {
  return {
    options,
    operations: values.operations,
    operation: values.per,
    maxRounds: values.maxRounds,
    settleSeconds: values.settle,
    waitSeconds: values.wait,
    pid: values.pid,
    budgetFile: values.budget,
    baselineFile: values.baseline,
    evidence: values.evidence === '' ? undefined : values.evidence,
    outputs: values.output.length === 0 ? [{ kind: 'text', file: undefined }] : values.output.map(outputOf),
    catalogue: values.catalogue,
    color: values.color,
  };
}

function stepOf(
  step: Step,
  values: Values,
  settings: GateSettings,
  extra: readonly string[],
  argv: AfterDashes,
): GateRequest {
  if (extra[0] !== undefined) throw new Failure('usage', `gate ${step} does not take ${extra[0]}`);
  if (step === 'init') return { ...settings, form: step, ...runOf(values, settings, argv ?? []) };
  if (argv !== undefined) throw new Failure('usage', `gate ${step} runs no command`);
  if (step !== 'begin') return { ...settings, form: step };
  return { ...settings, form: step, ref: oneTarget(values, settings) };
}

interface Run {
  readonly ref: TargetRef;
  readonly start: string | undefined;
  readonly argv: readonly string[];
}

function runOf(values: Values, settings: GateSettings, argv: readonly string[]): Run {
  const start = values.start === '' ? undefined : values.start;
  return { ref: oneTarget(values, settings), start, argv: commandOf(argv) };
}

function oneTarget({ target }: Values, { options }: GateSettings): TargetRef {
  if (target.length === 0) throw new Failure('usage', 'gate needs --target');
  if (target.length > 1) throw new Failure('usage', 'only --compare takes two targets');
  return requiredTarget(target, options);
}

function commandOf(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) throw new Failure('usage', 'gate needs a command after --');
  return argv;
}

function outputOf(given: string): GateOutput {
  const [, name = '', path] = /^([^=]*)(?:=(.+))?$/s.exec(given) ?? [];
  const kind = OUTPUT_KINDS.find(one => one === name);
  if (kind === undefined)
    throw new Failure('usage', `-o takes ${OUTPUT_KINDS.join(', ')}, each with =FILE if wanted, not ${given}`);
  return { kind, file: path };
}
