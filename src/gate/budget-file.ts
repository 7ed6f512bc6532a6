/**
 * Reads `oakum.budget.yaml`.
 *
 *     baseline: oakum.baseline.json
 *     budgets:
 *       - { resource: heap, max: 1Ki }                                   # per operation
 *       - { resource: goroutines, per: hour, max: 10 }
 *       - { resource: heap, package: example.com/cache, max: 64Ki }
 *       - { resource: goroutines, label: controller=sync, max: 0.1 }
 *     exceptions:
 *       - { family: g-1a2b3c4d5e, reason: "waits for the fix", issue: https://..., until: 2027-01-31 }
 */
import { oneLine } from '../base/text-layout.ts';
import { shortened, visible } from '../base/visible-text.ts';
import { amountIn, formatCount } from '../base/say.ts';
import { nextInterval } from './baseline.ts';
import {
  GATE_RESOURCES,
  GATE_RULES,
  type GateMeasure,
  type GatePer,
  type GateResource,
  type GateResult,
} from './gate.ts';
import { type BudgetRow, type Exception, NO_BUDGET, type Scope, scopeText } from './budget.ts';

export interface BudgetFile {
  readonly rows: readonly BudgetRow[];
  readonly exceptions: readonly Exception[];
  /** Where the baseline is, relative to the file. */
  readonly baseline: string | undefined;
}

const MAX_PROBLEM = 300;
const KEYS = ['baseline', 'budgets', 'exceptions'];
const PERS: readonly GatePer[] = ['operation', 'hour'];

/** From the file's content, in which every scalar is text. Everything that is wrong is one line; none if nothing is. */
export function readBudget(value: unknown, file: string): { readonly budget: BudgetFile; readonly problems: string[] } {
  const problems: string[] = [];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { budget: NO_BUDGET_FILE, problems: [`${file}: is no budget, which has budgets and exceptions`] };
  const root = recordOf(value);
  for (const key of ['budgets', 'exceptions']) {
    if (root[key] !== undefined && !Array.isArray(root[key])) problems.push(`${file}: ${key}: must be a list`);
  }
  for (const key of Object.keys(root)) {
    if (!KEYS.includes(key)) problems.push(`${file}: ${key}: not known; a budget has ${KEYS.join(', ')}`);
  }
  const rows = listOf(root['budgets']).flatMap((entry, i) => rowOf(entry, `${file}: budgets[${i}]`, problems));
  const exceptions = listOf(root['exceptions']).flatMap((entry, i) =>
    exceptionOf(entry, `${file}: exceptions[${i}]`, problems),
  );
  const { baseline } = root;
  return {
    budget: { rows, exceptions, baseline: typeof baseline === 'string' ? baseline : undefined },
    // Keys and values are quoted, whatever they hold.
    problems: problems.map(problem => shortened(visible(oneLine(problem)), MAX_PROBLEM)),
  };
}

export const NO_BUDGET_FILE: BudgetFile = { ...NO_BUDGET, baseline: undefined };

function rowOf(entry: unknown, at: string, problems: string[]): BudgetRow[] {
  const { resource = '', per = 'operation', max = '', ...rest } = textsOf(entry, at, problems);
  const known = resourceOf(resource);
  if (known === undefined) problems.push(`${at}.resource: must be one of ${GATE_RESOURCES.join(', ')}`);
  const unit = PERS.find(one => one === per);
  if (unit === undefined) problems.push(`${at}.per: must be operation or hour`);
  const amount = amountOf(max);
  if (amount === undefined) problems.push(`${at}.max: must be a number, such as 0.01 or 512 or 1Ki`);
  const scope = scopeOf(rest, at, problems);
  if (known === undefined || unit === undefined || amount === undefined) return [];
  const narrow = scopeText(scope);
  if (narrow !== null && known !== 'goroutines' && known !== 'heap')
    problems.push(`${at}: ${known} are counted as a whole, not by ${narrow.split(' ')[0]}`);
  if (scope.label !== undefined && known === 'heap')
    problems.push(`${at}: heap profiles have no labels; only goroutines have budgets by label`);
  if (narrow !== null && unit === 'hour') problems.push(`${at}: growth per hour is judged as a whole, without a scope`);
  return [{ ...scope, resource: known, per: unit, max: amount }];
}

