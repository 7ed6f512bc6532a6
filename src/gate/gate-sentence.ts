/** The answer of a gate in one sentence: `Each workspace leaves 2 goroutines and 11.4 KiB of heap behind.` */
import { formatBytes, formatCount } from '../base/say.ts';
import type { GateFamily, GateMeasure, GateOutcome } from './gate.ts';

export interface SentenceInput {
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

export function gateSentence(input: SentenceInput): string {
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
