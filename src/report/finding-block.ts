/** One finding as a short block of named lines. */
import { displayWidth } from '../base/text-layout.ts';
import type { Finding } from '../judge/analysis.ts';
import { resourceOf } from '../evidence/resource.ts';
import { named, type Style } from './layout.ts';
import type { Place } from './layout.ts';
import {
  actions,
  agesPhrase,
  amount,
  comparedPhrase,
  growthPhrase,
  heldPhrase,
  isMemory,
  keptPhrases,
  knownOwner,
  matchPhrases,
  otherReasons,
  placePhrases,
  stackText,
  waitPhrase,
  warnings,
  ageHistogram,
} from './phrases.ts';
import { shortened, visible } from '../base/visible-text.ts';
import { formatCertainty } from '../base/say.ts';
import type { Ledger, LedgerEntry } from '../judge/ledger/ledger.ts';

export interface BlockOptions {
  readonly style: Style;
  readonly width: number;
  readonly wide: boolean;
  /** No characters beyond ASCII in drawings. */
  readonly ascii?: boolean;
}

const INDENT = 3;
const NAME_WIDTH = 9;
/** Columns. */
const MIN_TITLE = 16;

export function findingBlock(finding: Finding, number: number, options: BlockOptions): string[] {
  const { style, width, wide, ascii = false } = options;
  const at: Place = { indent: INDENT, nameWidth: NAME_WIDTH, width };
  const { family, growth, ages, cause, owner, matches } = finding;
  const lines: string[] = [];
  const line = (name: string, ...texts: string[]): void => void lines.push(...named(name, texts, at));

  const tag = style.verdict(finding.verdict, finding.verdict.toUpperCase());
  lines.push(`${number}. ${tag}  ${resourceOf(finding.resource)}  ${visible(finding.target)}`);
  lines.push(' '.repeat(INDENT) + titleOf(finding, options));
  if (wide && family.id !== '') line('family', visible(family.id));
  const places = placePhrases(finding);
  if (places.length > 0) line('at', ...places);
  line('now', amount(finding));
  if (growth !== null) line('growth', growthPhrase(growth, isMemory(finding)), ...comparedPhrase(growth));
  const kept = keptPhrases(finding, wide);
  if (kept.length > 0) line('kept', ...kept);
  const wait = waitPhrase(finding);
  if (wait !== undefined) line('waits', wait);
  if (ages !== null) line('ages', agesPhrase(ages), ageHistogram(ages, ascii));
  if (finding.lock !== null) line('lock', ...finding.lock.sentences.map(visible));
  const held = heldPhrase(finding);
  if (held !== '') line('holds', held);
  const name = knownOwner(finding);
  if (name !== undefined) line('owner', visible(name) + (owner.inferred ? ' (inferred)' : ''));
  if (cause !== null) line('cause', `${visible(cause.title)}. ${visible(cause.meaning)}`);
  for (const match of wide ? matches : matches.slice(0, 1)) {
    line(
      'known',
      ...matchPhrases(match, family.frames),
      ...(wide ? match.why.map(why => `because ${visible(why)}`) : []),
    );
  }
  if (!wide && matches.length > 1) lines.push(...named('', [`${matches.length - 1} more in -o wide`], at));
  const why = wide ? whyLines(finding) : [];
  if (why.length > 0) line('why', ...why);
  const acts = actions(finding);
  if (acts.length > 0) line('do', ...acts.map(text => `- ${text}`));
  const avoid = warnings(finding);
  if (avoid.length > 0) line('avoid', ...avoid.map(text => `- ${text}`));
  if (cause !== null) lines.push(...commands(wide ? cause.check : cause.check.slice(0, 1)));
  if (wide) lines.push(...stackLines(finding));
  return lines;
}

/** The evidence, and what it does not answer. */
function whyLines(finding: Finding): string[] {
  const { ledger } = finding;
  const weighed = new Set(ledger.entries.map(({ sentence }) => sentence));
  return [
    ...ledgerLines(ledger),
    ...otherReasons(finding)
      .filter(reason => !weighed.has(reason))
      .map(visible),
  ];
}

/** With the id for --show after it; wide has a line of its own for it. */
function titleOf({ family }: Finding, { style, width, wide }: BlockOptions): string {
  const title = visible(family.title);
  if (wide) return style.strong(title);
  const id = family.id === '' ? '' : ` [${visible(family.id)}]`;
  const room = width - INDENT - displayWidth(id);
  // An id that leaves no room for the title does not come from Oakum.
  if (room < MIN_TITLE) return style.strong(shortened(title, width - INDENT));
  return style.strong(shortened(title, room)) + (id === '' ? '' : ` ${style.faint(id.slice(1))}`);
}

/** Never wrapped, so that they can be copied. */
function commands(texts: readonly string[], name = 'check'): string[] {
  return texts.map((text, i) => `${' '.repeat(INDENT)}${(i === 0 ? name : '').padEnd(NAME_WIDTH)}${visible(text)}`);
}

/** The whole stack with places, creator and labels. */
export function stackLines(finding: Finding): string[] {
  const { family } = finding;
  const pad = ' '.repeat(INDENT);
  const lines = [`${pad}stack`, ...stackText(finding).map(text => `${pad}  ${visible(text)}`)];
  if (family.labels.length > 0) {
    lines.push(`${pad}labels`);
    for (const { labels, count } of family.labels) lines.push(`${pad}  ${labelText(labels)}  ${count}`);
  }
  return lines;
}

export function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${visible(key)}=${visible(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.join(',');
}

/**
 * The evidence behind a verdict, the strongest first.
 *
 *     99.3 % sure
 *     +8.0  proof     goroutines 105 -> 1,011 over 4 snapshots, never fell
 *     -4.0  strong    live heap flat at 41 MiB over 6d
 *       =   (shows the same) goroutines +1,800/h over 34m, steady
 *     veto  more pods explain it
 */
export function ledgerLines({ probability, entries, vetoes }: Ledger): string[] {
  if (entries.length === 0 && vetoes.length === 0) return [];
  return [
    `${formatCertainty(probability)} sure that it leaks`,
    ...entries.map(entryLine),
    ...vetoes.map(({ sentence }) => `veto  ${visible(sentence)}`),
  ];
}

function entryLine({ logOdds, strength, counted, sentence }: LedgerEntry): string {
  if (!counted) return `  =   (shows the same) ${visible(sentence)}`;
  const sign = logOdds < 0 ? '-' : '+';
  return `${sign}${Math.abs(logOdds).toFixed(1)}  ${strength.padEnd(9)} ${visible(sentence)}`;
}
