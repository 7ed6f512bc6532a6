/**
 * Names of code. They stay, because findings consist of them, if they are names that Go can have written, except those
 * of modules that the user declares private.
 *
 *     corp.example/pay/ledger.(*Book).Close   ->   redacted-kqzjxabcdef.(*Book).Close
 *     E1116 06:00:00.1 1 a.go:2] token=abc    ->   redacted-bzpfwqoqnla.hidden
 */
import { isFunctionSymbol, isKnownCSymbol, withoutTypeArguments } from '../../profile/families/go-symbol.ts';
import { isHidden, type Redactor } from './redactor.ts';

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

/**
 * A name that no linker wrote is hidden whole: it may be a log line that came between. What stands for it is a name that
 * Go could have written, so that the stack can still be read.
 */
export function redactFunction(name: string, redactor: Redactor): string {
  if (name === '') return '';
  const plain = withoutTypeArguments(name);
  if (plain === undefined || !isFunctionSymbol(plain)) return redactUnknownName(name, redactor);
  if (plain !== name) redactor.remove('type', name.slice(name.indexOf('[') + 1, name.lastIndexOf(']')));
  const packagePath = packageOf(plain);
  // Dots in the last element are escaped in symbol names.
  const path = packagePath.replaceAll('%2e', '.');
  if (packagePath !== '' && redactor.isPrivate(path))
    return redactor.hide('module', path) + plain.slice(packagePath.length);
  return redactor.keep(plain);
}

/** What stands in the place of a function and is none. */
export function redactUnknownName(name: string, redactor: Redactor): string {
  return `${redactor.hide('name', name)}.hidden`;
}

/** A function of C in a dump: any other text may stand in its place, so only well-known ones stay. */
export function redactCFunction(name: string, redactor: Redactor): string {
  if (isKnownCSymbol(name)) return redactor.keep(name);
  const bare = name.replace(/\.hidden$/, '');
  return isHidden(bare) ? name : redactUnknownName(name, redactor);
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
    .map(pattern => pattern.split('/'));
  return path => {
    const elements = path.split('/');
    return globs.some(
      glob => glob.length <= elements.length && glob.every((part, i) => matchesGlob(part, elements[i] ?? '')),
    );
  };
}

/**
 * Whether `*` (any text) and `?` (one character) match the whole element. On a mismatch only the last `*` takes one more
 * character: work is at most the product of the lengths, where a regular expression with many stars never ends.
 */
function matchesGlob(glob: string, text: string): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let i = 0; i < text.length;) {
    if (glob[at] === '*') {
      star = at++;
      from = i;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[i])) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++from;
    } else return false;
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}
