/** A triage for a person at 3 am: first what one scrape shows, then the proven finding. */
import { formatBytes, formatCount } from '../../base/say.ts';
import { wrap } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import type {
  LargestFamily,
  TimeToLimit,
  Triage,
  TriageHistory,
  TriagePast,
  TriageScrape,
  TriageSoFar,
} from './triage.ts';
import { findingBlock } from '../../report/finding-block.ts';
import { MIN_WIDTH, named, PLAIN, type Style } from '../../report/layout.ts';
import { DEFAULT_WIDTH } from '../../report/text.ts';
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
import { limitArithmetic } from '../../report/phrases.ts';
import { renderMarkdown, code, prose } from '../../report/markdown.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { Answer } from '../reply.ts';

export interface TriageTextOptions {
  readonly style?: Style;
  readonly width?: number;
  /** How many findings to show; 3 by default. */
  readonly top?: number;
  /** No characters beyond ASCII in drawings. */
  readonly ascii?: boolean;
}

const DEFAULT_TOP = 3;
const NAME_WIDTH = 9;

/** What one scrape shows, printed while the rest is still being taken. */
export function renderScrape(target: string, scrape: TriageScrape, options: TriageTextOptions = {}): string {
  const { style, width } = settings(options);
  const at = { indent: 2, nameWidth: NAME_WIDTH, width };
  const who = [style.strong(visible(target)), processPhrase(scrape)].filter(part => part !== '').join('  ');
  const lines = [who];
  if (scrape.problem !== null) lines.push(...named('metrics', [visible(scrape.problem)], at));
  for (const [name, text] of [
    ['counts', countsPhrase(scrape)],
    ['memory', memoryPhrase(scrape)],
    ['stage', scrape.cycle.stage === 'unknown' ? '' : stagePhrase(scrape)],
  ] as const) {
    if (text !== '') lines.push(...named(name, [text], at));
  }
  return `${lines.join('\n')}\n`;
}

export function renderHistory(history: TriageHistory, options: TriageTextOptions = {}): string {
  const { width } = settings(options);
  const worst = history.detected?.resources[0];
  const reason = worst?.reasons[0];
  const verdict =
    history.detected === null ? [] : [`${history.detected.verdict.toUpperCase()} ${visible(reason ?? '')}`];
  const texts = [historyPhrase(history), ...verdict];
  return `${named('history', texts, { indent: 2, nameWidth: NAME_WIDTH, width }).join('\n')}\n`;
}

export function renderPast(past: TriagePast, options: TriageTextOptions = {}): string {
  const { width } = settings(options);
  return `${named('past', [pastPhrase(past)], { indent: 2, nameWidth: NAME_WIDTH, width }).join('\n')}\n`;
}

/** What is known after a set, printed while the next is being waited for. */
export function renderSoFar(answer: TriageSoFar, options: TriageTextOptions = {}): string {
  const { style, width } = settings(options);
  const at = { indent: 2, nameWidth: NAME_WIDTH, width };
  const lines = [
    `${style.strong(`AFTER SET ${answer.set}`)}`,
    ...named('verdict', [`${answer.verdict.toUpperCase()} ${visible(answer.sentence)}`], at),
  ];
  if (answer.largest.length > 0) lines.push(...named('largest', answer.largest.map(largestPhrase), at));
  if (answer.decides.length > 0) lines.push(...named('decides', answer.decides.map(visible), at));
  return `\n${lines.join('\n')}\n`;
}

/** `3.5 MiB of 20.1 MiB live heap (17%): kubelet.(*podWorkers).startPodSync` */
function largestPhrase({ title, amount, total, unit }: LargestFamily): string {
  const share = `${Math.round((100 * amount) / total)}%`;
  const whole =
    unit === 'bytes'
      ? `${formatBytes(amount)} of ${formatBytes(total)} live heap`
      : `${formatCount(amount)} of ${formatCount(total)} goroutines`;
  return `${whole} (${share}): ${visible(title)}`;
}

