/** Files are named for what they hold, in kebab-case; only src/index.ts passes on what others export. */
import { posix } from 'node:path';
import type { Offence } from '../offence.ts';
import { isCode, isData, isProduction } from '../paths.ts';
import type { Tree } from '../read/tree.ts';

const SAYS_NOTHING = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'misc', 'stuff']);
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;
const LIBRARY = 'src/index.ts';

export function nameOffences(tree: Tree): Offence[] {
  const found: Offence[] = [];
  for (const [path, { source }] of tree) {
    if (isData(path)) continue;
    const complain = (problem: string, line = 0): void => void found.push({ rule: 'name', path, line, problem });
    for (const name of path.split('/').slice(1)) {
      const empty = isCode(path) ? name.split(/[-.]/).find(word => SAYS_NOTHING.has(word)) : undefined;
      if (empty !== undefined) complain(`"${empty}" says nothing; name it for what it holds`);
      if (!KEBAB_CASE.test(name) && name !== 'README.md') complain(`"${name}" is not in kebab-case`);
    }
    if (!isProduction(path) || path === LIBRARY) continue;
    const isTypeScript = path.endsWith('.ts') || (path.endsWith('.tsx') && path.startsWith('web/'));
    if (!isTypeScript || path.endsWith('.d.ts')) complain('code in src/ is in .ts files, in web/ also in .tsx');
    if (/^index\./.test(posix.basename(path))) complain('only the library has an index; import from where things are');
    for (const line of source?.reexports ?? []) {
      complain(`only ${LIBRARY} may pass on what others export; import from where things are`, line);
    }
  }
  return found;
}
