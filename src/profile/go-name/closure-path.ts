/**
 * Which closure of its function a frame is: `3` for `main.main.func3`, `1.2` for `main.main.func1.2`, '' for the
 * function itself.
 *
 * The compiler numbers the closures of a function in the order of the source, in every release. What it writes itself
 * (gowrap1, deferwrap1) has numbers of its own, and where a function was inlined stands before its name:
 *
 *     Go 1.26   quota.(*Controller).Run.func3.(*Controller).worker.1      closure 1 of worker
 *     Go 1.27   quota.(*Controller).worker.func1
 *
 * Closures of package variables are numbered over the whole package, differently from release to release: ''.
 */
import { functionOf } from './normalise.ts';

const PART = /^(?:func)?(\d+)$/;
const WRAPPER = /^(?:gowrap|deferwrap)\d+$/;
const MAX_NAME = 4096;

export function closurePath(name: string): string {
  if (name.length > MAX_NAME || !/\.(?:func)?\d/.test(name)) return '';
  const parts = functionOf(withoutTypeArguments(name))
    .split('.')
    .map(part => part.replace(/-range\d+$|-fm$/, ''));
  if (parts[0] === 'glob' || parts[0] === 'init') return '';
  while (WRAPPER.test(parts.at(-1) ?? '')) parts.pop();
  const numbers: string[] = [];
  for (let at = parts.length - 1; at > 0; at--) {
    const number = PART.exec(parts[at] ?? '')?.[1];
    if (number === undefined) break;
    numbers.unshift(number);
  }
  return numbers.join('.');
}

function withoutTypeArguments(name: string): string {
  const open = name.indexOf('[');
  return open < 0 ? name : name.slice(0, open) + name.slice(name.lastIndexOf(']') + 1);
}
