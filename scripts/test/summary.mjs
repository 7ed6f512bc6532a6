// The end of a run: what failed and where, what was skipped and why, and the totals.

export function summaryOf(results) {
  const lines = [];
  for (const { file, failures } of results) {
    for (const { name, error } of failures) lines.push('', `FAILED ${file}: ${name}`, indent(error));
  }
  const skipped = new Map();
  for (const { file, skips } of results) {
    for (const [reason, name] of skips) skipped.set(reason, [...(skipped.get(reason) ?? []), `${file}: ${name}`]);
  }
  if (skipped.size > 0) lines.push('', 'Skipped:');
  for (const [reason, names] of skipped) {
    lines.push(`  ${reason} (${names.length})`);
    for (const name of names.slice(0, 5)) lines.push(`    ${name}`);
    if (names.length > 5) lines.push(`    and ${names.length - 5} more`);
  }
  return lines;
}

const COLUMNS = ['cpuMs', 'childrenMs', 'ms'];

/** The files that took most CPU, and all files together. */
export function slowestOf(results) {
  const line = (name, of) => [...COLUMNS.map(key => (of(key) / 1000).toFixed(1).padStart(10)), ` ${name}`].join(' ');
  const slowest = [...results].sort((a, b) => b.cpuMs - a.cpuMs).slice(0, 25);
  return [
    '',
    '     CPU s   children     wall s',
    ...slowest.map(result => line(result.file, key => result[key])),
    line('all files', key => results.reduce((total, result) => total + result[key], 0)),
  ];
}

export function totalsOf(results) {
  const sum = key => results.reduce((total, result) => total + result[key], 0);
  return `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`;
}

function indent(text) {
  return String(text).replace(/^/gm, '  ');
}
