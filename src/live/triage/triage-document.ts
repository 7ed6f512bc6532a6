/** A triage for a person at 3 am: first what one scrape shows, then the proven finding. */
import { formatBytes, formatCount, amountIn, formatAge, formatHours } from '../../base/say.ts';
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
  MemorySplit,
  TriageEvidence,
} from './triage.ts';
import { visible } from '../../base/visible-text.ts';

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

/** `kubelet v1.36.0, go1.26.7, up 8d3h, 60 pods` */
/* Parts of a triage in words, shared by text and Markdown so that they cannot drift. All of it is safe to print. */

function processPhrase({ component, version, goVersion, upSeconds, pods }: TriageScrape): string {
  const name = [component, version].filter(part => part !== null).join(' ');
  const parts = [name === '' ? null : name, goVersion];
  if (upSeconds !== null) parts.push(`up ${formatAge(upSeconds)}`);
  if (pods !== null) parts.push(`${formatCount(pods)} ${pods === 1 ? 'pod' : 'pods'}`);
  return visible(parts.filter(part => part !== null).join(', '));
}

/** `301 goroutines, 14 threads, 22 of 20,000 files open` */
function countsPhrase({ goroutines, threads, openFiles, maxFiles }: TriageScrape): string {
  const parts: string[] = [];
  if (goroutines !== null) parts.push(`${formatCount(goroutines)} goroutines`);
  if (threads !== null) parts.push(`${formatCount(threads)} threads`);
  if (openFiles !== null)
    parts.push(`${formatCount(openFiles)}${maxFiles === null ? '' : ` of ${formatCount(maxFiles)}`} files open`);
  return parts.join(', ');
}

/** `157 MiB resident; the Go runtime holds 40 MiB live heap, 21.4 MiB new or garbage, ...` */
function memoryPhrase({ residentBytes, memory, memoryLimit }: TriageScrape): string {
  const parts: string[] = [];
  if (residentBytes !== null) parts.push(`${formatBytes(residentBytes)} resident`);
  if (memoryLimit !== null) parts.push(`limit ${formatBytes(memoryLimit.bytes)} (${memoryLimit.from})`);
  if (memory !== null) parts.push(`the Go runtime holds ${splitPhrase(memory)}`);
  return parts.join('; ');
}

function splitPhrase(split: MemorySplit): string {
  const parts: readonly (readonly [number | null, string])[] = [
    [split.liveBytes, 'live heap'],
    [split.newBytes, split.liveBytes === null ? 'heap objects' : 'new or garbage'],
    [split.unusedBytes, 'unused'],
    [split.stackBytes, 'stacks'],
    [split.profilerBucketBytes, 'profiler buckets'],
    [split.unreturnedBytes, 'unreturned'],
    [split.otherBytes, 'other'],
  ];
  return parts.flatMap(([bytes, name]) => (bytes === null ? [] : [`${formatBytes(bytes)} ${name}`])).join(', ');
}

function stagePhrase({ cycle }: TriageScrape): string {
  // A process far from its limit may still leak, and the word would be read as the verdict.
  return visible(cycle.stage === 'healthy' ? cycle.sentence : `${cycle.stage}: ${cycle.sentence}`);
}

function historyPhrase({ address, selector, peerCount, detected, problem }: TriageHistory): string {
  if (problem !== null) return visible(`${address}: ${problem}`);
  const peers = peerCount === 0 ? '' : `, beside ${formatCount(peerCount)} others of its job`;
  const samples = detected === null ? '' : `${formatCount(detected.sampleCount)} samples since ${detected.from}`;
  return visible(`${address} {${selector}}: ${samples}${peers}`);
}

/** `http://pyroscope:4040 {pod="kcp-0"}: 16 profiles from 2026-11-15T13:57:00Z to 2026-11-15T19:57:00Z` */
function pastPhrase({ address, selector, profileCount, from, to, problem }: TriagePast): string {
  const process = selector === '' ? '' : ` {${selector}}`;
  const profiles = `${formatCount(profileCount)} ${profileCount === 1 ? 'profile' : 'profiles'}`;
  const told = [profileCount === 0 ? null : `${profiles} from ${from} to ${to}`, problem];
  const text = told.filter(part => part !== null).join('; ');
  // A problem with the server itself names it.
  return visible(text.startsWith(address) ? text : `${address}${process}: ${text}`);
}

/** `12h to 2d until 512 MiB of live heap` */
function limitPhrase({ hours, resource, limit, unit, from }: TimeToLimit): string {
  const amount = limit === null ? 'the limit' : amountIn(unit)(limit);
  const basis = from === 'capture' ? ', from the minutes of the capture alone' : '';
  return `${formatHours(hours)} until ${amount} (${resource})${basis}`;
}

/** `./oakum-worker-17: 13 files, 3.1 MiB, 2 sets` */
function evidencePhrase({ folder, fileCount, bytes, setCount, isWhole }: TriageEvidence): string {
  const files = `${formatCount(fileCount)} ${fileCount === 1 ? 'file' : 'files'}`;
  const sets = `${setCount} ${setCount === 1 ? 'set' : 'sets'}`;
  return visible(`${folder}: ${files}, ${formatBytes(bytes)}, ${sets}${isWhole ? '' : ', incomplete'}`);
}
