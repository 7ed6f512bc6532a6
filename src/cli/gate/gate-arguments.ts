/** Turns the arguments of `oakum gate` into the request of one of its forms. */
import type { TargetRef } from '../../evidence/target.ts';
import type { AfterDashes } from '../options/command.ts';
import { type ConnectionValues, requiredTarget, targetOptions } from '../options/connection.ts';
import type { ColorChoice } from '../options/shared.ts';
import type { Io } from '../terminal/io.ts';
import type { GateOutput, GateRequest, GateSettings } from './gate-request.ts';
import { Failure } from '../../base/errors.ts';

export interface GateValues extends ConnectionValues {
  readonly target: readonly string[];
  readonly start: string;
  readonly compare: string;
  readonly viaClient: boolean;
  readonly operations: number;
  readonly per: string;
  readonly maxRounds: number;
  readonly settle: number;
  readonly wait: number;
  readonly pid: number | undefined;
  readonly budget: string | undefined;
  readonly baseline: string | undefined;
  readonly evidence: string;
  readonly output: readonly string[];
  readonly catalogue: string | undefined;
  readonly color: ColorChoice;
}

export const OUTPUT_KINDS: readonly GateOutput['kind'][] = ['text', 'json', 'markdown', 'junit', 'sarif', 'benchstat'];
export const GATE_STEPS = ['init', 'begin', 'round', 'end'] as const;
type Step = (typeof GATE_STEPS)[number];

export function gateRequest(
  values: GateValues,
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

function settingsOf(values: GateValues, options: GateSettings['options']): GateSettings {
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
  values: GateValues,
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

function runOf(values: GateValues, settings: GateSettings, argv: readonly string[]): Run {
  const start = values.start === '' ? undefined : values.start;
  return { ref: oneTarget(values, settings), start, argv: commandOf(argv) };
}

function oneTarget({ target }: GateValues, { options }: GateSettings): TargetRef {
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
