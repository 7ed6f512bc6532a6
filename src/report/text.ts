/**
 * An analysis for a person at 3 am: one sentence, the findings, what was not measured with the command for it, and one
 * line about the inputs. `wide` adds ids, stacks, every match with its reasons, and the inputs.
 */
import { formatBytes } from '../base/say.ts';
import { displayWidth, table, wrap } from '../base/text-layout.ts';
import type { Analysis, AnalysisInput, Finding } from '../judge/analysis.ts';
import { findingBlock, stackLines } from './finding-block.ts';
import { MIN_WIDTH, named, PLAIN, type Style } from './layout.ts';
import { countPhrase, inputsPhrase } from './phrases.ts';
import { resourceOf } from '../evidence/resource.ts';
import { shortened, visible } from '../base/visible-text.ts';

export interface TextOptions {
  readonly style?: Style;
  /** Columns; 100 by default. Commands and symbol names may be longer. */
  readonly width?: number;
  /** How many findings to show; 5 by default, all in wide. */
  readonly top?: number;
  /** Shows only the full stack of the family with this id, or the beginning of one. */
  readonly show?: string;
  readonly wide?: boolean;
  /** No characters beyond ASCII in drawings. */
  readonly ascii?: boolean;
}

export const DEFAULT_WIDTH = 100;
const DEFAULT_TOP = 5;
const INDENT = 3;

export function renderText(analysis: Analysis, options: TextOptions = {}): string {
  const wide = options.wide ?? false;
  const style = options.style ?? PLAIN;
  const width = Math.max(MIN_WIDTH, options.width ?? DEFAULT_WIDTH);
  if (options.show !== undefined) return renderFamily(analysis, options.show);
  const { findings } = analysis;
  const top = options.top ?? (wide ? findings.length : DEFAULT_TOP);

  const sections = [summary(analysis, style, width)];
  findings
    .slice(0, top)
    .forEach((finding, i) =>
      sections.push(findingBlock(finding, i + 1, { style, width, wide, ascii: options.ascii ?? false })),
    );
  if (findings.length > top) sections.push(moreLines(findings, top, width));
  if (analysis.missing.length > 0) sections.push(gaps(analysis, style, width));
  sections.push(...inputLines(analysis.inputs, wide, width));
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`;
}

const MAX_TITLES = 10;

/** What --top leaves out, a line each: the cause of a leak may be small. */
function moreLines(findings: readonly Finding[], top: number, width: number): string[] {
  const hidden = findings.slice(top);
  const room = width - INDENT - displayWidth(` [${hidden[0]?.family.id ?? ''}]`);
  const titles = hidden.slice(0, MAX_TITLES).map(finding => {
    const id = finding.family.id === '' ? '' : ` [${visible(finding.family.id)}]`;
    return `${' '.repeat(INDENT)}${shortened(`${finding.verdict.toUpperCase()}  ${amountOf(finding)}  ${visible(finding.family.title)}`, room)}${id}`;
  });
  const rest = hidden.length - titles.length;
  const how = `--top ${findings.length}`;
  return [
    `${hidden.length} more ${hidden.length === 1 ? 'finding' : 'findings'}: ${how}`,
    ...titles,
    ...(rest > 0 ? [`${' '.repeat(INDENT)}and ${rest} more`] : []),
  ];
}

/** `4 goroutines`, `2.7 MiB` */
function amountOf({ bytes, count, resource }: Finding): string {
  return bytes === null ? countPhrase(count, resourceOf(resource)) : formatBytes(bytes);
}

/** The finding whose family has this id, or the only one whose id begins with it. */
export function findFamily(analysis: Analysis, id: string): Finding | undefined {
  const exact = analysis.findings.find(({ family }) => family.id === id);
  if (exact !== undefined || id === '') return exact;
  const matching = analysis.findings.filter(({ family }) => family.id.startsWith(id));
  return new Set(matching.map(({ family }) => family.id)).size === 1 ? matching[0] : undefined;
}

function renderFamily(analysis: Analysis, id: string): string {
  const finding = findFamily(analysis, id);
  if (finding !== undefined) {
    const { family } = finding;
    return `${[`${visible(family.id)}  ${visible(family.title)}`, ...stackLines(finding)].join('\n')}\n`;
  }
  const ids = [...new Set(analysis.findings.map(({ family }) => visible(family.id)))];
  const known = ids.length === 0 ? 'it has no findings' : `it has ${ids.join(', ')}`;
  return `No family ${visible(id)} in this analysis: ${known}.\n`;
}

function summary({ verdict, sentence, reasons }: Analysis, style: Style, width: number): string[] {
  const tag = verdict.toUpperCase();
  const lines = wrap(visible(sentence), width - tag.length - 2);
  const indent = ' '.repeat(tag.length + 2);
  const head = lines.map((line, i) =>
    i === 0 ? `${style.verdict(verdict, tag)}  ${style.strong(line)}` : indent + style.strong(line),
  );
  const at = { indent: 0, nameWidth: indent.length, width };
  return [...head, ...reasons.flatMap(reason => named('', [`- ${visible(reason)}`], at))];
}

function gaps({ missing }: Analysis, style: Style, width: number): string[] {
  const at = { indent: 3, nameWidth: 0, width };
  const lines = missing.flatMap(({ what, why, command }) => [
    ...named('', [`${visible(what)}: ${visible(why)}`], at),
    ...(command === '' ? [] : [`     ${visible(command)}`]),
  ]);
  return [style.strong('NOT MEASURED'), ...lines];
}

function inputLines(inputs: readonly AnalysisInput[], wide: boolean, width: number): string[][] {
  const failed = inputs.filter(input => input.error !== null);
  const line = named('INPUTS', [inputsPhrase(inputs)], { indent: 0, nameWidth: 8, width });
  if (!wide) {
    const shown = failed
      .slice(0, 3)
      .flatMap(({ path, error }) =>
        named('', [`not read: ${visible(path)}: ${visible(error ?? '')}`], { indent: 3, nameWidth: 0, width }),
      );
    const more = failed.length > 3 ? [`   ${failed.length - 3} more not read: -o wide`] : [];
    return [[...line, ...shown, ...more]];
  }
  if (inputs.length === 0) return [line];
  const headers = ['PATH', 'KIND', 'TARGET', 'TAKEN', 'GO', 'NOTE'];
  const rows = inputs.map(input => [
    visible(input.path),
    input.kind,
    visible(input.target),
    visible(input.takenAt ?? ''),
    visible(input.goVersion ?? ''),
    visible(input.error ?? input.truncated ?? ''),
  ]);
  return [line, table(headers, rows)];
}
