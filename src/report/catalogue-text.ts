/** The catalogue as text for people. */
import { table, wrap } from '../base/text-layout.ts';
import type { KnownLeak } from '../knowledge/known-leak.ts';
import { rangeText } from '../knowledge/version.ts';
import { refUrl } from '../knowledge/refs.ts';

/** A table like kubectl's. */
export function renderTable(leaks: readonly KnownLeak[]): string {
  const rows = leaks.map(leak => [
    leak.id,
    leak.component,
    leak.resources.join(','),
    leak.status === 'unconfirmed' ? 'unconfirmed' : leak.fixedIn.join(','),
    leak.refs[0] ?? '',
  ]);
  return `${table(['ID', 'COMPONENT', 'RESOURCES', 'FIXED IN', 'REF'], rows).join('\n')}\n`;
}

/** One whole entry; empty fields are left out. */
export function renderLeak(leak: KnownLeak): string {
  const lines = [`${leak.title} (${leak.id})`, ''];
  const field = (name: string, values: readonly string[]): void => {
    const wrapped = values.flatMap(value => wrap(value, 100));
    if (values.length > 0) lines.push(`${`${name}:`.padEnd(15)}${wrapped.join(`\n${' '.repeat(15)}`)}`);
  };
  const text = (value: string): string[] => (value === '' ? [] : [value]);
  field('Status', leak.status === 'confirmed' ? [] : ['unconfirmed: never matched as a cause']);
  field('Component', [leak.component]);
  field('Resources', [leak.resources.join(', ')]);
  field('Affected', leak.affected.map(rangeText));
  field('Fixed in', [leak.fixedIn.join(', ') || 'no release']);
  field('Side effects', leak.sideEffects);
  field('Culprit', text(leak.culprit));
  field('Trigger', [leak.trigger]);
  field(
    'Needs',
    leak.preconditions.map(({ kind, value, note }) => `${kind} ${value}${note === '' ? '' : ` (${note})`}`),
  );
  field('Workaround', text(leak.workaround));
  field('Hazards', leak.hazards);
  field('Log lines', leak.logLines);
  field('Notes', text(leak.notes));
  field(
    'References',
    leak.refs.map(ref => refUrl(ref) ?? ref),
  );
  leak.signatures.forEach((signature, index) => {
    const { resource, evidence, frames, atLeaf, createdBy, states, normalPer, fixedKeeps } = signature;
    lines.push(
      '',
      `Signature ${index + 1}: ${resource}, ${evidence === 'seen' ? 'seen in dumps' : 'inferred from the fix'}`,
    );
    lines.push(...frames.map(frame => `  ${frame}`));
    if (atLeaf) lines.push('  the first frame calls nothing but the Go runtime');
    if (createdBy.length > 0) lines.push(`  created by ${createdBy.join(' or ')}`);
    if (states.length > 0) lines.push(`  in state ${states.join(' or ')}`);
    if (normalPer !== '') lines.push(`  normal: one per ${normalPer}`);
    if (fixedKeeps !== '') lines.push(`  a fixed version keeps: ${fixedKeeps}`);
  });
  return `${lines.join('\n')}\n`;
}

/** docs/known-leaks.md. */
export function renderMarkdown(leaks: readonly KnownLeak[]): string {
  const confirmed = leaks.filter(leak => leak.status === 'confirmed');
  const unconfirmed = leaks.filter(leak => leak.status === 'unconfirmed');
  const byStack = confirmed.filter(leak => leak.signatures.length > 0).length;
  const lines = [
    '# Known leaks',
    '',
    '<!-- Made by scripts/make-knowledge.mjs from src/knowledge/leaks; edit those. -->',
    '',
    `Oakum knows ${confirmed.length} leaks of Kubernetes, kcp and what runs beside and on them. It recognises ${byStack} of them by their`,
    'stacks. [`oakum catalogue show ID`](commands/catalogue.md) prints the whole entry, with its signatures, workaround and',
    'hazards.',
    '',
  ];
  for (const component of [...new Set(confirmed.map(leak => leak.component))].sort()) {
    lines.push(
      `## ${component}`,
      '',
      '| leak | grows | affected | fixed in | reference |',
      '| --- | --- | --- | --- | --- |',
    );
    for (const leak of confirmed.filter(one => one.component === component)) lines.push(markdownRow(leak));
    lines.push('');
  }
  if (unconfirmed.length > 0) {
    lines.push(
      '## Reported, unconfirmed',
      '',
      'These entries exist so that nobody investigates them twice. Oakum never names them as a cause.',
      '',
    );
    lines.push('| report | what is missing | reference |', '| --- | --- | --- |');
    for (const leak of unconfirmed)
      lines.push(`| ${cell(leak.title)}<br>\`${leak.id}\` | ${cell(leak.notes)} | ${links(leak)} |`);
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

function markdownRow(leak: KnownLeak): string {
  const affected = leak.affected.map(rangeText).join('<br>') || 'not recorded';
  const fixed = leak.fixedIn.join(', ') || 'none';
  const more = leak.sideEffects.length > 0 ? ', with a side effect' : '';
  return `| ${cell(leak.title)}<br>\`${leak.id}\` | ${leak.resources.join(', ')} | ${affected} | ${fixed}${more} | ${links(leak)} |`;
}

function links(leak: KnownLeak): string {
  const [ref = ''] = leak.refs;
  const url = refUrl(ref);
  return url === undefined ? cell(ref) : `[${ref}](${url})`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