function exceptionOf(entry: unknown, at: string, problems: string[]): Exception[] {
  const { resource, reason = '', issue = '', until = '', ...rest } = textsOf(entry, at, problems);
  const known = resource === undefined ? undefined : resourceOf(resource);
  if (resource !== undefined && known === undefined)
    problems.push(`${at}.resource: must be one of ${GATE_RESOURCES.join(', ')}`);
  const scope = scopeOf(rest, at, problems);
  if (scopeText(scope) === null && resource === undefined)
    problems.push(`${at}: names no family, package, label or resource`);
  if (reason === '') problems.push(`${at}.reason: is missing`);
  if (!isDay(until)) problems.push(`${at}.until: must be a day such as 2027-01-31`);
  return [{ ...scope, resource: known, reason, issue, until }];
}

function scopeOf(given: Readonly<Record<string, string>>, at: string, problems: string[]): Scope {
  const { family, package: path, label, ...rest } = given;
  for (const key of Object.keys(rest)) problems.push(`${at}.${key}: not known`);
  if ([family, path, label].filter(one => one !== undefined).length > 1)
    problems.push(`${at}: takes one of family, package and label`);
  if (label !== undefined && !/^[^=]+=/.test(label)) problems.push(`${at}.label: must be KEY=VALUE`);
  return { family, package: path, label };
}

/** What is easier to write. */
const SHORT_NAMES: Readonly<Record<string, GateResource>> = {
  fds: 'file descriptors',
  'native-memory': 'memory outside the Go heap',
  'metric-series': 'metric series',
};

function resourceOf(text: string): GateResource | undefined {
  return GATE_RESOURCES.find(one => one === (SHORT_NAMES[text] ?? text));
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

function amountOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)\s*(Ki|Mi|Gi)?B?$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * 1024 ** ['', 'Ki', 'Mi', 'Gi'].indexOf(unit);
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A flat entry; what is no text is wrong. */
function textsOf(entry: unknown, at: string, problems: string[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(recordOf(entry))) {
    if (typeof value === 'string') texts[key] = value;
    else problems.push(`${at}.${key}: must be a text or a number`);
  }
  return texts;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/**
 * `oakum gate init`: a budget from what a program leaves behind now. The budget file as YAML. What leaks now is in
 * the baseline, so that the budget stays what it should be.
 */
export function budgetText(result: GateResult, baselineFile: string | undefined): string {
  const rows = result.measures.filter(one => one.per === 'operation' && one.scope === null).map(rowText);
  return [
    '# What each operation may leave behind: oakum gate --budget oakum.budget.yaml',
    `# Written by oakum gate init from ${formatCount(result.operations)} operations: ${oneLine(result.sentence)}`,
    ...(baselineFile === undefined
      ? []
      : [
          '',
          '# What it leaves behind already. Only what is new or faster fails. Write it again when a leak is fixed.',
          `baseline: ${baselineFile}`,
        ]),
    '',
    'budgets:',
    ...rows,
    '',
    '# exceptions:',
    '#   - { family: g-1a2b3c4d5e, reason: waits for the fix, issue: https://example.com/issues/7, until: 2027-01-31 }',
    '',
  ].join('\n');
}

function rowText(measure: GateMeasure): string {
  const { resource, growth, unit, decision } = measure;
  const amount = amountIn(unit);
  const now = growth === null ? 'not known' : `${amount(growth[1])} (${amount(growth[0])} to ${amount(growth[2])})`;
  const why = decision === 'undecided' && growth !== null ? '; more operations in a round allow less' : '';
  return `  - { resource: ${resource}, max: ${budgetFor(measure)} } # now ${now}${why}`;
}

/** The usual budget, if this run could tell growth from it. Where it could not, the least that a run of this length can. */
function budgetFor({ resource, growth, decision, unit }: GateMeasure): string {
  const usual = GATE_RULES.budgets[resource];
  if (decision !== 'undecided' || growth === null) return String(usual);
  const least = nextInterval(growth);
  if (least <= usual) return String(usual);
  return unit === 'bytes' && least >= 1024 ? `${roundedUp(least / 1024)}Ki` : String(roundedUp(least));
}

/** To two digits. */
function roundedUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / unit) * unit).toPrecision(2));
}
