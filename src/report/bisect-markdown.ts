/** Bisections as Markdown, for an issue or a chat. */
import type { Bisection, VersionBisection } from '../judge/bisect/bisection.ts';
import { formatBytes, formatCount } from '../base/say.ts';
import { changeLine, comparedLine, culpritParts, unprovedParts } from './bisect-text.ts';
import { codeCell, prose } from './markdown.ts';

export function renderBisectionMarkdown(bisection: Bisection): string {
  const lines = [`## ${prose(bisection.sentence)}`, ''];
  for (const culprit of bisection.culprits) {
    lines.push(`**${culprit.verdict}**: ${prose(culprit.sentence)}`, '');
    lines.push(...partLines(culpritParts(culprit)), '');
  }
  for (const one of bisection.unproved) {
    lines.push(`**not proved**: ${prose(one.sentence)}`, '', ...partLines(unprovedParts(one)), '');
  }
  if (bisection.changes.length > 0) {
    lines.push('Changes:', '', ...bisection.changes.map(change => `- ${prose(changeLine(change))}`), '');
  }
  lines.push(`Compared: ${prose(comparedLine(bisection))}.`);
  return `${lines.join('\n')}\n`;
}

function partLines(parts: readonly [string, string[]][]): string[] {
  return parts.flatMap(([name, texts]) =>
    texts.map(text => `- ${name.toLowerCase()}: ${prose(text.replace(/^- /, ''))}`),
  );
}

export function renderVersionsMarkdown({ sentence, versions, firstBad }: VersionBisection): string {
  const cell = (value: number | null, format: (value: number) => string, per: string): string =>
    value === null ? '' : `${format(value)} per ${per}`;
  const lines = [
    `## ${prose(sentence)}`,
    '',
    '| version | verdict | goroutines | live heap |',
    '| --- | --- | --- | --- |',
    ...versions.map(
      ({ name, verdict, goroutinesGrowth, heapBytesGrowth, per }) =>
        `| ${codeCell(name)} | ${verdict} | ${cell(goroutinesGrowth, formatCount, per)} | ${cell(heapBytesGrowth, formatBytes, per)} |`,
    ),
  ];
  if (firstBad !== null) {
    lines.push('', ...firstBad.families.map(({ title, owner }) => `- appeared: ${prose(title)} (${prose(owner)})`));
    lines.push(...firstBad.read.map(text => `- read: ${prose(text)}`));
  }
  return `${lines.join('\n')}\n`;
}
