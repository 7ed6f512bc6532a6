/**
 * The command line of `go tool pprof`: Go's flag syntax (`-name`, `-name=value`, `-name value`; flags end at the first
 * word that is not a flag), and pprof's flags.
 */
import {
  DEFAULT_CONFIG,
  REPORTS,
  REPORTS_WITH_PARAMETER,
  type PprofConfig,
  type ReportName,
} from './reports/config.ts';
import type { Granularity } from './transform/aggregate.ts';
import { Failure } from '../../base/errors.ts';

export interface PprofCommand {
  readonly report: ReportName | undefined;
  readonly parameter: string | undefined;
  readonly config: PprofConfig;
  /** The sources, possibly after the name of a binary. */
  readonly sources: readonly string[];
  readonly base: readonly string[];
  readonly diffBase: boolean;
  /** Keep the frames that the profile itself calls uninteresting. */
  readonly allFrames: boolean;
  readonly symbolize: string;
  readonly seconds: number;
  readonly timeoutSeconds: number;
  readonly buildId: string;
  readonly comment: string;
  readonly http: string;
  readonly tls: { readonly cert: string; readonly key: string; readonly ca: string };
  /** Printed to stderr; the command goes on. */
  readonly warnings: readonly string[];
}

/** An invalid command line; `showUsage` if the flags themselves are at fault. */
export class FlagError extends Failure {
  readonly showUsage: boolean;
  /** Its name, if the flag does not exist. */
  readonly unknownFlag: string | undefined;
  constructor(message: string, showUsage = false, unknownFlag?: string) {
    super('usage', message);
    this.showUsage = showUsage;
    this.unknownFlag = unknownFlag;
  }
}

export class HelpRequest extends Error {}

type FlagKind = 'bool' | 'int' | 'float' | 'string';

const CONFIG_KINDS = Object.fromEntries(
  Object.entries(DEFAULT_CONFIG)
    .filter(([name]) => name !== 'sort' && name !== 'granularity')
    .map(([name, value]) => [name, kindOf(name, value)]),
) as Readonly<Record<string, FlagKind>>;

function kindOf(name: string, value: unknown): FlagKind {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return name === 'nodecount' ? 'int' : 'float';
  return 'string';
}

const SORTS = ['cum', 'flat'] as const;
const GRANULARITIES = ['functions', 'filefunctions', 'files', 'lines', 'addresses'] as const;

/** Flag -> sample type it selects. */
const SAMPLE_SHORTHANDS: readonly (readonly [flag: string, type: string])[] = [
  ['total_delay', 'delay'],
  ['mean_delay', 'delay'],
  ['contentions', 'contentions'],
  ['inuse_space', 'inuse_space'],
  ['inuse_objects', 'inuse_objects'],
  ['alloc_space', 'alloc_space'],
  ['alloc_objects', 'alloc_objects'],
];

/** Reports of pprof that need other programs to draw, or need the binary. */
export const UNSUPPORTED_REPORTS: readonly string[] = [
  'disasm',
  'eog',
  'evince',
  'gif',
  'gv',
  'kcachegrind',
  'pdf',
  'png',
  'ps',
  'svg',
  'web',
  'weblist',
];

const SOURCE_KINDS: Readonly<Record<string, FlagKind>> = {
  base: 'string',
  diff_base: 'string',
  symbolize: 'string',
  buildid: 'string',
  timeout: 'int',
  add_comment: 'string',
  seconds: 'int',
  tools: 'string',
  http: 'string',
  no_browser: 'bool',
  all_frames: 'bool',
  tls_cert: 'string',
  tls_key: 'string',
  tls_ca: 'string',
};

/** Every flag and the kind of its value. */
export const FLAGS: Readonly<Record<string, FlagKind>> = {
  ...CONFIG_KINDS,
  ...SOURCE_KINDS,
  ...Object.fromEntries([...SORTS, ...GRANULARITIES].map(name => [name, 'bool' as const])),
  ...Object.fromEntries(SAMPLE_SHORTHANDS.map(([name]) => [name, 'bool' as const])),
  ...Object.fromEntries(REPORTS.map(name => [name, REPORTS_WITH_PARAMETER.has(name) ? 'string' : 'bool'] as const)),
  ...Object.fromEntries(
    UNSUPPORTED_REPORTS.map(name => [name, name === 'disasm' || name === 'weblist' ? 'string' : 'bool'] as const),
  ),
};

type Values = Map<string, string | number | boolean>;

export function parsePprofFlags(argv: readonly string[]): PprofCommand {
  const { values, rest } = parseGoFlags(argv);
  if (rest.length === 0) throw new FlagError('no profile source specified', true);
  const text = (name: string): string => String(values.get(name) ?? '');
  const warnings: string[] = [];
  const config = configFrom(values, warnings);
  const { report, parameter } = reportFrom(values);
  const http = text('http');
  if (report !== undefined && http !== '') {
    throw new FlagError('-http is not compatible with an output format on the command line');
  }
  if (values.get('no_browser') === true && http === '') throw new FlagError('-no_browser only makes sense with -http');

  const base = text('base');
  const diffBase = text('diff_base');
  if (base !== '' && diffBase !== '') throw new FlagError('-base and -diff_base flags cannot both be specified');
  const bases = [base || diffBase].filter(source => source !== '');
  if (config.normalize && bases.length === 0) throw new FlagError('must have base profile to normalize by');
  return {
    report,
    parameter,
    config,
    sources: rest,
    base: bases,
    diffBase: diffBase !== '',
    allFrames: values.get('all_frames') === true,
    symbolize: text('symbolize'),
    seconds: Number(values.get('seconds') ?? -1),
    timeoutSeconds: Number(values.get('timeout') ?? -1),
    buildId: text('buildid'),
    comment: text('add_comment'),
    http,
    tls: { cert: text('tls_cert'), key: text('tls_key'), ca: text('tls_ca') },
    warnings,
  };
}

