/** The answer of a gate as data, from what was judged, with and without operations. */
import { formatBytes, formatCount } from '../base/say.ts';
import {
  type GateFamily,
  type GateMeasure,
  type GateOutcome,
  type GateResult,
  betterRate,
  GATE_RESOURCES,
  isLeak,
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
  /** `leaving`: families that become more, while their goroutines do not stay. */
  readonly idle: (IdleAnswer & { readonly leaving: readonly string[] }) | undefined;
  readonly idleRounds: number;
  /** Why the heap was not counted; undefined if it was. */
  readonly heapProblem?: string | undefined;
  readonly memProfileRate: number | undefined;
  /** What the started program was told with GODEBUG; undefined if nothing. */
  readonly askedRate: number | undefined;
}

export function answerOf(input: AnswerInput): GateResult {
  const { judged, idle } = input;
  const measures = idle?.measures ?? judged.measures;
  const families = idle?.families ?? judged.families;
  const outcome = outcomeOf({ measures, families }, input.budget);
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
    growsWhenIdle: [...measures, ...families].some(({ decision, per }) => per === 'hour' && decision !== 'within'),
    operationsNeeded: outcome === 'undecided' && Number.isFinite(needed) ? (needed ?? null) : null,
    memProfileRate: input.memProfileRate ?? null,
    expired: over,
    evidence: input.evidence,
    notes: notesOf(input, measures, families, operations),
  };
}

/**
 * The one decision, which the headline, the blocks, the exit code and every report follow: it leaks if a family does
 * that is not excepted, or a measure does. Growth over time without a budget is told, and decides nothing.
 */
export function outcomeOf(
  { measures, families }: Pick<GateResult, 'measures' | 'families'>,
  budget: Budget,
): GateOutcome {
  // What moved from a leak of the baseline does not count; the total it belongs to is in the baseline as well.
  if (families.some(isLeak) || measures.some(({ decision }) => decision === 'leaks')) return 'leaks';
  const isOpen = families.some(({ decision, exception }) => decision === 'undecided' && exception === null);
  const isEach = measures.every(one => one.decision !== 'undecided' || mayStayOpen(one, budget));
  return measures.length > 0 && isEach && !isOpen ? 'within budget' : 'undecided';
}

/**
 * Resident memory wanders by what the runtime maps and returns, often by more than any budget per operation. It holds up
 * no answer if nothing says that it grows, and nobody gave a budget for it; a note tells.
 */
function mayStayOpen({ resource, growth }: GateMeasure, { rows }: Budget): boolean {
  if (resource !== 'memory outside the Go heap' || rows.some(row => row.resource === resource)) return false;
  return growth !== null && growth[0] <= 0;
}

/** Whether a run fails the gate: it leaks, or an exception is over. */
export function failsGate({ outcome, expired: over }: Pick<GateResult, 'outcome' | 'expired'>): boolean {
  return outcome === 'leaks' || over.length > 0;
}

function notesOf(
  { judged, idle, memProfileRate: rate, askedRate, budget, today, heapProblem }: AnswerInput,
  measures: readonly GateMeasure[],
  families: readonly GateFamily[],
  operations: number,
): string[] {
  const notes = (idle?.falling ?? []).map(
    resource =>
      `${resource} fell again in the idle rounds: what the operations left behind goes away later; a longer --settle waits for it`,
  );
  notes.push(...(idle?.leaving ?? []), ...overTimeNote(measures, families));
  notes.push(...rateNote(measures, families, operations, rate), ...exceptionNote(measures, families, budget, today));
  if (askedRate !== undefined && rate !== undefined && rate > askedRate)
    notes.push(
      `the program was started with GODEBUG=memprofilerate=${askedRate}, but has one sample in ${formatBytes(rate)}: it sets runtime.MemProfileRate itself`,
    );
  if (judged.keeps !== undefined)
    notes.push(
      `${judged.keeps}: memory that no stack explains may be its contents. Let the command free it at its end, or set a budget for heap and objects`,
    );
  const native = measures.find(one => one.resource === 'memory outside the Go heap' && one.scope === null);
  if (native?.decision === 'undecided' && mayStayOpen(native, budget))
    notes.push(
      'memory outside the Go heap wanders too much to be decided; nothing says that it grows. A budget for native-memory makes it count',
    );
  const counted = [...measures.map(one => one.resource), ...budget.exceptions.flatMap(one => one.resource ?? [])];
  const missing = GATE_RESOURCES.filter(resource => !counted.includes(resource));
  if (missing.includes('heap'))
    notes.push(`the heap was not counted: ${heapProblem ?? 'not every round has a heap profile'}`);
  if (missing.includes('memory outside the Go heap'))
    notes.push(
      'memory outside the Go heap was not counted: the target serves no /metrics about it, and its process is not known (--start or --pid)',
    );
  if (missing.includes('file descriptors') || missing.includes('threads'))
    notes.push(
      'file descriptors or threads were not counted: the target serves no /metrics about them, and its process is not known (--start or --pid)',
    );
  return notes;
}

/** Growth that does not follow operations, of a family or of a resource. */
function overTimeNote(measures: readonly GateMeasure[], families: readonly GateFamily[]): string[] {
  const isOver = [...measures, ...families].some(({ decision }) => decision === 'over time');
  if (!isOver) return [];
  return [
    'what grows over time does not fail the gate: a process that fills up, or does work of its own, does so too; a row with per: hour in the budget makes it count, and oakum triage says whether it is a leak',
  ];
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
  const isNamed = families.some(one => one.resource === 'heap' && isLeak(one));
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
  if (outcome === 'within budget' && comparedWith !== undefined)
    return `Nothing grows faster than in ${comparedWith}, beyond the budget: ${total}.`;
  if (outcome === 'within budget') {
    const growing = input.measures.filter(({ decision, per }) => decision === 'over time' && per === 'hour');
    if (growing.length === 0) return `Nothing grows beyond its budget: ${total}.`;
    return `Nothing grows per ${operation} beyond its budget: ${total}. It grows by ${joined(growing.map(amountText))} per hour with or without operations, for which there is no budget.`;
  }
  if (outcome === 'undecided') {
    const more =
      needed !== undefined && Number.isFinite(needed) ? `; about ${formatCount(needed)} more would decide` : '';
    return `Undecided after ${total}${more}.`;
  }
  const leaking = input.measures.filter(({ decision }) => decision === 'leaks');
  const counting = input.families.filter(isLeak);
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
  return `${text} ${text === '1' && things !== 'metric series' ? things.replace(/s$/, '') : things}`;
}

function familyAmount({ resource, growth, title }: GateFamily): string {
  const middle = growth?.[1] ?? NaN;
  return `${resource === 'heap' ? formatBytes(middle) : counted(middle, resource)} in ${title}`;
}
