// A reporter for node:test: one line per file, then what was skipped and why, what failed and where, and the totals.
import { relative } from 'node:path';
import { inspect } from 'node:util';
import { ROOT } from './setup.mjs';

export default async function* report(source) {
  const files = new Map();
  const skipped = new Map();
  const failures = [];
  const totals = [];
  let path = [];

  for await (const { type, data } of source) {
    if (type === 'test:start') {
      path = [...path.slice(0, data.nesting), data.name];
    } else if (type === 'test:pass' || type === 'test:fail') {
      const file = nameOf(data);
      if (isFile(data)) {
        if (type === 'test:fail' && !hasFailed(failures, file))
          failures.push({ file, name: '(the file itself)', data });
        continue;
      }
      const name = [...path.slice(0, data.nesting), data.name].join(' > ');
      const counts = files.get(file) ?? { passed: 0, failed: 0, skipped: 0, ms: 0 };
      files.set(file, counts);
      if (data.nesting === 0) counts.ms += data.details.duration_ms;
      if (data.details.type === 'suite' && data.skip === undefined) continue;
      if (data.skip !== undefined || data.todo !== undefined) {
        counts.skipped++;
        const reason = reasonOf(data);
        skipped.set(reason, [...(skipped.get(reason) ?? []), `${file}: ${name}`]);
      } else if (type === 'test:pass') {
        counts.passed++;
      } else {
        counts.failed++;
        // A parent fails because a child did; the child says why.
        if (data.details.error?.failureType !== 'subtestsFailed') failures.push({ file, name, data });
        yield `FAILED ${file}: ${name}\n`;
      }
    } else if (type === 'test:stderr' || type === 'test:stdout') {
      yield data.message;
    } else if (type === 'test:diagnostic' && data.nesting === 0 && /^[a-z_]+ [\d.]+$/.test(data.message)) {
      totals.push(data.message);
    }
  }

  for (const [file, counts] of files) {
    const parts = [`${counts.passed} passed`];
    if (counts.failed > 0) parts.push(`${counts.failed} failed`);
    if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`);
    yield `${counts.failed > 0 ? 'FAILED' : 'ok'} ${file}: ${parts.join(', ')} (${Math.round(counts.ms)} ms)\n`;
  }
  for (const { file, name, data } of failures) {
    yield `\nFAILED ${file}: ${name}\n${indent(explain(data.details.error))}\n`;
  }
  if (skipped.size > 0) yield '\nSkipped:\n';
  for (const [reason, names] of skipped) {
    yield `  ${reason} (${names.length})\n`;
    for (const name of names.slice(0, 5)) yield `    ${name}\n`;
    if (names.length > 5) yield `    and ${names.length - 5} more\n`;
  }
  yield '\n';
  for (const total of totals) yield `# ${total}\n`;
  const count = name => Number(totals.find(total => total.startsWith(`${name} `))?.split(' ')[1] ?? 0);
  // node:test leaves skipped suites out of its count; they are tests that did not run all the same.
  const notRun = [...skipped.values()].reduce((sum, names) => sum + names.length, 0);
  yield `${count('pass')} passed, ${count('fail') + count('cancelled')} failed, ${notRun} skipped\n`;
}

// node:test reports each file as a test around its tests; it is named by its path.
function isFile(data) {
  return data.nesting === 0 && data.name.endsWith('.test.ts') && data.details.type !== 'suite';
}

function nameOf(data) {
  return relative(ROOT, data.file ?? data.name).replaceAll('\\', '/');
}

function hasFailed(failures, file) {
  return failures.some(failure => failure.file === file);
}

function reasonOf(data) {
  if (data.skip === undefined) return 'to do';
  return typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'no reason given';
}

function explain(error) {
  const cause = error?.cause ?? error;
  if (cause instanceof Error || typeof cause?.stack === 'string') return cause.stack;
  return typeof cause === 'string' ? cause : inspect(cause);
}

function indent(text) {
  return String(text).replace(/^/gm, '  ');
}
