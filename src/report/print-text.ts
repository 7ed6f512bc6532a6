/** A document as text for a terminal. */
import { displayWidth, table, wrap } from '../base/text-layout.ts';
import { shortened, visible } from '../base/visible-text.ts';
import { type Block, type Document, type Fact, spansOf, type Words } from './document.ts';
import { MIN_WIDTH, named, PLAIN, type Style } from './layout.ts';

export interface PrintOptions {
  readonly style?: Style;
  /** Columns; 100 by default. Commands and symbol names may be longer. */
  readonly width?: number;
}

export const DEFAULT_WIDTH = 100;
/** Columns. */
const MIN_TITLE = 16;
const INDENT = 3;

export function printText(document: Document, options: PrintOptions = {}): string {
  const paper = { style: options.style ?? PLAIN, width: Math.max(MIN_WIDTH, options.width ?? DEFAULT_WIDTH) };
  const sections = document
    .map(blocks => blocks.filter(({ only }) => only !== 'markdown').flatMap(block => blockLines(block, paper)))
    .filter(lines => lines.length > 0);
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

interface Paper {
  readonly style: Style;
  readonly width: number;
}

function blockLines(block: Block, paper: Paper): string[] {
  const { style, width } = paper;
  switch (block.kind) {
    case 'headline':
      return headline(block, paper);
    case 'finding':
      return findingLines(block, paper);
    case 'more':
      return moreLines(block, width);
    case 'title':
      return [style.strong(wordsText(block.words, PLAIN))];
    case 'line':
      return [' '.repeat(block.indent ?? 0) + wordsText(block.words, style)];
    case 'facts':
      return block.facts
        .filter(({ only }) => only !== 'markdown')
        .flatMap(fact => factLines(fact, { ...block, width }, style));
    case 'list':
      return listLines(block, paper);
    case 'table':
      return tableLines(block, style);
    case 'code': {
      const pad = ' '.repeat(block.indent);
      return [`${pad}${block.title}`, ...block.lines.map(line => `${pad}  ${visible(line)}`)];
    }
  }
}

type Of<Kind extends Block['kind']> = Extract<Block, { kind: Kind }>;

function headline({ verdict, sentence, reasons }: Of<'headline'>, { style, width }: Paper): string[] {
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

function findingLines(block: Of<'finding'>, { style, width }: Paper): string[] {
  const { number, verdict, resource, target } = block;
  const head = `${number}. ${style.verdict(verdict, verdict.toUpperCase())}  ${resource}  ${visible(target)}`;
  const title = visible(block.title);
  const pad = ' '.repeat(INDENT);
  if (block.id === null) return [head, pad + style.strong(title)];
  const id = `[${visible(block.id)}]`;
  const room = width - INDENT - displayWidth(` ${id}`);
  // An id that leaves no room for the title does not come from Oakum.
  if (block.id === '' || room < MIN_TITLE) return [head, pad + style.strong(shortened(title, width - INDENT))];
  return [head, `${pad}${style.strong(shortened(title, room))} ${style.faint(id)}`];
}

function moreLines({ head, items, rest }: Of<'more'>, width: number): string[] {
  const pad = ' '.repeat(INDENT);
  const room = width - INDENT - displayWidth(` [${items[0]?.id ?? ''}]`);
  const lines = items.map(
    ({ text, id }) => `${pad}${shortened(visible(text), room)}${id === '' ? '' : ` [${visible(id)}]`}`,
  );
  return [head, ...lines, ...(rest > 0 ? [`${pad}and ${rest} more`] : [])];
}

function factLines(fact: Fact, at: { indent: number; nameWidth: number; width: number }, style: Style): string[] {
  const values = fact.values.map(words => `${fact.listed === true ? '- ' : ''}${wordsText(words, PLAIN)}`);
  const because = (fact.because ?? []).map(why => `because ${visible(why)}`);
  const texts = [...values, ...because, ...(fact.notes ?? []).map(note => `- ${visible(note)}`)];
  const name = wordsText(fact.name, PLAIN);
  if (fact.isCommand === true) {
    const pad = ' '.repeat(at.indent);
    return texts.map((text, i) => `${pad}${(i === 0 ? name : '').padEnd(at.nameWidth)}${text}`);
  }
  const [first, ...rest] = named(name, texts, at);
  if (first === undefined) return [];
  const styled = first.slice(at.indent + name.length);
  return [`${' '.repeat(at.indent)}${wordsText(fact.name, style)}${styled}`, ...rest];
}

function listLines({ title, items, text }: Of<'list'>, { style, width }: Paper): string[] {
  const shown = items.map(({ words, command }) => ({
    words: wordsText(words, PLAIN),
    command: visible(command ?? ''),
  }));
  const longest = Math.max(0, ...shown.map(({ command }) => command.length));
  const lines = shown.flatMap(({ words, command }) => {
    if (text === 'commands') return [`  ${command.padEnd(longest)}  ${style.faint(words)}`];
    if (text === 'dashes') return named('', [`- ${words}`], { indent: 2, nameWidth: 0, width });
    return [
      ...named('', [words], { indent: INDENT, nameWidth: 0, width }),
      ...(command === '' ? [] : [`     ${command}`]),
    ];
  });
  return title === undefined ? lines : [style.strong(title.toUpperCase()), ...lines];
}

/** A verdict in the first column has its colour. */
function tableLines({ columns, rows }: Of<'table'>, style: Style): string[] {
  const isShown = (_: unknown, i: number): boolean => columns[i]?.only !== 'markdown';
  const [header, ...lines] = table(
    columns.filter(isShown).map(({ name }) => visible(name).toUpperCase()),
    rows.map(row => row.filter(isShown).map(words => wordsText(words, PLAIN))),
  );
  return [
    header,
    ...lines.map((line, i) => {
      const first = rows[i]?.[0] ?? '';
      return wordsText(first, style) + line.slice(wordsText(first, PLAIN).length);
    }),
  ];
}

function wordsText(words: Words, style: Style): string {
  return spansOf(words)
    .map(span => {
      if (typeof span === 'string') return visible(span);
      if ('code' in span) return visible(span.code);
      if ('own' in span) return visible(span.own);
      if ('strong' in span) return style.strong(visible(span.strong));
      return 'faint' in span ? style.faint(visible(span.faint)) : style.verdict(span.verdict, visible(span.tag));
    })
    .join('');
}
