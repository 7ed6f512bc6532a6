/** The answer of a gate as data, from what was judged, with and without operations. */
import { formatBytes, formatCount } from '../base/say.ts';
import {
  type GateFamily,
  type GateMeasure,
  type GateOutcome,
  type GateResult,
  betterRate,
  operationsForSamples,
} from './gate.ts';
import { type Budget, expired, scopeText } from './budget.ts';
import type { IdleAnswer } from './idle-growth.ts';
import type { JudgedRounds } from './judge-rounds.ts';

export interface AnswerInput {
  readonly target: string;
  readonly comparedWith: string | undefined;
  readonly operation: string;
  readonly budget: Budget;
  readonly today: string;
  readonly evidence: string;
  /** In each round. */
  readonly operations: readonly number[];
  readonly judged: JudgedRounds;
  readonly idle: IdleAnswer | undefined;
  readonly idleRounds: number;
  readonly memProfileRate: number | undefined;
  /** What the started program was told with GODEBUG; undefined if nothing. */
  readonly askedRate: number | undefined;
}

export function answerOf(input: AnswerInput): GateResult {
  const { judged, idle } = input;
  const measures = idle?.measures ?? judged.measures;
  const families = idle?.families ?? judged.families;
  const outcome = outcomeOf({ measures, families: idle?.falling.length ? [] : families });
  const operations = input.operations.reduce((sum, one) => sum + one, 0);
  const needed = judged.operationsNeeded;
  const over = expired(input.budget, input.today).map(
    one => `the exception for ${scopeText(one) ?? one.resource} ended on ${one.until}: ${one.reason}`,
  );
  return {
    schema: 'oakum.gate/v1',
    target: input.target,
    comparedWith: input.comparedWith ?? null,
    outcome,
    sentence: `${over.length > 0 && outcome !== 'leaks' ? 'An exception of the budget is over, so the gate fails. ' : ''}${gateSentence(
      {
        outcome,
        measures,
        families,
        operations,
        operationsNeeded: needed,
        operation: input.operation,
        comparedWith: input.comparedWith,
      },
    )}`,
    operation: input.operation,
    rounds: input.operations.length,
    warmUpRounds: judged.warmUpRounds,
    idleRounds: input.idleRounds,
    operations,
    measures,
    families,
    growsWhenIdle: idle?.growsWhenIdle ?? false,
    operationsNeeded: outcome === 'undecided' && Number.isFinite(needed) ? (needed ?? null) : null,
    memProfileRate: input.memProfileRate ?? null,
    expired: over,
    evidence: input.evidence,
    notes: notesOf(input, measures, families, operations),
  };
}

export function outcomeOf({
  measures,
  families,
}: {
  readonly measures: readonly GateMeasure[];
  readonly families: readonly GateFamily[];
}): GateOutcome {
  if (families.some(({ exception, per }) => exception === null && per === 'operation')) return 'leaks';
  // What moved from a leak of the baseline does not count; the total it belongs to is in the baseline as well.
  if (measures.some(({ decision }) => decision === 'leaks')) return 'leaks';
  return measures.length > 0 && measures.every(({ decision }) => decision === 'within') ? 'within budget' : 'undecided';
}

function notesOf(
  { idle, memProfileRate: rate, askedRate, budget, today }: AnswerInput,
  measures: readonly GateMeasure[],
  families: readonly GateFamily[],
  operations: number,
): string[] {
  const notes = (idle?.falling ?? []).map(
    resource =>
      `${resource} fell again in the idle rounds: what the operations left behind goes away later; a longer --settle waits for it`,
  );
  notes.push(...rateNote(measures, families, operations, rate), ...exceptionNote(measures, families, budget, today));
  if (askedRate !== undefined && rate !== undefined && rate > askedRate)
    notes.push(
      `the program was started with GODEBUG=memprofilerate=${askedRate}, but has one sample in ${formatBytes(rate)}: it sets runtime.MemProfileRate itself`,
    );
  const missing = (['heap', 'file descriptors', 'threads'] as const).filter(
    resource => !measures.some(one => one.resource === resource),
  );
  if (missing.includes('heap')) notes.push('the heap was not counted: the target serves no heap profile');
  if (missing.includes('file descriptors') || missing.includes('threads'))
    notes.push(
      'file descriptors or threads were not counted: the target serves no /metrics about them, and its process is not known (--start or --pid)',
    );
  return notes;
}