/** The result; the scrape was printed before. */
export function renderTriage(triage: Triage, options: TriageTextOptions = {}): string {
  const { style, width, top } = settings(options);
  const { ascii = false } = options;
  const sections = [summary(triage, style, width)];
  const findings = triage.analysis?.findings ?? [];
  findings
    .slice(0, top)
    .forEach((finding, i) => sections.push(findingBlock(finding, i + 1, { style, width, wide: false, ascii })));
  if (findings.length > top) sections.push([`${findings.length - top} more findings: oakum analyze`]);
  const facts = factLines(triage, width);
  if (facts.length > 0) sections.push(facts);
  const list = (title: string, texts: readonly string[]): void => {
    if (texts.length === 0) return;
    const at = { indent: 2, nameWidth: 0, width };
    sections.push([style.strong(title), ...texts.flatMap(text => named('', [`- ${visible(text)}`], at))]);
  };
  list('SAFE NOW', triage.safe);
  list('NOT SAFE', triage.unsafe);
  list(
    'NOT PROVED',
    triage.cannotProve.map(({ what, because }) => `${what}: ${because}`),
  );
  const next = triage.next.map(({ command, why }) => ({ command: visible(command), why: visible(why) }));
  const longest = Math.max(0, ...next.map(({ command }) => command.length));
  if (next.length > 0) {
    const lines = next.map(({ command, why }) => `  ${command.padEnd(longest)}  ${style.faint(why)}`);
    sections.push([style.strong('NEXT'), ...lines]);
  }
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

function settings({ style = PLAIN, width = DEFAULT_WIDTH, top = DEFAULT_TOP }: TriageTextOptions): {
  style: Style;
  width: number;
  top: number;
} {
  return { style, width: Math.max(MIN_WIDTH, width), top };
}

function summary({ verdict, sentence, reasons }: Triage, style: Style, width: number): string[] {
  const tag = verdict.toUpperCase();
  const indent = ' '.repeat(tag.length + 2);
  const [first = '', ...rest] = wrap(visible(sentence), width - indent.length);
  const at = { indent: 0, nameWidth: indent.length, width };
  return [
    `${style.verdict(verdict, tag)}  ${style.strong(first)}`,
    ...rest.map(line => indent + style.strong(line)),
    ...reasons.flatMap(reason => named('', [`- ${visible(reason)}`], at)),
  ];
}

function limitLines(time: TimeToLimit): string[] {
  const { basis, unit } = time;
  return [limitPhrase(time), ...(basis === null ? [] : [`- ${visible(limitArithmetic(basis, unit))}`])];
}

function factLines({ timeToLimit, evidence }: Triage, width: number): string[] {
  const at = { indent: 0, nameWidth: NAME_WIDTH, width };
  const lines: string[] = [];
  if (timeToLimit !== null) lines.push(...named('LIMIT', limitLines(timeToLimit), at));
  if (evidence !== null)
    lines.push(...named('SAVED', [evidencePhrase(evidence), ...evidence.notes.map(note => `- ${visible(note)}`)], at));
  return lines;
}

/** A triage for a ticket or a channel, `-o markdown`. */
export function renderTriageMarkdown(triage: Triage): string {
  const { verdict, sentence, reasons, analysis } = triage;
  const lines = [`## ${code(triage.target)}: ${verdict}`, '', prose(sentence), ''];
  lines.push(...bullets(reasons.map(prose)), ...bullets(factsOf(triage)));
  const section = (title: string, texts: readonly string[]): void => {
    if (texts.length > 0) lines.push(`### ${title}`, '', ...bullets(texts));
  };
  section('Safe now', triage.safe.map(prose));
  section('Not safe', triage.unsafe.map(prose));
  section(
    'Not proved',
    triage.cannotProve.map(({ what, because }) => prose(`${what}: ${because}`)),
  );
  section(
    'Next',
    triage.next.map(({ command, why }) => `${code(command)}: ${prose(why)}`),
  );
  if (analysis !== null) lines.push('### Analysis', '', renderMarkdown(analysis).trimEnd(), '');
  return `${lines.join('\n').trimEnd()}\n`;
}

function bullets(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [...texts.map(text => `- ${text}`), ''];
}

function factsOf({ scrape, history, past, timeToLimit, evidence }: Triage): string[] {
  const facts = scrape === null ? [] : scrapeFacts(scrape);
  if (history !== null) facts.push(`**history**: ${prose(historyPhrase(history))}`);
  if (past !== null) facts.push(`**past**: ${prose(pastPhrase(past))}`);
  if (timeToLimit !== null) facts.push(`**limit**: ${prose(limitPhrase(timeToLimit))}`);
  if (evidence !== null) facts.push(`**saved**: ${prose(evidencePhrase(evidence))}`);
  return facts;
}

function scrapeFacts(scrape: TriageScrape): string[] {
  if (scrape.problem !== null) return [`**metrics**: ${prose(scrape.problem)}`];
  const facts: readonly (readonly [string, string])[] = [
    ['process', processPhrase(scrape)],
    ['counts', countsPhrase(scrape)],
    ['memory', memoryPhrase(scrape)],
    ['stage', stagePhrase(scrape)],
  ];
  return facts.flatMap(([name, text]) => (text === '' ? [] : [`**${name}**: ${prose(text)}`]));
}

/** Data from elsewhere as a pile of files. */
export async function* pileOf(items: readonly PileItem[]): AsyncGenerator<PileItem> {
  yield* items;
}

/** The body of an answer, as a file of that name. */
export function memberOf(path: string, { body }: Answer): PileItem {
  return { kind: 'member', path, bytes: body, mtimeSeconds: undefined, damage: undefined };
}
