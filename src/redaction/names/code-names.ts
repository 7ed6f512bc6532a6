/**
 * Names of code. They stay, because findings consist of them, except those of modules that the user declares private.
 *
 *     corp.example/pay/ledger.(*Book).Close   ->   redacted-kqzjxabcdef.(*Book).Close
 */
import type { Redactor } from './redactor.ts';

/** The import path of a function's package: `k8s.io/client-go/rest` of `k8s.io/client-go/rest.(*Request).Do`. */
export function packageOf(functionName: string): string {
  const slash = functionName.lastIndexOf('/', openBracket(functionName));
  const dot = functionName.indexOf('.', slash + 1);
  return dot < 0 ? '' : functionName.slice(0, dot);
}

/** Type arguments may hold slashes of their own. */
function openBracket(name: string): number {
  const open = name.indexOf('[');
  return open < 0 ? name.length : open;
}

export function redactFunction(name: string, redactor: Redactor): string {
  const packagePath = packageOf(name);
  // Dots in the last element are escaped in symbol names.
  const path = packagePath.replaceAll('%2e', '.');
  if (packagePath !== '' && redactor.isPrivate(path)) {
    return redactor.hide('module', path) + redactTypeArguments(name.slice(packagePath.length), redactor);
  }
  return redactor.keep(redactTypeArguments(name, redactor));
}

/** `sort.Slice[corp.example/pay/ledger.Entry]`: paths inside brackets. */
function redactTypeArguments(name: string, redactor: Redactor): string {
  const open = name.indexOf('[');
  if (open < 0) return name;
  const inside = name.slice(open).replace(/[\w.~%-]+(?:\/[\w.~%-]+)+/g, text => {
    const path = packageOf(text) || text;
    return redactor.isPrivate(path) ? redactor.hide('module', path) + text.slice(path.length) : text;
  });
  return name.slice(0, open) + inside;
}

/**
 * Whether a package is private, by patterns like those of GOPRIVATE: each matches as many leading elements as it has,
 * and `*` matches anything within one element.
 */
export function privateModules(patterns: readonly string[]): (packagePath: string) => boolean {
  const globs = patterns
    .flatMap(pattern => pattern.split(','))
    .map(pattern => pattern.trim().replace(/\/+$/, ''))
    .filter(pattern => pattern !== '')
    .map(pattern => ({ depth: pattern.split('/').length, glob: globOf(pattern) }));
  return path => globs.some(({ depth, glob }) => glob.test(path.split('/').slice(0, depth).join('/')));
}

function globOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replace(/\*+/g, '[^/]*')
    .replace(/\?/g, '[^/]');
  return new RegExp(`^${source}$`);
}
