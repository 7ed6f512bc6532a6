/**
 * An analysis for a person at 3 am: one sentence, the findings, what was not measured with the command for it, and one
 * line about the inputs. `wide` adds ids, stacks, every match with its reasons, and the inputs; Markdown is always wide.
 */
import { formatBytes, formatCertainty, formatCount } from '../base/say.ts';
import { visible } from '../base/visible-text.ts';
import { fileName } from '../evidence/path-parts.ts';
import { resourceOf } from '../evidence/resource.ts';
import { matchConsequences } from '../knowledge/known-leak-match.ts';
import type { Analysis, AnalysisInput, Finding, ShownEvidence } from '../judge/analysis.ts';
import type { EvidenceKind, Ledger, LedgerEntry } from '../judge/ledger/ledger.ts';
import type { Claim } from '../judge/ledger/weights.ts';
import { mayLeak } from '../judge/verdict.ts';
import type { Block, Document, Fact, Words } from './document.ts';
import {
  actions,
  ageHistogram,
  agesPhrase,
  amount,
  comparedPhrase,
  countPhrase,
  growthPhrase,
  heldPhrase,
  inputsPhrase,
  isMemory,
  keptPhrases,
  knownOwner,
  matchPhrases,
  otherReasons,
  placePhrases,
  stackText,
  waitPhrase,
  warnings,
} from './phrases.ts';

export interface AnalysisDetail {
  /** How many findings to show; 5 by default, all in wide. */
  readonly top?: number;
  readonly wide?: boolean;
  /** No characters beyond ASCII in drawings. */
  readonly ascii?: boolean;
}

const DEFAULT_TOP = 5;
const INDENT = 3;
const NAME_WIDTH = 9;
const MAX_TITLES = 10;
const MAX_LABEL_ROWS = 20;
const MAX_FAILED = 3;

export function analysisDocument(analysis: Analysis, detail: AnalysisDetail = {}): Document {
  const { verdict, sentence, reasons, findings, missing, inputs, shown } = analysis;
  const { wide = false, top = wide ? findings.length : DEFAULT_TOP } = detail;
  const gaps = missing.map(({ what, why, command }) => ({
    words: `${what}: ${why}`,
    ...(command === '' ? {} : { command }),
  }));
  return [
    [{ kind: 'headline', verdict, sentence, reasons }],
    ...shown.map(shownSection),
    ...findings.slice(0, top).map((finding, i) => findingSection(finding, i + 1, detail)),
    ...(findings.length > top ? [moreFindings(findings, top)] : []),
    ...(gaps.length > 0 ? [[{ kind: 'list', title: 'Not measured', text: 'plain', items: gaps } as const]] : []),
    ...inputSections(inputs, wide),
  ];
}

/** A paste: what it is, what it shows and does not show, and what would decide. */
function shownSection({ path, line, what, shows, lacks, matches, decides }: ShownEvidence): Block[] {
  const name = path === '-' ? 'what was piped in' : fileName(path);
  const place = line === null ? name : `${name}, line ${line}`;
  const known = matches.map(match => `may be ${match.ref}: ${match.title}; ${matchConsequences(match).join('; ')}`);
  const facts: Fact[] = [
    { name: 'from', values: [{ code: place }] },
    { name: 'shows', values: shows },
    { name: 'known', values: known },
    { name: 'lacks', values: lacks },
    { name: 'next', values: decides === null ? [] : [decides.why] },
    { name: 'run', values: decides === null ? [] : [{ code: decides.command }], isCommand: true },
  ];
  return [
    { kind: 'title', level: 3, words: what },
    { kind: 'facts', indent: INDENT, nameWidth: NAME_WIDTH, facts: facts.filter(({ values }) => values.length > 0) },
  ];
}

