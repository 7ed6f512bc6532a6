/** Ways to load a module that a reader of imports could overlook. */
import { nearMiss, offence, type Plant } from './plant.ts';

const FILE = 'src/judge/planted.ts';
const LIVE = '../live/innocent.ts';
const WRONG = 'judge may not import live (src/live/innocent.ts)';
const NO_FS = 'judge may not import node:fs';

type Line = readonly [name: string, text: string, problem?: string];

/** From a room below `live`, outside io/. */
const HIDDEN: readonly Line[] = [
  ['an import', `import { x } from '${LIVE}';\nexport const y = x;`],
  ["an apostrophe in the import list's comment", `import {\n  x, // it's here\n} from '${LIVE}';\nexport const y = x;`],
  ['a quote in a comment before the path', `import { x } from /* "x" */ '${LIVE}';\nexport const y = x;`],
  ['an import after a statement on its line', `const y = 1; import { x } from '${LIVE}';\nexport const z = x + y;`],
  [
    'an import after what looks like a comment',
    `const y = /[/*]/;\nimport { x } from '${LIVE}';\nexport const z = [x, y]; // */`,
  ],
  ['an import after a template', `export const y = \`\${'\`'} import\`; import '${LIVE}';`],
  ['an import for its side effects', `import '${LIVE}';`],
  ['an import of a type', `import type { X } from '${LIVE}';\nexport const y: X = 1;`],
  ['an import of one type by name', `import { type X } from '${LIVE}';\nexport const y: X = 1;`],
  ['an import of everything', `import * as all from '${LIVE}';\nexport const y = all.x;`],
  ['an import with an escape in its path', `import { x } from '../l\\u0069ve/innocent.ts';\nexport const y = x;`],
  ['a deferred import', `import defer * as all from '${LIVE}';\nexport const y = all.x;`],
  ['import = require', `import all = require('${LIVE}');\nexport const y = all.x;`],
  ['a type by import()', `export type Y = import('${LIVE}').X;`],
  ['typeof import()', `export type Y = typeof import('${LIVE}');`],
  ['import()', `export const y = await import('${LIVE}');`],
  ['import() of a template', `export const y = await import(\`${LIVE}\`);`],
  ['import() with a comment inside', `export const y = await import(/* it's */ '${LIVE}');`],
  ['import() with parentheses', `export const y = await import(('${LIVE}'));`],
  ['import() deep inside', `export const y = async () => [{ z: (await import('${LIVE}')).x }];`],
  ['a reference in a comment', `/// <reference path="${LIVE}" />\nexport const y = 1;`],
  ['the URL of a module', `export const y = new URL('${LIVE}', import.meta.url);`],
  ['a module of Node', `import { readFileSync } from 'node:fs';\nexport const y = readFileSync;`, NO_FS],
  ['a type of Node', `import type { Stats } from 'node:fs';\nexport type Y = Stats;`, NO_FS],
  [
    'a submodule of Node',
    `export const y = await import('node:fs/promises');`,
    'judge may not import node:fs/promises',
  ],
  [
    'types of Node by reference',
    `/// <reference types="node" />\nexport const y = 1;`,
    'imports node, which is not in',
  ],
  [
    'types of a browser by reference',
    `/// <reference lib="dom" />\nexport const y = 1;`,
    'imports lib:dom, which is not in',
  ],
  ['a package', `import { parse } from 'yaml';\nexport const y = parse;`, 'judge may not import yaml'],
  [
    'a package that is allowed nowhere',
    `import y from 'left-pad';\nexport const z = y;`,
    'imports left-pad, which is not in',
  ],
  ['the package itself', `import { x } from 'oakum';\nexport const y = x;`, 'imports oakum, which is not in'],
  ['an absolute path', `import { x } from '/live/innocent.ts';\nexport const y = x;`, 'imports /live/innocent.ts'],
  ['a data URL', `export const y = await import('data:text/javascript,export{}');`, 'imports data:text/javascript'],
];

const IO = 'src/live/io/planted.ts';
const COMPUTED = 'loads what it computes';
const META = 'import.meta is only for new URL()';
const BUILTIN = 'getBuiltinModule loads code';

