/** A triage for a person at 3 am: first what one scrape shows, then the proven finding. */
import { formatBytes, formatCount } from '../../base/say.ts';
import { analysisDocument, findingSection } from '../../report/analysis-document.ts';
import type { Block, Document, Fact } from '../../report/document.ts';
import { limitArithmetic } from '../../report/phrases.ts';
import type {
  LargestFamily,
  TimeToLimit,
  Triage,
  TriageHistory,
  TriagePast,
  TriageScrape,
  TriageSoFar,
} from './triage.ts';
import {
  countsPhrase,
  evidencePhrase,
  historyPhrase,
  limitPhrase,
  memoryPhrase,
  pastPhrase,
  processPhrase,
  stagePhrase,
} from './triage-phrases.ts';

const DEFAULT_TOP = 3;
const NAME_WIDTH = 9;

/** What one scrape shows, printed while the rest is still being taken. */
export function scrapeDocument(target: string, scrape: TriageScrape): Document {
  const process = processPhrase(scrape);
  const facts = [
    ...(scrape.problem === null ? [] : [fact('metrics', scrape.problem)]),
    ...scrapeFacts(scrape).filter(({ name }) => name !== 'stage' || scrape.cycle.stage !== 'unknown'),
  ];
  return [[{ kind: 'line', words: [{ strong: target }, process === '' ? '' : `  ${process}`] }, factBlock(facts)]];
}

function scrapeFacts(scrape: TriageScrape): Fact[] {
  const facts = [
    fact('counts', countsPhrase(scrape)),
    fact('memory', memoryPhrase(scrape)),
    fact('stage', stagePhrase(scrape)),
  ];
  return facts.filter(({ values }) => values[0] !== '');
}

export function historyDocument(history: TriageHistory): Document {
  const { detected } = history;
  const reason = detected?.resources[0]?.reasons[0] ?? '';
  const verdict = detected === null ? [] : [`${detected.verdict.toUpperCase()} ${reason}`];
  return [[factBlock([fact('history', historyPhrase(history), ...verdict)])]];
}

export function pastDocument(past: TriagePast): Document {
  return [[factBlock([fact('past', pastPhrase(past))])]];
}

/** What is known after a set, printed while the next is being waited for. */
export function soFarDocument({ set, verdict, sentence, largest, decides }: TriageSoFar): Document {
  const facts = [
    fact('verdict', `${verdict.toUpperCase()} ${sentence}`),
    fact('largest', ...largest.map(largestPhrase)),
    fact('decides', ...decides),
  ];
  return [[{ kind: 'line', words: { strong: `AFTER SET ${set}` } }, factBlock(facts)]];
}

/** `3.5 MiB of 20.1 MiB live heap (17%): kubelet.(*podWorkers).startPodSync` */
function largestPhrase({ title, amount, total, unit }: LargestFamily): string {
  const share = `${Math.round((100 * amount) / total)}%`;
  const whole =
    unit === 'bytes'
      ? `${formatBytes(amount)} of ${formatBytes(total)} live heap`
      : `${formatCount(amount)} of ${formatCount(total)} goroutines`;
  return `${whole} (${share}): ${title}`;
}

export interface TriageDetail {
  /** How many findings text shows; 3 by default. */
  readonly top?: number;
  /** No characters beyond ASCII in drawings. */
  readonly ascii?: boolean;
}

/** The result. Text leaves out what was printed before; Markdown, for a ticket or a channel, has everything. */
export function triageDocument(triage: Triage, { top = DEFAULT_TOP, ascii = false }: TriageDetail = {}): Document {
  const { verdict, sentence, reasons, target, analysis } = triage;
  const findings = analysis?.findings ?? [];
  const sections: Block[][] = [[{ kind: 'headline', verdict, sentence, reasons, target }]];
  for (const [i, finding] of findings.slice(0, top).entries())
    sections.push(only('text', findingSection(finding, i + 1, { ascii })));
  if (findings.length > top)
    sections.push([{ kind: 'line', only: 'text', words: `${findings.length - top} more findings: oakum analyze` }]);
  sections.push([{ kind: 'facts', indent: 0, nameWidth: NAME_WIDTH, facts: resultFacts(triage) }]);
  for (const [title, items] of [
    ['Safe now', triage.safe],
    ['Not safe', triage.unsafe],
    ['Not proved', triage.cannotProve.map(({ what, because }) => `${what}: ${because}`)],
  ] as const) {
    if (items.length > 0)
      sections.push([{ kind: 'list', title, text: 'dashes', items: items.map(words => ({ words })) }]);
  }
  const next = triage.next.map(({ command, why }) => ({ words: why, command }));
  if (next.length > 0) sections.push([{ kind: 'list', title: 'Next', text: 'commands', items: next }]);
  if (analysis !== null) {
    const title: Block = { kind: 'title', level: 3, words: 'Analysis' };
    sections.push(only('markdown', [title, ...analysisDocument(analysis, { wide: true }).flat()]));
  }
  return sections;
}

function only(format: 'text' | 'markdown', blocks: readonly Block[]): Block[] {
  return blocks.filter(block => (block.only ?? format) === format).map(block => ({ ...block, only: format }));
}

/** What Markdown adds was printed before the result in text. */
function resultFacts({ scrape, history, past, timeToLimit, evidence }: Triage): Fact[] {
  const before: Fact[] = [];
  if (scrape !== null && scrape.problem !== null) before.push(fact('metrics', scrape.problem));
  else if (scrape !== null) {
    const process = processPhrase(scrape);
    before.push(...(process === '' ? [] : [fact('process', process)]), ...scrapeFacts(scrape));
  }
  if (history !== null) before.push(fact('history', historyPhrase(history)));
  if (past !== null) before.push(fact('past', pastPhrase(past)));
  const facts: Fact[] = before.map(one => ({ ...one, only: 'markdown' }));
  if (timeToLimit !== null)
    facts.push({ ...fact('LIMIT', limitPhrase(timeToLimit)), title: 'limit', notes: limitNotes(timeToLimit) });
  if (evidence !== null)
    facts.push({ ...fact('SAVED', evidencePhrase(evidence)), title: 'saved', notes: evidence.notes });
  return facts;
}

function limitNotes({ basis, unit }: TimeToLimit): string[] {
  return basis === null ? [] : [limitArithmetic(basis, unit)];
}

function fact(name: string, ...values: string[]): Fact {
  return { name, values };
}

function factBlock(facts: readonly Fact[]): Block {
  return { kind: 'facts', indent: 2, nameWidth: NAME_WIDTH, facts };
}