/** What --top leaves out, a line each: the cause of a leak may be small. */
function moreFindings(findings: readonly Finding[], top: number): Block[] {
  const hidden = findings.slice(top);
  const items = hidden.slice(0, MAX_TITLES).map(finding => ({
    text: `${finding.verdict.toUpperCase()}  ${amountOf(finding)}  ${finding.family.title}`,
    id: finding.family.id,
  }));
  const head = `${hidden.length} more ${hidden.length === 1 ? 'finding' : 'findings'}: --top ${findings.length}`;
  return [{ kind: 'more', head, items, rest: hidden.length - items.length }];
}

/** `4 goroutines`, `2.7 MiB` */
function amountOf({ bytes, count, resource }: Finding): string {
  return bytes === null ? countPhrase(count, resourceOf(resource)) : formatBytes(bytes);
}

function inputSections(inputs: readonly AnalysisInput[], wide: boolean): Block[][] {
  const phrase = inputsPhrase(inputs);
  const line: Block[] = [
    { kind: 'facts', only: 'text', indent: 0, nameWidth: 8, facts: [{ name: 'INPUTS', values: [phrase] }] },
    { kind: 'title', only: 'markdown', level: 3, words: 'Inputs' },
    { kind: 'line', only: 'markdown', words: phrase },
  ];
  if (wide) return inputs.length === 0 ? [line] : [line, [inputTable(inputs)]];
  const failed = inputs.filter(input => input.error !== null);
  const facts = failed
    .slice(0, MAX_FAILED)
    .map(({ path, error }) => ({ name: '', values: [`not read: ${path}: ${error ?? ''}`] }));
  const more = failed.length - facts.length;
  line.push({ kind: 'facts', indent: INDENT, nameWidth: 0, facts });
  if (more > 0) line.push({ kind: 'line', indent: INDENT, words: `${more} more not read: -o wide` });
  return [line];
}

function inputTable(inputs: readonly AnalysisInput[]): Block {
  const columns = ['path', 'kind', 'target', 'taken', 'Go', 'note'].map(name => ({ name }));
  const rows = inputs.map(({ path, kind, target, takenAt, goVersion, error, truncated }): Words[] => [
    { code: path },
    { own: kind },
    { code: target },
    takenAt ?? '',
    goVersion ?? '',
    error ?? truncated ?? '',
  ]);
  return { kind: 'table', columns, rows };
}

/** One finding as a short block of named lines. */
export function findingSection(finding: Finding, number: number, detail: AnalysisDetail): Block[] {
  const { wide = false } = detail;
  const { verdict, target, family } = finding;
  const resource = resourceOf(finding.resource);
  const facts = [...measuredFacts(finding, detail), ...causeFacts(finding, wide), ...adviceFacts(finding, wide)];
  return [
    { kind: 'finding', number, verdict, resource, target, title: family.title, id: wide ? null : family.id },
    { kind: 'facts', indent: INDENT, nameWidth: NAME_WIDTH, facts: facts.filter(({ values }) => values.length > 0) },
    ...(wide ? stackBlocks(finding) : []),
  ];
}

function measuredFacts(finding: Finding, { wide = false, ascii = false }: AnalysisDetail): Fact[] {
  const { family, growth, ages, lock } = finding;
  const wait = waitPhrase(finding);
  const held = heldPhrase(finding);
  const id = family.id === '' ? [] : [' (', { code: family.id }, ')'];
  return [
    { name: 'family', only: 'markdown', values: [[{ code: family.title }, ...id]] },
    { name: 'family', only: 'text', values: wide && family.id !== '' ? [family.id] : [] },
    { name: 'at', values: placePhrases(finding).map(code => ({ code })) },
    { name: 'now', values: [amount(finding)] },
    { name: 'labels', values: wide ? [] : labelPhrases(finding) },
    {
      name: 'growth',
      values: growth === null ? [] : [growthPhrase(growth, isMemory(finding)), ...comparedPhrase(growth)],
    },
    { name: 'kept', values: keptPhrases(finding, wide) },
    { name: 'waits', values: wait === undefined ? [] : [wait] },
    { name: 'ages', values: ages === null ? [] : [agesPhrase(ages), { code: ageHistogram(ages, ascii) }] },
    { name: 'lock', values: lock?.sentences ?? [] },
    { name: 'holds', values: held === '' ? [] : [held] },
    ...claimFacts(finding, wide),
  ];
}

