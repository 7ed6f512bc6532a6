/** An analysis as a section of an upstream report, `-o markdown`. */
import type { Analysis, Finding } from '../judge/analysis.ts';
import { resourceOf } from '../evidence/resource.ts';
import { labelText } from './finding-block.ts';
import {
  actions,
  agesPhrase,
  amount,
  comparedPhrase,
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
  ageHistogram,
} from './phrases.ts';
import { visible } from '../base/visible-text.ts';

const MAX_LABEL_ROWS = 20;

export function renderMarkdown(analysis: Analysis): string {
  const { verdict, sentence, reasons, findings, missing, inputs } = analysis;
  const lines = [`**${verdict.toUpperCase()}**: ${prose(sentence)}`, ''];
  if (reasons.length > 0) lines.push(...bullets(reasons), '');
  findings.forEach((finding, i) => lines.push(...findingSection(finding, i + 1)));
  if (missing.length > 0) {
    lines.push('### Not measured', '');
    for (const { what, why, command } of missing) {
      lines.push(`- ${prose(what)}: ${prose(why)}${command === '' ? '' : `: ${code(command)}`}`);
    }
    lines.push('');
  }
  lines.push('### Inputs', '', prose(inputsPhrase(inputs)), '');
  if (inputs.length > 0) {
    lines.push('| path | kind | target | taken | Go | note |', '|---|---|---|---|---|---|');
    for (const input of inputs) {
      const note = input.error ?? input.truncated;
      const cells = [
        codeCell(input.path),
        input.kind,
        codeCell(input.target),
        cell(input.takenAt),
        cell(input.goVersion),
        cell(note),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function findingSection(finding: Finding, number: number): string[] {
  const { family, growth, ages, cause, owner, matches } = finding;
  const lines = [`### ${number}. ${finding.verdict}: ${resourceOf(finding.resource)} of ${code(finding.target)}`, ''];
  const row = (name: string, text: string): void => void lines.push(`- **${name}**: ${text}`);
  row('family', code(family.title) + (family.id === '' ? '' : ` (${code(family.id)})`));
  const places = placePhrases(finding);
  if (places.length > 0) row('at', places.map(code).join('; '));
  row('now', prose(amount(finding)));
  if (growth !== null)
    row('growth', prose([growthPhrase(growth, isMemory(finding)), ...comparedPhrase(growth)].join('; ')));
  const kept = keptPhrases(finding, true);
  if (kept.length > 0) row('kept', prose(kept.join('; ')));
  const wait = waitPhrase(finding);
  if (wait !== undefined) row('waits', prose(wait));
  if (ages !== null) row('ages', `${prose(agesPhrase(ages))}: ${code(ageHistogram(ages))}`);
  if (finding.lock !== null) row('lock', prose(finding.lock.sentences.join('; ')));
  const held = heldPhrase(finding);
  if (held !== '') row('holds', prose(held));
  const name = knownOwner(finding);
  if (name !== undefined) row('owner', code(name) + (owner.inferred ? ' (inferred)' : ''));
  if (cause !== null) row('cause', `${prose(cause.title)}. ${prose(cause.meaning)}`);
  for (const match of matches) {
    row('known leak', prose(matchPhrases(match, family.frames).join('; ')));
    lines.push(...match.why.map(why => `  - ${prose(why)}`));
  }
  lines.push('');
  const reasons = otherReasons(finding);
  if (reasons.length > 0) lines.push('Why:', '', ...bullets(reasons), '');
  const acts = actions(finding);
  if (acts.length > 0) lines.push('What to do:', '', ...bullets(acts), '');
  const avoid = warnings(finding);
  if (avoid.length > 0) lines.push('What not to do:', '', ...bullets(avoid), '');
  lines.push(...fenced(stackText(finding)), '');
  if (family.labels.length > 0) lines.push(...labelTable(finding), '');
  return lines;
}

function labelTable({ family }: Finding): string[] {
  const rows = family.labels
    .slice(0, MAX_LABEL_ROWS)
    .map(({ labels, count }) => `| ${codeCell(labelText(labels))} | ${count} |`);
  const rest = family.labels.length - rows.length;
  return ['| labels | count |', '|---|---:|', ...rows, ...(rest > 0 ? [`| ${rest} more | |`] : [])];
}

function bullets(texts: readonly string[]): string[] {
  return texts.map(text => `- ${prose(text)}`);
}

function cell(text: string | null): string {
  return text === null || text === '' ? '' : prose(text);
}

/**
 * Markdown that tenants cannot change: label values, paths and targets are put into code spans or fences, where nothing
 * is interpreted, and prose that may contain them is escaped.
 */

/** Invisible; keeps GitHub from making @mentions, #references and links out of plain text. */
const JOINER = '\u2060';

export function prose(text: string): string {
  return visible(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/[\\*_[\]~$]/g, '\\$&')
    .replace(/@(?=\w)/g, `@${JOINER}`)
    .replace(/(^|[^\w]|\w\/[\w.-]+)#(?=\d)/g, `$1#${JOINER}`)
    .replace(/`/g, '&#96;')
    .replace(/\|/g, '&#124;')
    .replace(/:\/\//g, `:${JOINER}//`)
    .replace(/\bwww\./gi, match => `${match.slice(0, -1)}${JOINER}.`)
    .replace(/^(\s*)([#+-]|\d+(?=[.)](?:\s|$)))/, (_, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
    );
}

/** Code inside a table, where a pipe would end the cell. */
export function codeCell(text: string): string {
  return code(text).replace(/\|/g, '\\|');
}

export function code(text: string): string {
  const shown = visible(text);
  if (shown === '') return '` `';
  const ticks = '`'.repeat(longestRun(shown) + 1);
  const space = shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${shown}${space}${ticks}`;
}

export function fenced(lines: readonly string[], language = ''): string[] {
  const shown = lines.map(visible);
  const fence = '`'.repeat(Math.max(3, longestRun(shown.join('\n')) + 1));
  return [`${fence}${language}`, ...shown, fence];
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), match => match[0].length));
}
