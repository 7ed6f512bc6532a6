/** The man page oakum(1), from the option tables. */
import type { DescribedCommand, TypedFlag } from './command.ts';

const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done, whatever was found'],
  ['1', 'a leak was found, and --fail-on or oakum gate makes it count'],
  ['2', 'the command line makes no sense'],
  ['3', 'could not observe: the input is missing, forbidden or unreadable'],
  ['4', 'an action failed, such as writing the output'],
  ['5', 'oakum gate could not decide'],
  ['70', 'a bug; OAKUM_DEBUG=1 shows the stack'],
];

const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['KUBECONFIG', 'kubeconfig files, as kubectl reads them'],
  ['HTTPS_PROXY, HTTP_PROXY, NO_PROXY', 'proxies'],
  ['NO_COLOR', 'no colours'],
  ['XDG_DATA_HOME', 'where oakum watch keeps its data'],
  ['OAKUM_DEBUG', '1 shows the stack of a bug'],
];

export function manPage(commands: readonly DescribedCommand[], version: string): string {
  return [
    `.TH OAKUM 1 "" "oakum ${escaped(version)}" "Oakum"`,
    '.SH NAME',
    'oakum \\- finds, proves and explains leaks in Go control planes',
    '.SH SYNOPSIS',
    '.B oakum',
    '.I COMMAND',
    '[\\fIoptions\\fR]',
    '.br',
    '.B kubectl oakum',
    '.I COMMAND',
    '[\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    'Reads profiles, goroutine dumps, metrics and logs, and says what leaks, since when, how fast and why.',
    'Read\\-only unless asked; no Go toolchain is needed.',
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => tagged(`\\fB${code}\\fR`, meaning)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, meaning]) => tagged(`\\fB${escaped(name)}\\fR`, meaning)),
    '.SH SEE ALSO',
    '.BR kubectl (1),',
    'the folder docs of the package.',
    '',
  ].join('\n');
}

function commandLines({ name, summary, manual, flags }: DescribedCommand): string[] {
  const usage = (manual?.usage ?? ['[options]']).map(form => `\\fBoakum ${escaped(name)}\\fR ${escaped(form)}`);
  const examples = (manual?.examples ?? []).flatMap(([line, remark]) => [
    ...(remark === undefined ? [] : [text(`${remark}:`)]),
    '.nf',
    `    ${escaped(line)}`,
    '.fi',
  ]);
  return [
    `.SS oakum ${escaped(name)}`,
    `${text(capital(summary))}.`,
    '.PP',
    ...usage.flatMap((line, i) => (i === 0 ? [line] : ['.br', line])),
    ...(manual?.about ?? '').split('\n').flatMap(paragraph => (paragraph === '' ? [] : ['.PP', text(paragraph)])),
    ...(examples.length === 0 ? [] : ['.PP', ...examples]),
    ...flags.flatMap(flagLines),
  ];
}

function flagLines({ names, placeholder, help, choices, repeats }: TypedFlag): string[] {
  const value = placeholder === '' ? '' : ` \\fI${escaped(placeholder)}\\fR`;
  const meaning = help === '' && choices.length > 0 ? choices.join(', ') : help;
  return tagged(
    `${names.map(name => `\\fB${escaped(name)}\\fR`).join(', ')}${value}`,
    repeats ? `${meaning} (may be repeated)` : meaning,
  );
}

function tagged(tag: string, meaning: string): string[] {
  return ['.TP', tag, text(meaning)];
}

function capital(given: string): string {
  return given.charAt(0).toUpperCase() + given.slice(1);
}

/** A line of text: roff reads a dot or an apostrophe at its beginning as a request. */
function text(given: string): string {
  return escaped(given).replace(/^(?=[.'])/, '\\&');
}

function escaped(given: string): string {
  return given.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('\n', ' ');
}
