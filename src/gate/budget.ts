/** What a program may leave behind, and for which leaks that does not count. */
import type { FamilyCount } from '../profile/families/family.ts';
import { type GatePer, type GateResource, GATE_RULES } from './gate.ts';
import { type Baseline, baselineRate } from './baseline.ts';

export interface Budget {
  readonly rows: readonly BudgetRow[];
  readonly exceptions: readonly Exception[];
  /** What the program is known to leave behind; undefined if nothing is. */
  readonly baseline: Baseline | undefined;
}

/** One of them, or none for everything. */
export interface Scope {
  readonly family: string | undefined;
  readonly package: string | undefined;
  /** `controller=sync` */
  readonly label: string | undefined;
}

export interface BudgetRow extends Scope {
  readonly resource: GateResource;
  readonly per: GatePer;
  readonly max: number;
}

export interface Exception extends Scope {
  /** Everything of a resource. */
  readonly resource: GateResource | undefined;
  readonly reason: string;
  readonly issue: string;
  /** `2027-01-31`, the last day. */
  readonly until: string;
}

export type NamedFamily = Pick<FamilyCount, 'family' | 'labelSets'>;

export const NO_BUDGET: Budget = { rows: [], exceptions: [], baseline: undefined };

/** `package example.com/cache`; null for everything. */
export function scopeText({ family, package: path, label }: Scope): string | null {
  if (family !== undefined) return `family ${family}`;
  if (path !== undefined) return `package ${path}`;
  return label === undefined ? null : `label ${label}`;
}

/** Rows for packages and labels, whose families are judged together as well. */
export function groupRows({ rows }: Budget): BudgetRow[] {
  return rows.filter(row => row.per === 'operation' && (row.package !== undefined || row.label !== undefined));
}

/** Per operation, for all of a resource: what its rows allow together, or what the baseline has. */
export function budgetOf({ rows, baseline }: Budget, resource: GateResource): number {
  const own = rows.filter(row => row.resource === resource && row.per === 'operation');
  const general = own.find(row => scopeText(row) === null)?.max ?? GATE_RULES.budgets[resource];
  const scoped = own.filter(row => scopeText(row) !== null).reduce((sum, { max }) => sum + max, 0);
  const known = baseline?.measures.find(one => one.resource === resource)?.rate ?? 0;
  return Math.max(general + scoped, known);
}

/** Per hour; undefined if no row says anything about it. */
export function hourlyBudgetOf({ rows }: Budget, resource: GateResource): number | undefined {
  return rows.find(row => row.resource === resource && row.per === 'hour' && scopeText(row) === null)?.max;
}

/**
 * Per operation, for one family: the row that says most about it, or the baseline. A row for a whole resource, which
 * `init` writes as wide as the noise is, does not cover a known leak.
 */
export function familyBudget(budget: Budget, resource: GateResource, of: NamedFamily, isKnownLeak = false): number {
  const fitting = budget.rows
    .filter(row => row.resource === resource && row.per === 'operation')
    .map(row => ({ row, rank: rankOf(row, of) }))
    .filter(({ rank }) => rank > (isKnownLeak ? 1 : 0))
    .sort((a, b) => b.rank - a.rank);
  const max = fitting[0]?.row.max ?? GATE_RULES.budgets[resource];
  return Math.max(max, baselineRate(budget.baseline, of.family.id) ?? 0);
}

/** 0 if the row is about something else. */
function rankOf(row: BudgetRow, of: NamedFamily): number {
  if (row.family !== undefined) return row.family === of.family.id ? 4 : 0;
  if (row.label !== undefined) return shareIn(row, of) > 0.5 ? 3 : 0;
  if (row.package !== undefined) return shareIn(row, of) > 0 ? 2 : 0;
  return 1;
}

/** The share of a family that is in the scope; a family has one stack, but its goroutines have many labels. */
export function shareIn(scope: Scope, { family, labelSets }: NamedFamily): number {
  if (scope.family !== undefined) return scope.family === family.id ? 1 : 0;
  if (scope.package !== undefined) return isIn(family.frames, scope.package) ? 1 : 0;
  if (scope.label === undefined) return 0;
  let total = 0;
  let inside = 0;
  for (const { labels, count } of labelSets) {
    total += count;
    if (labels.some(([key, value]) => `${key}=${value}` === scope.label)) inside += count;
  }
  return total === 0 ? 0 : inside / total;
}

function isIn(frames: readonly string[], path: string): boolean {
  return frames.some(frame => frame.startsWith(`${path}.`) || frame.startsWith(`${path}/`));
}

/** The exception that covers a family; `today` is `2026-11-17`. An expired one covers nothing. */
export function exceptionFor({ exceptions }: Budget, of: NamedFamily, today: string): Exception | undefined {
  return exceptions.find(one => one.until >= today && shareIn(one, of) > 0.5);
}

export function exceptionForAll({ exceptions }: Budget, resource: GateResource, today: string): Exception | undefined {
  return exceptions.find(one => one.until >= today && one.resource === resource && scopeText(one) === null);
}

export function expired({ exceptions }: Budget, today: string): Exception[] {
  return exceptions.filter(one => one.until < today);
}

/** `waits for the fix (https://...), until 2027-01-31` */
export function exceptionText({ reason, issue, until }: Exception): string {
  return `${reason}${issue === '' ? '' : ` (${issue})`}, until ${until}`;
}