/** In a folder that may use Node, but not in these ways. */
const SECRET: readonly Line[] = [
  ['import() of a variable', 'export const y = (z: string) => import(z);', COMPUTED],
  ['import() of a template with a variable', 'export const y = (z: string) => import(`../${z}.ts`);', COMPUTED],
  ['import() of a sum', "export const y = import('../io/' + 'x.ts');", COMPUTED],
  ['new URL of a variable', 'export const y = (z: string) => new URL(z, import.meta.url);', COMPUTED],
  ['a worker by a variable', 'export const y = (z: URL) => new Worker(z);', COMPUTED],
  ['the folder of the module', 'export const y = import.meta.dirname;', META],
  ['the place of the module in a variable', 'const z = import.meta.url;\nexport const y = z;', META],
  ['getBuiltinModule', "export const y = process.getBuiltinModule('node:vm');", BUILTIN],
  ['getBuiltinModule in brackets', "export const y = process['getBuiltinModule']('node:vm');", BUILTIN],
  ['getBuiltinModule taken out', "const { getBuiltinModule: z } = process;\nexport const y = z('node:vm');", BUILTIN],
  ['process.binding', "export const y = process.binding('fs');", 'process.binding loads code'],
  ['process.binding in brackets', "export const y = process['binding']('fs');", 'process.binding loads code'],
  ['dlopen', 'export const y = process.dlopen;', 'dlopen loads code'],
  ['eval', "export const y = eval('1');", 'eval hides code'],
  ['new Function', "export const y = [new Function('return process')];", 'Function hides code'],
  [
    'the constructor of a function',
    "export const y = (() => 1).constructor('return process')();",
    'constructor() loads code',
  ],
  ['node:vm', "import { Script } from 'node:vm';\nexport const y = Script;", 'cli/planted may not import node:vm'],
  [
    'a module of Node without node:',
    "import { readFileSync } from 'fs';\nexport const y = readFileSync;",
    'imports fs, which is not in',
  ],
  [
    'a file that is not there',
    "import { x } from './innocent.js';\nexport const y = x;",
    'loads src/cli/planted/innocent.js, which',
  ],
  [
    'a worker that is not there',
    "export const y = new URL('./absent-worker.ts', import.meta.url);",
    'loads src/cli/planted/absent-worker.ts, which',
  ],
  ['a package found by its name', "export const y = import.meta.resolve('hono');", 'cli/planted may not import hono'],
];

export const LOADS: readonly Plant[] = [
  ...HIDDEN.map(([name, text, problem = WRONG], index) =>
    offence(name, `src/judge/planted-${index}.ts`, text, problem),
  ),
  ...SECRET.map(([name, text, problem = ''], index) =>
    offence(name, `src/cli/planted/planted-${index}.ts`, text, problem),
  ),
  {
    name: 're-exports',
    files: { [FILE]: `export * from '${LIVE}';\nexport type { X as Z } from '${LIVE}';\n` },
    offences: [`${FILE}: ${WRONG}`, `${FILE}: ${WRONG}`, `${FILE}: only src/index.ts`, `${FILE}: only src/index.ts`],
  },
  {
    name: 'a module that is extended',
    files: { [FILE]: `declare module '${LIVE}' {\n  interface Z {}\n}\nexport {};\n` },
    offences: [`${FILE}: ${WRONG}`, `${FILE}: declare may give`],
  },
  {
    name: 'a worker',
    files: { [FILE]: `export const y = [new Worker(new URL('${LIVE}', import.meta.url))];` },
    offences: [`${FILE}: ${WRONG}`, `${FILE}: judge may not use Worker`],
  },
  offence(
    'the name of a thread',
    'src/live/planted.ts',
    "export const y = (start: (...z: string[]) => void) => start('./io/innocent', import.meta.url);",
    'live may not import live/io',
  ),
  {
    name: 'createRequire',
    files: {
      [IO]: "import { createRequire } from 'node:module';\nexport const y = createRequire('/')('node:fs');",
    },
    offences: [
      `${IO}: live/io may not import node:module`,
      `${IO}: createRequire loads code`,
      `${IO}: createRequire loads code`,
    ],
  },
  {
    name: 'require',
    files: { [FILE]: "export const y = require('node:fs');" },
    offences: [`${FILE}: ${NO_FS}`, `${FILE}: require hides code`, `${FILE}: judge may not use require`],
  },
  nearMiss(
    'imports in comments and strings',
    FILE,
    `// import { x } from '${LIVE}';\n/* it's import('${LIVE}') */\nexport const y = "import { x } from '${LIVE}'";\nexport const z = \`import('\${y}')\`;\n`,
  ),
  nearMiss(
    'names that look like loaders',
    FILE,
    "export const y = { require: (z: string) => z, binding: 1, eval: 2, import: 3 };\nexport const w = [y.require('node:fs'), y.binding, y.eval, y.import];\n",
  ),
  nearMiss(
    'a folder of data',
    'src/cli/planted/planted.ts',
    "export const y = new URL('../../../demo/', import.meta.url);",
  ),
  nearMiss('a module of Node in io/', IO, "import { readFile } from 'node:fs/promises';\nexport const y = readFile;"),
  nearMiss(
    'a command that is loaded when it is called',
    'src/cli/planted/planted.ts',
    "export const y = async () => (await import('../commands/innocent.ts')).x;",
  ),
  nearMiss(
    'a test may import anything',
    'src/judge/planted.test.ts',
    `import { x } from '${LIVE}';\nimport { readFileSync } from 'node:fs';\nexport const y = [x, readFileSync, process, Math.random(), import.meta.url];`,
  ),
];