/** Excepted goroutines hold heap, which an exception for goroutines alone does not cover. */
function exceptionNote(
  measures: readonly GateMeasure[],
  families: readonly GateFamily[],
  { exceptions }: Budget,
  today: string,
): string[] {
  const isHeap = (resource: string): boolean => resource === 'heap' || resource === 'objects';
  const leaks = measures.some(one => one.decision === 'leaks' && one.scope === null && isHeap(one.resource));
  const isNamed = families.some(one => one.resource === 'heap' && one.exception === null);
  const holds = exceptions.some(
    one => one.until >= today && (one.label !== undefined || one.family?.startsWith('g-') === true),
  );
  if (!leaks || isNamed || !holds) return [];
  return [
    'excepted goroutines may hold this heap, beyond the 1 KiB and 8 objects that each is allowed; an exception for their package or for the resource covers it',
  ];
}

/** Which sampling rate would name the code of a heap leak that no family stands for yet. */
function rateNote(
  measures: readonly GateMeasure[],
  families: readonly GateFamily[],
  operations: number,
  rate: number | undefined,
): string[] {
  const isWhole = (one: GateMeasure): boolean => one.per === 'operation' && one.scope === null;
  const leaks = measures.some(
    one => isWhole(one) && one.decision === 'leaks' && (one.resource === 'heap' || one.resource === 'objects'),
  );
  const perOperation = measures.find(one => isWhole(one) && one.resource === 'heap')?.growth?.[1] ?? 0;
  // Objects of a goroutine leak are those of its goroutines.
  if (!leaks || families.length > 0 || rate === undefined || perOperation <= 0) return [];
  const better = betterRate(rate, perOperation * operations);
  if (better === undefined) return [];
  return [
    `which code keeps the heap is not known yet: with one sample in ${formatBytes(rate)} it takes about ${formatCount(operationsForSamples(rate, perOperation))} operations; GODEBUG=memprofilerate=${better} in the target names it sooner`,
  ];
}

interface SentenceInput {
  readonly outcome: GateOutcome;
  readonly measures: readonly GateMeasure[];
  readonly families: readonly GateFamily[];
  readonly operations: number;
  readonly operationsNeeded: number | undefined;
  /** `workspace` */
  readonly operation: string;
  readonly comparedWith: string | undefined;
}

const MAX_AMOUNTS = 3;

/** In one sentence: `Each workspace leaves 2 goroutines and 11.4 KiB of heap behind.` */
function gateSentence(input: SentenceInput): string {
  const { outcome, operation, operationsNeeded: needed, comparedWith } = input;
  const total = `${formatCount(input.operations)} ${plural(operation, input.operations)}`;
  if (outcome === 'within budget')
    return comparedWith === undefined
      ? `Nothing grows beyond its budget: ${total}.`
      : `Nothing grows faster than in ${comparedWith}, beyond the budget: ${total}.`;
  if (outcome === 'undecided') {
    const more =
      needed !== undefined && Number.isFinite(needed) ? `; about ${formatCount(needed)} more would decide` : '';
    return `Undecided after ${total}${more}.`;
  }
  const leaking = input.measures.filter(({ decision }) => decision === 'leaks');
  const counting = input.families.filter(({ exception }) => exception === null);
  const kept = leaking.filter(({ per }) => per === 'operation').map(amountText);
  const growing = leaking.filter(({ per }) => per === 'hour').map(amountText);
  const amounts = kept.length + growing.length > 0 ? kept : counting.map(familyAmount);
  return [
    ...(amounts.length === 0
      ? []
      : [
          `Each ${operation} leaves ${joined(amounts)} ${comparedWith === undefined ? 'behind' : `more behind than with ${comparedWith}`}.`,
        ]),
    ...(growing.length === 0 ? [] : [`It grows by ${joined(growing)} per hour with or without operations.`]),
  ].join(' ');
}

export function plural(noun: string, count: number): string {
  return count === 1 ? noun : noun.endsWith('s') ? noun : `${noun}s`;
}

function joined(amounts: readonly string[]): string {
  const shown = amounts.slice(0, MAX_AMOUNTS);
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

function amountText({ resource, unit, growth, scope }: GateMeasure): string {
  const middle = growth?.[1] ?? NaN;
  const amount = unit === 'bytes' ? `${formatBytes(middle)} of ${resource}` : counted(middle, resource);
  return scope === null ? amount : `${amount} (${scope})`;
}

/** `1 goroutine`, `0.02 goroutines` */
function counted(count: number, things: string): string {
  const text = formatCount(count);
  return `${text} ${text === '1' ? things.replace(/s$/, '') : things}`;
}

function familyAmount({ resource, growth, title }: GateFamily): string {
  const middle = growth?.[1] ?? NaN;
  return `${resource === 'heap' ? formatBytes(middle) : counted(middle, resource)} in ${title}`;
}
