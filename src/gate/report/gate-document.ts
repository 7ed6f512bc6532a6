/** The answer of a gate, for a terminal, a step summary or a comment. */
import { formatCount } from '../../base/say.ts';
import { visible } from '../../base/visible-text.ts';
import { causeOfResource } from '../../knowledge/cause-of.ts';
import type { Block, Document, Words } from '../../report/document.ts';
import { type GateFamily, type GateMeasure, type GateResult, isLeak, measuresWithoutFamily } from '../gate.ts';
import type { ResourceSlug } from '../../evidence/resource.ts';
import { failsGate } from '../gate-answer.ts';
import {
  amountOf,
  budgetText,
  familyGrowth,
  labelsText,
  measureGrowth,
  measureName,
  placeText,
  survivorsText,
} from './gate-amounts.ts';

const OUTCOMES = {
  leaks: { verdict: 'leak', sign: '❌' },
  'within budget': { verdict: 'healthy', sign: '✅' },
  undecided: { verdict: 'unknown', sign: '❔' },
} as const;

export function gateDocument(result: GateResult): Document {
  const { measures, families, operation, operations, expired, notes, evidence } = result;
  return [
    headBlocks(result),
    [measureTable(measures, operation)],
    ...families.map(one => familyBlocks(one, operation)),
    ...measuresWithoutFamily(result).map(one => measureBlocks(one, operation)),
    expired.map(text => textLine(`expired: ${text}`)),
    notes.map(text => textLine(`note: ${text}`)),
    [...expired, ...notes].map((text): Block => ({ kind: 'line', only: 'markdown', words: { faint: text } })),
    [
      textLine(`EVIDENCE  ${evidence}: oakum analyze ${evidence} --operations ${operations}`),
      { kind: 'line', only: 'markdown', words: ['Evidence: ', { code: evidence }] },
    ],
  ];
}

function textLine(words: Words): Block {
  return { kind: 'line', only: 'text', words };
}

function headBlocks(result: GateResult): Block[] {
  const { outcome, sentence, rounds, warmUpRounds, idleRounds, comparedWith, operations, target } = result;
  const { verdict, sign } = OUTCOMES[outcome];
  const isOver = failsGate(result) && outcome !== 'leaks';
  const tag = isOver ? ({ verdict: 'leak', tag: 'EXPIRED' } as const) : { verdict, tag: outcome.toUpperCase() };
  const warmUp = warmUpRounds === 0 ? '' : `, the first ${warmUpRounds} of them warm-up`;
  const idle = idleRounds === 0 ? '' : `; then ${idleRounds} without operations`;
  const base = comparedWith === null ? '' : `; growth is that beyond ${comparedWith}`;
  const counts = ` ${rounds} rounds, ${formatCount(operations)} operations, `;
  return [
    textLine([tag, '  ', { strong: sentence }]),
    textLine(`  ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${warmUp}${idle}${base}`),
    {
      kind: 'title',
      only: 'markdown',
      level: 3,
      words: isOver ? '❌ Leak gate: an exception is over' : `${sign} Leak gate: ${outcome}`,
    },
    { kind: 'line', only: 'markdown', words: [sentence, { own: counts }, { code: target }, '.'] },
  ];
}

function measureTable(measures: readonly GateMeasure[], operation: string): Block {
  const columns = [
    { name: 'resource' },
    { name: 'level', only: 'text' } as const,
    { name: `per ${operation}` },
    { name: 'budget' },
    { name: 'decision' },
  ];
  const rows = measures.map((one): Words[] => {
    const amount = amountOf(one.unit === 'bytes');
    // What the runtime maps and has not touched yet makes memory outside the heap less than nothing.
    const levels = [one.levels[0], one.levels.at(-1)].map(level => amount(Math.max(0, level ?? NaN))).join(' -> ');
    const decision = one.decision === 'leaks' ? { strong: one.decision } : one.decision;
    return [measureName(one), levels, { own: measureGrowth(one) }, { own: budgetText(one) }, decision];
  });
  return { kind: 'table', columns, rows, spaced: true };
}

