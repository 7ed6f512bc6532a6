/** A document as Markdown. */
import { type Block, type Document, type Fact, type Span, spansOf, type Words } from './document.ts';
import { visible } from '../base/visible-text.ts';

export function printMarkdown(document: Document): string {
  const blocks = document.flat().filter(({ only }) => only !== 'text');
  return `${blocks
    .flatMap(blockParts)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** Lines that belong together; blank lines go between. */
type Part = readonly string[];

function blockParts(block: Block): Part[] {
  switch (block.kind) {
    case 'headline': {
      const { target, verdict, sentence, reasons } = block;
      const head =
        target === undefined
          ? [[`**${verdict.toUpperCase()}**: ${prose(sentence)}`]]
          : [[`## ${code(target)}: ${verdict}`], [prose(sentence)]];
      return reasons.length === 0 ? head : [...head, bullets(reasons)];
    }
    case 'finding':
      return [[`### ${block.number}. ${block.verdict}: ${block.resource} of ${code(block.target)}`]];
    case 'more':
      return [[prose(block.head)]];
    case 'title':
      return [[`${'#'.repeat(block.level)} ${wordsMarkdown(block.words)}`]];
    case 'line':
      return [[wordsMarkdown(block.words)]];
    case 'facts':
      return factParts(block.facts.filter(({ only }) => only !== 'text'));
    case 'list': {
      const items = block.items.map(item => `- ${itemText(item, block.text === 'commands')}`);
      return block.title === undefined ? [items] : [[`### ${block.title}`], items];
    }
    case 'table':
      return [tableLines(block)];
    case 'code':
      return [fenced(block.lines)];
  }
}

/** Items that follow each other are one list. */
function factParts(facts: readonly Fact[]): Part[] {
  const parts: Part[] = [];
  let items: string[] | undefined;
  for (const fact of facts) {
    const { name, title = wordsMarkdown(name), values, because = [], markdown = 'item' } = fact;
    if (values.length === 0) continue;
    if (markdown === 'item' || markdown === 'each') {
      if (items === undefined) parts.push((items = []));
      if (markdown === 'each') items.push(...values.map(words => `- ${title.toLowerCase()}: ${wordsMarkdown(words)}`));
      else items.push(`- **${title}**: ${joined(values)}`, ...because.map(why => `  - ${prose(why)}`));
      continue;
    }
    items = undefined;
    if (markdown === 'paragraph') parts.push([`**${title}**: ${joined(values)}`]);
    else
      parts.push(
        [`${title}:`],
        values.map(words => `- ${wordsMarkdown(words)}`),
      );
  }
  return parts;
}

/** `a; b`; code that follows prose comes after a colon. */
function joined(values: readonly Words[]): string {
  const spans = values.flatMap((words, i): Span[] => {
    const [first, before] = [spansOf(words)[0], values[i - 1]];
    if (before === undefined) return [...spansOf(words)];
    const isCode = typeof first === 'object' && 'code' in first && typeof before === 'string';
    return [isCode ? ': ' : '; ', ...spansOf(words)];
  });
  return wordsMarkdown(spans);
}

function itemText({ words, command }: { words: Words; command?: string }, commandFirst: boolean): string {
  const text = wordsMarkdown(words);
  if (command === undefined) return text;
  return commandFirst ? `${code(command)}: ${text}` : `${text}: ${code(command)}`;
}

function tableLines({ columns, rows, spaced = false }: Extract<Block, { kind: 'table' }>): string[] {
  const isShown = (_: unknown, i: number): boolean => columns[i]?.only !== 'text';
  const shown = columns.filter(isShown);
  const rule = shown.map(({ isNumber }) => (isNumber === true ? '---:' : '---'));
  const lines = rows.map(row => {
    const cells = row.filter(isShown).map(words => wordsMarkdown(words, codeCell));
    return `| ${cells.join(' | ')} |${' |'.repeat(shown.length - cells.length)}`;
  });
  return [
    `| ${shown.map(({ name }) => prose(name)).join(' | ')} |`,
    spaced ? `| ${rule.join(' | ')} |` : `|${rule.join('|')}|`,
    ...lines,
  ];
}

/** Adjacent strings are escaped as one text. */
function wordsMarkdown(words: Words, codeText = code): string {
  let text = '';
  let plain = '';
  for (const span of spansOf(words)) {
    if (typeof span === 'string') {
      plain += span;
      continue;
    }
    text += prose(plain);
    plain = '';
    if ('code' in span) text += codeText(span.code);
    else if ('own' in span) text += span.own;
    else if ('faint' in span) text += `_${prose(span.faint)}_`;
    else text += `**${prose('strong' in span ? span.strong : span.tag)}**`;
  }
  return text + prose(plain);
}

function bullets(texts: readonly string[]): string[] {
  return texts.map(text => `- ${prose(text)}`);
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
