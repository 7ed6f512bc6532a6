/** The text of `oakum COMMAND --help`: usage, examples, a description, and one line per option. */
import { wrap } from '../../base/text-layout.ts';
import { entriesOf, flagOf, type Option, type OptionTable } from './option.ts';

/** The same in a pipe and on a terminal. */
const WIDTH = 110;
/** For longer entries, the second column starts on the next line. */
const WIDEST_OPTION = 34;
const WIDEST_EXAMPLE = 72;

interface HelpParts {
  readonly name: string;
  readonly usage: readonly string[];
  readonly examples: readonly (readonly [line: string, remark?: string])[];
  readonly about: string;
}

export function helpText(parts: HelpParts, table: OptionTable<object>, programName: string): string {
  const usage = parts.usage.map(form => `oakum ${parts.name} ${form}`.trimEnd());
  const sections = new Map<string, [string, Option<unknown>][]>();
  for (const entry of entriesOf(table)) {
    const heading = entry[1].section ?? 'Options';
    sections.set(heading, [...(sections.get(heading) ?? []), entry]);
  }
  const blocks = [
    `Usage: ${usage.join('\n       ')}`,
    twoColumns(
      parts.examples.map(([line, remark = '']) => [`  ${line}`, remark]),
      WIDEST_EXAMPLE,
    ),
    parts.about
      .split('\n')
      .map(paragraph => wrap(paragraph, WIDTH).join('\n'))
      .join('\n'),
    ...[...sections].map(([heading, entries]) => `${heading}:\n${twoColumns(entries.map(optionColumns))}`),
  ];
  return withProgramName(`${blocks.filter(block => block !== '').join('\n\n')}\n`, programName);
}

/** Help texts say `oakum`; users of the plugin see `kubectl oakum`. */
export function withProgramName(help: string, programName: string): string {
  return programName === 'oakum' ? help : help.replace(/\boakum (?=[a-z])/g, `${programName} `);
}

function optionColumns([key, { short, placeholder, repeats, help }]: readonly [string, Option<unknown>]): [
  string,
  string,
] {
  const flags = `${short === undefined ? '   ' : `-${short},`} ${flagOf(key)}`;
  return [
    `  ${flags}${placeholder === undefined ? '' : ` ${placeholder}`}`,
    repeats === true ? `${help} (may be repeated)` : help,
  ];
}

/** The second column starts after the longest entry of the first, and is wrapped. */
export function twoColumns(
  rows: readonly (readonly [left: string, right: string])[],
  widest: number = WIDEST_OPTION,
): string {
  const widths = rows.filter(([, right]) => right !== '').map(([left]) => left.length);
  const column = Math.max(0, ...widths.filter(width => width <= widest)) + 2;
  return rows
    .flatMap(([left, right]) => {
      const [first = '', ...more] = right === '' ? [] : wrap(right, WIDTH - column);
      const rest = more.map(line => ' '.repeat(column) + line);
      if (left.length > column - 2 && first !== '') return [left, ' '.repeat(column) + first, ...rest];
      return [`${left.padEnd(column)}${first}`.trimEnd(), ...rest];
    })
    .join('\n');
}