/** Labels that most of the goroutines share say whose they are: `tenant=acme on all 202`. */
const MAIN_LABEL_SHARE = 0.5;
const MAX_SHOWN_LABELS = 3;

function labelPhrases({ family: { labels }, count: goroutines }: Finding): string[] {
  // Those of an earlier snapshot may be more.
  const labelled = labels.reduce((sum, { count }) => sum + count, 0);
  const all = Math.max(labelled, goroutines);
  const counts = new Map<string, number>();
  for (const { labels: pairs, count } of labels) {
    for (const pair of Object.entries(pairs)) {
      const text = labelText(Object.fromEntries([pair]));
      counts.set(text, (counts.get(text) ?? 0) + count);
    }
  }
  return [...counts]
    .filter(([, count]) => count >= MAIN_LABEL_SHARE * all)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_SHOWN_LABELS)
    .map(([text, count]) => {
      return `${text} on ${count === all ? 'all' : `${formatCount(count)} of`} ${formatCount(all)}`;
    });
}

/** What speaks for the verdict and what against it, the strongest first; `-o wide` has the weights. */
function claimFacts({ ledger, verdict, decides, growth, retention, ages }: Finding, wide: boolean): Fact[] {
  if (wide || !mayLeak(verdict)) return decides === null ? [] : [{ name: 'decides', values: [decides] }];
  // What the lines above have said already.
  const said = new Set<EvidenceKind>();
  if (growth !== null) said.add('profile-growth');
  if (retention !== null) said.add('retention');
  if (ages !== null) said.add('ages');
  const about = (claim: Claim, sign: 1 | -1): string[] =>
    ledger.entries
      .filter(({ claims, logOdds, counted }) => counted && claims.includes(claim) && logOdds * sign > 0.5)
      .filter(({ kind, logOdds }) => logOdds < 0 || !said.has(kind))
      .map(({ sentence }) => visible(sentence));
  const stays = about('stays', 1);
  const endless = [...about('unwanted', 1), ...about('unbounded', 1)].filter(one => !stays.includes(one));
  const but = [
    ...about('stays', -1),
    ...about('unbounded', -1),
    ...ledger.vetoes.map(({ sentence }) => visible(sentence)),
  ];
  const young = ledger.entries.find(({ kind, logOdds }) => kind === 'process-age' && logOdds === 0)?.sentence;
  return [
    { name: 'stays', values: stays.slice(0, 2) },
    { name: 'because', values: verdict === 'leak' ? endless.slice(0, 2) : [] },
    {
      name: 'but',
      values: verdict === 'watch' ? [...but, ...(young === undefined ? [] : [young])].slice(0, 2) : but.slice(0, 1),
    },
    { name: 'decides', values: decides === null ? [] : [decides] },
  ];
}

function causeFacts(finding: Finding, wide: boolean): Fact[] {
  const { family, cause, matches } = finding;
  const owner = knownOwner(finding);
  const inferred = finding.owner.inferred ? [' (inferred)'] : [];
  const known = (wide ? matches : matches.slice(0, 1)).map(match => ({
    name: 'known',
    title: 'known leak',
    values: matchPhrases(match, family.frames),
    because: wide ? match.why : [],
  }));
  return [
    { name: 'owner', values: owner === undefined ? [] : [[{ code: owner }, ...inferred]] },
    { name: 'cause', values: cause === null ? [] : [`${cause.title}. ${cause.meaning}`] },
    ...known,
    { name: '', values: !wide && matches.length > 1 ? [`${matches.length - 1} more in -o wide`] : [] },
  ];
}

