/** Parses the list of existing tenants, in the forms that users have. */

/** One name per line, lines of `kubectl -o name`, a kubectl table, or names separated by blanks. */
export function liveTenants(text: string): ReadonlySet<string> {
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '' && !line.startsWith('#'));
  const isTable = /^NAME(\s|$)/.test(lines[0] ?? '');
  const names = isTable
    ? lines.slice(1).map(line => line.trim().split(/\s+/, 1)[0])
    : lines.flatMap(line => line.trim().split(/\s+/));
  return new Set(names.map(name => name.slice(name.lastIndexOf('/') + 1)));
}
