/** Go's path/filepath on Unix, for text that may be a path from another system. */

export function basename(path: string): string {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return '/';
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

/** filepath.Clean: no `.`, no `//`, and `..` resolved where possible. */
export function cleanPath(path: string): string {
  if (path === '') return '.';
  // Nearly every path in a profile is already clean.
  if (!/\/\/|\/$|(^|\/)\.\.?(\/|$)/.test(path) || path === '/') return path;
  const rooted = path.startsWith('/');
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') out.push(part);
    else if (out.length > 0 && out[out.length - 1] !== '..') out.pop();
    else if (!rooted) out.push('..');
  }
  return (rooted ? '/' : '') + out.join('/') || '.';
}
