/** Files that import each other. */
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
    name: 'no cycle: a folder and its subfolder are one feature',
    files: {
      'src/live/planted/one.ts': use('./below/one.ts'),
      'src/live/planted/two.ts': X,
      'src/live/planted/below/one.ts': X,
      'src/live/planted/below/two.ts': "import type { x } from '../two.ts';\nexport type Y = typeof x;\n",
    },
    offences: [],
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
