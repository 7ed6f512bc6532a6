/** The answer of a gate as text: the outcome, each resource with its interval, the families that leak. */
import { table } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import type { GateFamily, GateMeasure, GateResult } from '../gate.ts';
import {
  amountOf,
  budgetText,
  familyGrowth,
  labelsText,
  measureGrowth,
  measureName,
  placeText,
  survivorsText,
  measuresWithoutFamily,
} from './gate-amounts.ts';
import { placeOf } from './gate-sarif.ts';
import { PLAIN, type Style } from '../../report/layout.ts';

const WORDS = { leaks: 'LEAKS', 'within budget': 'WITHIN BUDGET', undecided: 'UNDECIDED' } as const;
const VERDICTS = { leaks: 'leak', 'within budget': 'healthy', undecided: 'unknown' } as const;

export function gateText(result: GateResult, style: Style = PLAIN): string {
  const { outcome, sentence, rounds, warmUpRounds, idleRounds, comparedWith, operation } = result;
  const warmUp = warmUpRounds === 0 ? '' : `, the first ${warmUpRounds} of them warm-up`;
  const idle = idleRounds === 0 ? '' : `; then ${idleRounds} without operations`;
  const base = comparedWith === null ? '' : `; growth is that beyond ${comparedWith}`;
  const isOver = result.expired.length > 0 && outcome !== 'leaks';
  const lines = [
    `${isOver ? style.verdict('leak', 'EXPIRED') : style.verdict(VERDICTS[outcome], WORDS[outcome])}  ${style.strong(visible(sentence))}`,
    visible(`  ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${warmUp}${idle}${base}`),
    '',
    ...measureLines(result.measures, operation),
    ...result.families.flatMap(one => ['', ...familyLines(one, operation)]),
    ...listed('expired', result.expired),
    ...listed('note', result.notes),
    '',
    `EVIDENCE  ${visible(result.evidence)}: oakum analyze ${visible(result.evidence)} --operations ${result.operations}`,
  ];
  return `${lines.join('\n')}\n`;
}

function listed(name: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ['', ...texts.map(text => `${name}: ${visible(text)}`)];
}

function measureLines(measures: readonly GateMeasure[], operation: string): string[] {
  const rows = measures.map(one => {
    const amount = amountOf(one.unit === 'bytes');
    const levels = [one.levels[0], one.levels.at(-1)].map(level => amount(level ?? NaN)).join(' -> ');
    return [visible(measureName(one)), levels, measureGrowth(one), budgetText(one), one.decision];
  });
  return table(['RESOURCE', 'LEVEL', `PER ${visible(operation).toUpperCase()}`, 'BUDGET', 'DECISION'], rows);
}

export function familyLines(one: GateFamily, operation: string): string[] {
  const at = placeText(one);
  const details = [
    `${familyGrowth(one, operation)}; family ${one.family}`,
    one.createdBy === null
      ? null
      : `created by ${one.createdBy}${one.createdAt === null ? '' : ` at ${one.createdAt}`}`,
    survivorsText(one),
    one.owner === null ? null : `owner ${one.owner}`,
    prefixed('labels ', labelsText(one)),
    one.cause === null ? null : `${one.cause}${one.knownLeak === null ? '' : ` (${one.knownLeak})`}`,
    one.meaning,
    ...one.advice.map(text => `fix: ${text}`),
    prefixed('excepted: ', one.exception),
  ];
  return [
    `${one.exception === null ? 'LEAK' : 'EXCEPTED'}  ${visible(one.title)}${at === null ? '' : `  ${visible(at)}`}`,
    ...details.flatMap(text => (text === null ? [] : [`  ${visible(text)}`])),
  ];
}

function prefixed(prefix: string, text: string | null): string | null {
  return text === null ? null : prefix + text;
}

/** Lines that benchstat compares: `BenchmarkOakum/goroutines 500 2 goroutines/op`. */
export function gateBenchstat({ measures, families, operations }: GateResult): string {
  const line = (name: string, value: number | undefined, unit: string): string[] =>
    value === undefined
      ? []
      : [`BenchmarkOakum/${name.replace(/\s+/g, '_')} ${operations} ${Number(value.toPrecision(6))} ${unit}`];
  const unitOf = (things: string, per: string): string =>
    `${things.replace(/\s+/g, '_')}/${per === 'hour' ? 'h' : 'op'}`;
  return [
    ...measures.flatMap(one =>
      line(measureName(one), one.growth?.[1], unitOf(one.unit === 'bytes' ? 'B' : one.resource, one.per)),
    ),
    ...families.flatMap(one =>
      line(one.family, one.growth?.[1], unitOf(one.resource === 'heap' ? 'B' : 'goroutines', one.per)),
    ),
    '',
  ].join('\n');
}

/** GitHub annotations, one line per leak: `::error file=...,line=...,title=...::message`. */
export function gateAnnotations(result: GateResult): string {
  const { families, operation, outcome, sentence, expired } = result;
  return [
    ...families.filter(({ exception }) => exception === null).map(one => familyLine(one, operation)),
    ...measuresWithoutFamily(result).map(one =>
      line(
        'error',
        '',
        `Leak: ${one.resource}`,
        `${measureGrowth(one)}${one.per === 'hour' ? '' : ` per ${operation}`}`,
      ),
    ),
    ...expired.map(text => line('error', '', 'Leak gate: an exception is over', text)),
    ...(outcome === 'undecided' ? [line('warning', '', 'Leak gate: undecided', sentence)] : []),
  ].join('');
}

function familyLine(one: GateFamily, operation: string): string {
  const [place] = [one.source].flatMap(placeOf);
  const where = place === undefined ? '' : `file=${property(place.file)},line=${place.line},`;
  const why = one.cause === null ? '' : ` ${one.cause}${one.knownLeak === null ? '' : ` (${one.knownLeak})`}.`;
  return line('error', where, `Leak: ${one.title}`, `${familyGrowth(one, operation)}.${why}`);
}

function line(level: 'error' | 'warning', where: string, title: string, message: string): string {
  return `::${level} ${where}title=${property(title)}::${data(message)}\n`;
}

function data(text: string): string {
  return visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