function configFrom(values: Values, warnings: string[]): PprofConfig {
  const chosen = <T extends string>(names: readonly T[]): T | undefined => {
    const set = names.filter(name => values.get(name) === true);
    if (set.length > 1) throw new FlagError(`conflicting options set: [${[...set].sort().join(' ')}]`);
    return set[0];
  };
  const overrides: Record<string, unknown> = {};
  for (const name of Object.keys(CONFIG_KINDS)) if (values.has(name)) overrides[name] = values.get(name);
  const sort = chosen(SORTS);
  if (sort !== undefined) overrides['sort'] = sort;
  const granularity: Granularity | undefined = chosen(GRANULARITIES);
  if (granularity !== undefined) overrides['granularity'] = granularity;

  let index = String(values.get('sample_index') ?? '');
  for (const [flag, type] of SAMPLE_SHORTHANDS) {
    if (values.get(flag) !== true) continue;
    if (index === '') index = type;
    else warnings.push(`Multiple value selections, ignoring -${flag}`);
  }
  overrides['sample_index'] = index;
  if (values.get('mean_delay') === true) overrides['mean'] = true;
  return { ...DEFAULT_CONFIG, ...overrides };
}

function reportFrom(values: Values): { report: ReportName | undefined; parameter: string | undefined } {
  const isSet = (name: string): boolean =>
    values.get(name) === true || (FLAGS[name] === 'string' && Boolean(values.get(name)));
  const chosen = [...REPORTS, ...UNSUPPORTED_REPORTS].filter(isSet);
  if (chosen.length > 1) throw new FlagError('must set at most one output format');
  const [report] = chosen;
  if (report === undefined) return { report, parameter: undefined };
  if (!isReport(report)) {
    throw new FlagError(`-${report} is not supported: use -dot with Graphviz, -list for source, or -callgrind`);
  }
  return { report, parameter: FLAGS[report] === 'string' ? String(values.get(report)) : undefined };
}

function isReport(name: string): name is ReportName {
  return (REPORTS as readonly string[]).includes(name);
}

function parseGoFlags(argv: readonly string[]): { values: Values; rest: readonly string[] } {
  const values: Values = new Map();
  let at = 0;
  for (; at < argv.length; at++) {
    const word = argv[at];
    if (word.length < 2 || !word.startsWith('-')) break;
    if (word === '--') {
      at++;
      break;
    }
    const body = word.slice(word.startsWith('--') ? 2 : 1);
    if (body === '' || body.startsWith('-') || body.startsWith('='))
      throw new FlagError(`bad flag syntax: ${word}`, true);
    const equals = body.indexOf('=');
    const name = equals < 0 ? body : body.slice(0, equals);
    const kind = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    if (kind === undefined) {
      if (name === 'h' || name === 'help') throw new HelpRequest();
      throw new FlagError(`flag provided but not defined: -${name}`, true, name);
    }
    if (kind === 'bool') {
      values.set(name, equals < 0 ? true : parseBool(name, body.slice(equals + 1)));
      continue;
    }
    if (equals < 0 && at + 1 >= argv.length) throw new FlagError(`flag needs an argument: -${name}`, true);
    const value = equals < 0 ? argv[++at] : body.slice(equals + 1);
    values.set(name, kind === 'string' ? value : parseNumber(name, value, kind));
  }
  return { values, rest: argv.slice(at) };
}

function parseBool(name: string, text: string): boolean {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  throw new FlagError(`invalid boolean value ${JSON.stringify(text)} for -${name}: parse error`, true);
}

function parseNumber(name: string, text: string, kind: 'int' | 'float'): number {
  const pattern =
    kind === 'int'
      ? /^[+-]?(0[xX](_?[0-9a-fA-F])+|0[oO]?(_?[0-7])+|0[bB](_?[01])+|[1-9](_?[0-9])*|0)$/
      : /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?(inf|infinity)$|^nan$/i;
  const fail = (reason: string): never => {
    throw new FlagError(`invalid value ${JSON.stringify(text)} for flag -${name}: ${reason}`, true);
  };
  if (!pattern.test(text)) return fail('parse error');
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.replace(/^[+-]/, '').replaceAll('_', '');
  if (/^inf/i.test(digits)) return sign * Infinity;
  const value = sign * Number(kind === 'int' ? digits.replace(/^0(?=[0-7])/, '0o') : digits);
  const inRange = kind === 'int' ? Math.abs(value) < 2 ** 63 : Math.abs(value) < Infinity || Number.isNaN(value);
  return inRange ? value : fail('value out of range');
}
