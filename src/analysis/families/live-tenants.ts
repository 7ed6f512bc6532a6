/** Tenants that exist, as users have them at hand. */

/** Names one per line, lines of `kubectl -o name`, a kubectl table, or names with blanks between them. */
export function liveTenants(text: string): ReadonlySet<string> {
  const lines = text.split(/\r?\n/).filter(line => line.trim() !== '' && !line.startsWith('#'));
  const isTable = /^NAME(\s|$)/.test(lines[0] ?? '');
  const names = isTable
    ? lines.slice(1).map(line => line.trim().split(/\s+/, 1)[0])
    : lines.flatMap(line => line.trim().split(/\s+/));
  return new Set(names.map(name => name.slice(name.lastIndexOf('/') + 1)));
}