const TAGS = { LEAK: 'Leak', EXCEPTED: 'Excepted', GROWS: 'Grows over time', UNDECIDED: 'Undecided' } as const;

/** What a family is called; `LEAK` only of what fails the gate. */
function tagOf(one: GateFamily): keyof typeof TAGS {
  if (one.exception !== null) return 'EXCEPTED';
  if (isLeak(one)) return 'LEAK';
  return one.decision === 'over time' ? 'GROWS' : 'UNDECIDED';
}

const CAUSES: Readonly<Partial<Record<GateMeasure['resource'], ResourceSlug>>> = {
  'memory outside the Go heap': 'native-memory',
  'file descriptors': 'file-descriptors',
  threads: 'threads',
  'metric series': 'metric-series',
};

/** What leaks without a stack that names it. */
function measureBlocks(one: GateMeasure, operation: string): Block[] {
  const slug = CAUSES[one.resource];
  const cause = slug === undefined ? undefined : causeOfResource(slug);
  const growth = `${measureGrowth(one)}${one.per === 'hour' ? '' : ` per ${operation}`}; no stack is known for it`;
  const details = [...(cause === undefined ? [] : [cause.meaning]), ...(cause?.act ?? []).map(text => `fix: ${text}`)];
  return [
    ...[`LEAK  ${measureName(one)}`, `  ${growth}`, ...details.map(text => `  ${text}`)].map(textLine),
    { kind: 'line', only: 'markdown', words: [{ strong: 'Leak' }, ` ${measureName(one)}`, { own: `: ${growth}` }] },
    ...(details.length === 0
      ? []
      : [{ kind: 'list', only: 'markdown', text: 'dashes', items: details.map(words => ({ words })) } as const]),
  ];
}

/** Text has the amounts first, Markdown the cause: a terminal shows the end of a long answer, a comment its beginning. */
function familyBlocks(one: GateFamily, operation: string): Block[] {
  const place = placeText(one);
  const head: Words = [
    { strong: TAGS[tagOf(one)] },
    ' ',
    { code: one.title },
    ...(place === null ? [] : [' at ', { code: place }]),
    { own: `: ${familyGrowth(one, operation)} (family ` },
    { code: one.family },
    ')',
  ];
  const details = familyDetails(one);
  return [
    ...familyLines(one, operation).map(textLine),
    { kind: 'line', only: 'markdown', words: head },
    ...(details.length === 0
      ? []
      : [{ kind: 'list', only: 'markdown', text: 'dashes', items: details.map(words => ({ words })) } as const]),
  ];
}

function familyDetails(one: GateFamily): Words[] {
  const { cause, knownLeak, createdBy, createdAt } = one;
  const labels = labelsText(one);
  const survivors = survivorsText(one);
  const details: (Words | null)[] = [
    cause === null ? null : `${cause}${knownLeak === null ? '' : ` (${knownLeak})`}`,
    one.meaning,
    ...one.advice.map(text => `Fix: ${text}`),
    createdBy === null
      ? null
      : ['Created by ', { code: createdBy }, ...(createdAt === null ? [] : [' at ', { code: createdAt }])],
    one.owner === null ? null : ['Owner: ', { code: one.owner }],
    labels === null ? null : ['Labels: ', { code: labels }],
    survivors === null ? null : { own: survivors },
    prefixed('Excepted: ', one.exception),
  ];
  return details.filter(words => words !== null);
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
    `${tagOf(one)}  ${visible(one.title)}${at === null ? '' : `  ${visible(at)}`}`,
    ...details.flatMap(text => (text === null ? [] : [`  ${visible(text)}`])),
  ];
}

function prefixed(prefix: string, text: string | null): string | null {
  return text === null ? null : prefix + text;
}
