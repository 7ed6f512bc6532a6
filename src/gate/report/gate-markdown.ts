/** The answer of a gate for a step summary or a comment. */
import { formatCount } from '../../base/say.ts';
import type { GateFamily, GateResult } from '../gate.ts';
import {
  budgetText,
  familyGrowth,
  labelsText,
  measureGrowth,
  measureName,
  placeText,
  survivorsText,
} from './gate-amounts.ts';
import { code, prose } from '../../report/markdown.ts';

const SIGNS = { leaks: '❌', 'within budget': '✅', undecided: '❔' } as const;

export function gateMarkdown(result: GateResult): string {
  const { outcome, sentence, measures, families, rounds, operations, operation, expired, notes, evidence } = result;
  const rows = measures.map(
    one =>
      `| ${prose(measureName(one))} | ${measureGrowth(one)} | ${budgetText(one)} | ${one.decision === 'leaks' ? '**leaks**' : one.decision} |`,
  );
  const isOver = expired.length > 0 && outcome !== 'leaks';
  return [
    isOver ? '### ❌ Leak gate: an exception is over' : `### ${SIGNS[outcome]} Leak gate: ${outcome}`,
    '',
    `${prose(sentence)} ${rounds} rounds, ${formatCount(operations)} operations, ${code(result.target)}.`,
    '',
    `| resource | per ${prose(operation)} | budget | decision |`,
    '| --- | --- | --- | --- |',
    ...rows,
    ...families.flatMap(one => ['', ...familyLines(one, operation)]),
    ...[...expired, ...notes].map(note => `\n_${prose(note)}_`),
    '',
    `Evidence: ${code(evidence)}`,
    '',
  ].join('\n');
}

function familyLines(one: GateFamily, operation: string): string[] {
  const place = placeText(one);
  const { cause, knownLeak } = one;
  const labels = labelsText(one);
  const details = [
    cause === null ? null : `${prose(cause)}${knownLeak === null ? '' : ` (${prose(knownLeak)})`}`,
    one.meaning === null ? null : prose(one.meaning),
    ...one.advice.map(text => `Fix: ${prose(text)}`),
    one.createdBy === null
      ? null
      : `Created by ${code(one.createdBy)}${one.createdAt === null ? '' : ` at ${code(one.createdAt)}`}`,
    one.owner === null ? null : `Owner: ${code(one.owner)}`,
    labels === null ? null : `Labels: ${code(labels)}`,
    survivorsText(one),
    one.exception === null ? null : `Excepted: ${prose(one.exception)}`,
  ].filter(text => text !== null);
  return [
    `**${one.exception === null ? 'Leak' : 'Excepted'}** ${code(one.title)}${place === null ? '' : ` at ${code(place)}`}: ${familyGrowth(one, operation)} (family ${code(one.family)})`,
    '',
    ...details.map(text => `- ${text}`),
  ];
}
