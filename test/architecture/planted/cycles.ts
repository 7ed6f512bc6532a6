/** Files and folders that import each other. */
import type { Plant } from './plant.ts';

const X = 'export const x = 1;\n';
const use = (specifier: string): string => `import { x } from '${specifier}';\nexport const y = x;\n`;

/** Files a, b, c of src/base with these texts, which import each other. */
function ofFiles(name: string, texts: Readonly<Record<string, string>>, way: string): Plant {
  const pathOf = (file: string): string => `src/base/planted-${file}.ts`;
  const files = Object.fromEntries(Object.entries(texts).map(([file, text]) => [pathOf(file), text]));
  const path = pathOf(Object.keys(texts)[0]);
  return { name, files, offences: [`${path}: is in a cycle of files: ${way.split(' ').map(pathOf).join(' -> ')}`] };
}

export const CYCLES: readonly Plant[] = [
  ofFiles('two files', { a: use('./planted-b.ts'), b: use('./planted-a.ts') }, 'a b a'),
  ofFiles('a file and itself', { a: use('./planted-a.ts') }, 'a a'),
  ofFiles(
    'three files, by types alone',
    {
      a: "import type { B } from './planted-b.ts';\nexport type A = B | 1;\n",
      b: "import { type C } from './planted-c.ts';\nexport type B = C | 2;\n",
      c: "export type C = import('./planted-a.ts').A[];\n",
    },
    'a b c a',
  ),
  ofFiles(
    'a file that is loaded when it is called',
    { a: "export const a = () => import('./planted-b.ts');\n", b: use('./planted-a.ts') },
    'a b a',
  ),
  ofFiles(
    'a thread and the file that starts it',
    { a: "export const a = new URL('./planted-b.ts', import.meta.url);\n", b: use('./planted-a.ts') },
    'a b a',
  ),
  {
    name: 'the shortest of several cycles',
    files: {
      'src/base/planted-a.ts': "import './planted-b.ts';\n",
      'src/base/planted-b.ts': "import './planted-c.ts';\nimport './planted-d.ts';\n",
      'src/base/planted-c.ts': "import './planted-a.ts';\n",
      'src/base/planted-d.ts': "import './planted-b.ts';\n",
    },
    offences: [
      'src/base/planted-a.ts: is in a cycle of files: src/base/planted-b.ts -> src/base/planted-d.ts -> src/base/planted-b.ts',
    ],
  },
  {
    name: 'files that do not ship',
    files: { 'test/double/planted-a.ts': use('./planted-b.ts'), 'test/double/planted-b.ts': use('./planted-a.ts') },
    offences: ['test/double/planted-a.ts: is in a cycle of files'],
  },
  {
    name: 'two folders, without a cycle of files',
    files: {
      'src/engine/planted-a/one.ts': use('../planted-b/one.ts'),
      'src/engine/planted-a/two.ts': X,
      'src/engine/planted-b/one.ts': X,
      'src/engine/planted-b/two.ts': use('../planted-a/two.ts'),
    },
    offences: [
      `engine/planted-a: is in a cycle of folders: engine/planted-a -> engine/planted-b -> engine/planted-a
    src/engine/planted-a/one.ts:1 imports src/engine/planted-b/one.ts
    src/engine/planted-b/two.ts:1 imports src/engine/planted-a/two.ts`,
    ],
  },
  {
    name: 'a folder and the one above it',
    files: {
      'src/pprof/planted-above/one.ts': use('./below/one.ts'),
      'src/pprof/planted-above/two.ts': X,
      'src/pprof/planted-above/below/one.ts': X,
      'src/pprof/planted-above/below/two.ts': "import type { X } from '../two.ts';\nexport const y: X = 1;\n",
    },
    offences: [
      'pprof/planted-above: is in a cycle of folders: pprof/planted-above -> pprof/planted-above/below -> pprof/planted-above',
    ],
  },
  {
    name: 'three folders, by a type',
    files: {
      'web/planted-a/one.ts': use('../planted-b/one.ts'),
      'web/planted-a/two.ts': X,
      'web/planted-b/one.ts': X,
      'web/planted-b/two.ts': use('../planted-c/one.ts'),
      'web/planted-c/one.ts': X,
      'web/planted-c/two.ts': "export type Y = typeof import('../planted-a/two.ts');\n",
    },
    offences: [
      'web/planted-a: is in a cycle of folders: web/planted-a -> web/planted-b -> web/planted-c -> web/planted-a',
    ],
  },
  {
    name: 'no cycle: two paths to one file',
    files: {
      'src/base/planted-a.ts': "import './planted-b.ts';\nimport './planted-c.ts';\n",
      'src/base/planted-b.ts': "import './planted-d.ts';\n",
      'src/base/planted-c.ts': "import './planted-d.ts';\n",
      'src/base/planted-d.ts': X,
    },
    offences: [],
  },
  {
    name: 'no cycle: a test imports a file that does not import it',
    files: { 'src/base/planted-a.ts': X, 'src/base/planted-a.test.ts': use('./planted-a.ts') },
    offences: [],
  },
];
