/** Files and exports that nobody needs, files that only one other needs, and copies. */
import { offence, type Plant } from './plant.ts';

const TEXT = 'export const y = 1;\n';
const LONG = `${TEXT}${'// a line\n'.repeat(59)}`;
const use = (specifier: string): string => `import { y } from '${specifier}';\nexport const z = y;\n`;

/** A file, and the planted files that import it; planted files are needed by themselves. */
function importedBy(
  name: string,
  path: string,
  text: string,
  importers: Readonly<Record<string, string>>,
  problem?: string,
): Plant {
  return {
    name,
    files: { [path]: text, ...importers },
    offences: problem === undefined ? [] : [`${path}: ${problem}`],
  };
}

const BODY = `{
  const sums = new Map<string, number>();
  for (const word of text.split(' ')) {
    const count = sums.get(word) ?? 0;
    sums.set(word, count + 1);
  }
  return sums;
}
`;

export const USES: readonly Plant[] = [
  {
    name: 'a test double among production code',
    files: {
      'src/store/memory-store.ts': TEXT,
      'src/store/memory.test.ts': "import { y } from './memory-store.ts';\nexport const z = y;\n",
    },
    offences: ['src/store/memory-store.ts: only tests import it (src/store/memory.test.ts)'],
  },
  {
    name: 'two files that only a test double needs',
    files: {
      'src/base/first.ts': "import * as x from './second.ts';\nexport const z = x;\n",
      'src/base/second.ts': LONG,
      'test/double/for-tests.ts': "import { z } from '../../src/base/first.ts';\nexport const y = z;\n",
    },
    offences: [
      'src/base/first.ts: only code that does not ship imports it (test/double/for-tests.ts)',
      'src/base/second.ts: nothing that ships imports it',
    ],
  },
  offence('code that nothing uses', 'src/base/left-over.ts', TEXT, 'nothing that ships imports it'),
  importedBy(
    'a dead export',
    'src/base/dead.ts',
    `${LONG}export function unused(): number {\n  return y;\n}\n`,
    { 'src/base/planted.ts': use('./dead.ts') },
    'nothing else imports unused; do not export it',
  ),
  importedBy(
    'a dead export of a type',
    'src/base/dead.ts',
    `${LONG}export interface Unused {\n  readonly z: 1;\n}\n`,
    { 'src/base/planted.ts': use('./dead.ts') },
    'nothing else imports Unused; do not export it',
  ),
  importedBy(
    'a dead export in a list',
    'src/base/dead.ts',
    `${LONG}const z = 1;\nexport { z as unused };\n`,
    { 'src/base/planted.ts': use('./dead.ts') },
    'nothing else imports unused; do not export it',
  ),
  importedBy(
    'a dead export beside one that is loaded when called',
    'src/base/dead.ts',
    `${TEXT}export const unused = 2;\n`,
    { 'src/base/planted.ts': "export const z = async () => (await import('./dead.ts')).y;\n" },
    'nothing else imports unused; do not export it',
  ),
  importedBy(
    'a dead default export',
    'src/base/dead.ts',
    `${LONG}export default function unused(): number {\n  return y;\n}\n`,
    { 'src/base/planted.ts': use('./dead.ts') },
    'nothing else imports default; do not export it',
  ),
  importedBy('an export that only a test imports', 'src/base/alive.ts', `${LONG}export const z = y;\n`, {
    'src/base/planted.ts': use('./alive.ts'),
    'src/base/planted.test.ts': "import { z } from './alive.ts';\nexport const w = z;\n",
  }),
  importedBy(
    'the type of what is exported',
    'src/base/alive.ts',
    `${LONG}export interface Z {\n  readonly w: 1;\n}\nexport function f(z: Z): number {\n  return z.w;\n}\n`,
    {
      'src/base/planted.ts': "import { f, y } from './alive.ts';\nexport const z = [f, y];\n",
    },
  ),
  importedBy('exports that are taken as a whole', 'src/base/alive.ts', `${LONG}export const z = y;\n`, {
    'src/base/planted.ts': "import * as all from './alive.ts';\nexport const z = all;\n",
  }),
  importedBy(
    'a small file with one importer',
    'src/base/small.ts',
    TEXT,
    { 'src/base/planted.ts': use('./small.ts') },
    'has 1 lines and one importer; move it into src/base/planted.ts',
  ),
  importedBy(
    'a small file with one importer, and a test',
    'src/base/small.ts',
    TEXT,
    { 'src/base/planted.ts': use('./small.ts'), 'src/base/small.test.ts': use('./small.ts') },
    'has 1 lines and one importer; move it into src/base/planted.ts',
  ),
  importedBy(
    'a small file of types',
    'src/base/small.ts',
    'export type Y = 1;\n',
    { 'src/base/planted.ts': "import type { Y } from './small.ts';\nexport const z: Y = 1;\n" },
    'has 1 lines and one importer; move it into src/base/planted.ts',
  ),
  importedBy('a file of 60 lines', 'src/base/alive.ts', LONG, { 'src/base/planted.ts': use('./alive.ts') }),
  importedBy('a small file with two importers', 'src/base/alive.ts', TEXT, {
    'src/base/planted-1.ts': use('./alive.ts'),
    'src/base/planted-2.ts': use('./alive.ts'),
  }),
  importedBy('a small file for another room', 'src/base/alive.ts', TEXT, {
    'src/profile/planted.ts': use('../base/alive.ts'),
  }),
  importedBy('a small file that is loaded when called', 'src/base/alive.ts', TEXT, {
    'src/base/planted.ts': "export const z = async () => (await import('./alive.ts')).y;\n",
  }),
  importedBy('a small file that is a thread', 'src/live/io/alive.ts', TEXT, {
    'src/live/io/planted.ts': "export const z = new URL('./alive.ts', import.meta.url);\n",
  }),
  {
    name: 'a copied module',
    files: {
      'src/base/planted-count.ts': `export function countWords(text: string): Map<string, number> ${BODY}`,
      'src/watch/planted-count.ts': `export const wordCounts = (text: string): Map<string, number> => ${BODY.replaceAll('  ', '    ')}`,
    },
    offences: ['src/watch/planted-count.ts: wordCounts is a copy of countWords of src/base/planted-count.ts'],
  },
  {
    name: 'a copied class',
    files: {
      'src/base/planted-count.ts': `export class Words {\n  count(text: string) ${BODY}}\n`,
      'src/watch/planted-count.ts': `export class Counts {\n  count(text: string) ${BODY}}\n`,
    },
    offences: ['src/watch/planted-count.ts: Counts is a copy of Words of src/base/planted-count.ts'],
  },
  {
    name: 'no copy: a few lines',
    files: {
      'src/base/planted-1.ts':
        'export function f(z: number): number {\n  const w = z + 1;\n  const v = w * w;\n  return v;\n}\n',
      'src/base/planted-2.ts':
        'export function g(z: number): number {\n  const w = z + 1;\n  const v = w * w;\n  return v;\n}\n',
    },
    offences: [],
  },
];