function adviceFacts(finding: Finding, wide: boolean): Fact[] {
  const { cause, ledger } = finding;
  const weighed = new Set(ledger.entries.map(({ sentence }) => sentence));
  const reasons = wide ? otherReasons(finding) : [];
  const evidence = wide ? ledgerLines(ledger) : [];
  const list = { listed: true, markdown: 'list' } as const;
  return [
    { name: 'why', only: 'text', values: [...evidence, ...reasons.filter(reason => !weighed.has(reason))] },
    { name: 'Why', only: 'markdown', values: reasons, ...list },
    { name: 'do', title: 'What to do', values: actions(finding), ...list },
    { name: 'avoid', title: 'What not to do', values: warnings(finding), ...list },
    {
      name: 'check',
      only: 'text',
      isCommand: true,
      values: wide ? (cause?.check ?? []) : (cause?.check.slice(0, 1) ?? []),
    },
  ];
}

/** The whole stack with places, creator and labels. */
function stackBlocks(finding: Finding): Block[] {
  const { labels } = finding.family;
  const stack: Block = { kind: 'code', title: 'stack', indent: INDENT, lines: stackText(finding) };
  if (labels.length === 0) return [stack];
  const rows = labels
    .slice(0, MAX_LABEL_ROWS)
    .map(({ labels, count }): Words[] => [{ code: labelText(labels) }, { own: String(count) }]);
  const rest = labels.length - rows.length;
  return [
    stack,
    {
      kind: 'code',
      only: 'text',
      title: 'labels',
      indent: INDENT,
      lines: labels.map(({ labels, count }) => `${labelText(labels)}  ${count}`),
    },
    {
      kind: 'table',
      only: 'markdown',
      columns: [{ name: 'labels' }, { name: 'count', isNumber: true }],
      rows: rest > 0 ? [...rows, [`${rest} more`]] : rows,
    },
  ];
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${visible(key)}=${visible(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.join(',');
}

/** The finding whose family has this id, or the only one whose id begins with it. */
export function findFamily(analysis: Analysis, id: string): Finding | undefined {
  const exact = analysis.findings.find(({ family }) => family.id === id);
  if (exact !== undefined || id === '') return exact;
  const matching = analysis.findings.filter(({ family }) => family.id.startsWith(id));
  return new Set(matching.map(({ family }) => family.id)).size === 1 ? matching[0] : undefined;
}

/** Only the stack of one family, for --show. */
export function familyDocument(analysis: Analysis, id: string): Document {
  const finding = findFamily(analysis, id);
  if (finding !== undefined) {
    const { family } = finding;
    return [[{ kind: 'line', words: `${family.id}  ${family.title}` }, ...stackBlocks(finding)]];
  }
  const ids = [...new Set(analysis.findings.map(({ family }) => family.id))];
  const known = ids.length === 0 ? 'it has no findings' : `it has ${ids.join(', ')}`;
  return [[{ kind: 'line', words: `No family ${id} in this analysis: ${known}.` }]];
}

/**
 * The evidence behind a verdict, the strongest first.
 *
 *     96 % sure that it leaks: 99 % that it stays, 8 % that it has no bound, 96 % that nothing will use it
 *     +7.2  strong    unwanted: they wait for one that receives, and none came in 18m
 *     +4.2  strong    stays: 222 of 222 goroutines are still there 10m later
 *       =   (shows the same) 1,600 an hour arrive steadily
 *     veto  more pods explain it
 */
export function ledgerLines({ probability, claims, entries, vetoes }: Ledger): string[] {
  if (entries.length === 0 && vetoes.length === 0) return [];
  const [stays, unbounded, unwanted] = [claims.stays, claims.unbounded, claims.unwanted].map(formatCertainty);
  return [
    `${formatCertainty(probability)} sure that it leaks: ${stays} that it stays, ${unbounded} that it has no bound, ${unwanted} that nothing will use it`,
    ...entries.map(entryLine),
    ...vetoes.map(({ sentence }) => `veto  ${visible(sentence)}`),
  ];
}

function entryLine({ logOdds, claims, strength, counted, sentence }: LedgerEntry): string {
  if (!counted) return `  =   (shows the same) ${visible(sentence)}`;
  const sign = logOdds < 0 ? '-' : '+';
  return `${sign}${Math.abs(logOdds).toFixed(1)}  ${strength.padEnd(9)} ${claims.join(', ')}: ${visible(sentence)}`;
}
