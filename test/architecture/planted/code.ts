/** Long functions, state of modules, logic in commands, and what code may not spell out itself. */
import { longText, nearMiss, offence, type Plant } from './plant.ts';

const FILE = 'src/base/planted.ts';
const COMMAND = 'src/cli/commands/planted.ts';
const statements = (count: number): string => '  z();\n'.repeat(count);

/** Text in a file of its own, and what is wrong with it. */
type Line = readonly [name: string, text: string, problem: string];

const STATE: readonly Line[] = [
  [
    'a cache',
    'const cache = new Map<string, number>();\nexport const y = (z: string) => cache.set(z, 1);\n',
    'cache is state',
  ],
  [
    'a cache with a type',
    'const cache: Map<string, number> = new Map();\nexport const y = (z: string) => cache.set(z, 1);\n',
    'cache is state',
  ],
  [
    'an exported set',
    'export const seen = new Set<string>();\nexport const y = (z: string) => void seen.add(z);\n',
    'seen is state',
  ],
  [
    'a weak map',
    'const cache = new WeakMap<object, number>();\nexport const y = (z: object) => cache.set(z, 1);\n',
    'cache is state',
  ],
  ['a list', 'const list: number[] = [];\nexport const y = (z: number) => list.push(z);\n', 'list is state'],
  [
    'a record',
    'const cache: Record<string, number> = {};\nexport const y = (z: string) => {\n  cache[z] = 1;\n};\n',
    'cache is state',
  ],
  [
    'a counter in an object',
    'const totals = { count: 0 };\nexport const y = () => totals.count++;\n',
    'totals is state',
  ],
  ['a list in an object', 'const all = { list: [1] };\nexport const y = () => all.list.push(1);\n', 'all is state'],
  ['a deleted key', 'const all: Record<string, 1> = { z: 1 };\nexport const y = () => delete all.z;\n', 'all is state'],
  ['a variable', 'let count = 0;\nexport const y = () => (count += 1);\n', 'count is state'],
  ['an exported variable', 'export let count = 0;\nexport const y = () => (count += 1);\n', 'count is state'],
  ['an old variable', 'var count = 0;\nexport const y = () => (count += 1);\n', 'count is state'],
  ['a variable of a class', 'export class Y {\n  static count = 0;\n}\n', 'count is state'],
  ['a cache of a class', 'export class Y {\n  static readonly #cache = new Map();\n}\n', '#cache is state'],
  [
    'an object of a class of our own',
    'class Cache {\n  readonly all = new Map();\n}\nexport const cache = new Cache();\n',
    'cache is state',
  ],
  [
    'a record without a prototype',
    'const all: Record<string, 1> = Object.create(null);\nexport const y = (z: string) => void (all[z] = 1);\n',
    'all is state',
  ],
];

/** What stands in a command, as members of its object, and before it. */
const LOGIC: readonly (readonly [name: string, members: string, problem: string, before?: string])[] = [
  ['a loop that sums', 'request: (z) => {\n  for (const one of z) one();\n}', 'a loop'],
  ['a loop by reduce', 'request: (z) => z.reduce((a, b) => Math.max(a, b), 0)', 'a loop'],
  ['while', 'request: (z) => {\n  while (z());\n}', 'a loop'],
  ['arithmetic', 'request: (z) => z / 3600', 'arithmetic'],
  ['a sum', 'request: (z) => {\n  z.w += 2;\n}', 'arithmetic'],
  ['a counter', 'request: (z) => z.w++', 'arithmetic'],
  ['a variable', 'request: (z) => {\n  let w = z();\n  return () => (w = z());\n}', 'let'],
  ['a regular expression', 'request: (z) => /goroutine (\\d+)/.exec(z)', 'a regular expression'],
  ['a regular expression by name', "request: (z) => new RegExp('a+').exec(z)", 'a regular expression'],
  [
    'a file that is read',
    'request: (z) => readFileSync(z)',
    'the use of node:fs',
    "import { readFileSync } from 'node:fs';\n",
  ],
  ['a file that is parsed', 'request: (z) => JSON.parse(z)', 'JSON.parse'],
  ['YAML that is parsed', 'request: parse', 'the use of yaml', "import { parse } from 'yaml';\n"],
  ['YAML that is loaded', "request: async () => (await import('yaml')).parse", 'the use of yaml'],
  ['try', 'request: (z) => {\n  try {\n    z();\n  } finally {\n    z();\n  }\n}', 'try'],
  ['a function of 13 lines', `run: (z) => {\n${statements(11)}}`, 'a function of more than 12 lines'],
  [
    'a fourth decision',
    `request: (z) => {\n${['a', 'b', 'c', 'd'].map(w => `  if (z === '${w}') return 1;\n`).join('')}}`,
    'decision number 4',
  ],
  [
    'arithmetic in an option of a table',
    'options: OPTIONS',
    'arithmetic',
    'const GAP = { read: z => z / 60 };\nconst OPTIONS = { ...GAP };\n',
  ],
];

const RAW_JSON = 'JSON is printed by src/report/json.ts';
const JSON_TEXT = 'export const y = (z: object) => `${JSON.stringify(z, null, 2)}\\n`;\n';

const UNITS: readonly (readonly [name: string, text: string])[] = [
  ['mebibytes', 'export const y = (z: number) => `${z} MiB`;\n'],
  ['gibibytes without a space', 'export const y = (z: number) => `${z}GiB of it`;\n'],
  ['a rate', 'export const y = (z: string) => `grows ${z}/h`;\n'],
  ['bytes per hour', 'export const y = (z: number) => `${z} B/h, and more`;\n'],
  ['hours, in the middle', 'export const y = (z: number) => `in ${z} h, ${z} of them`;\n'],
  ['minutes', 'export const y = (z: number) => `${z} min`;\n'],
  ['seconds, added', "export const y = (z: number) => z + ' s';\n"],
];

export const CODE: readonly Plant[] = [
  offence(
    'a function of 383 lines',
    FILE,
    `export function y(z: () => void) {\n${statements(381)}}\n`,
    'a function of 383 lines; the limit is 80',
  ),
  offence(
    'a function of 81 lines',
    FILE,
    `export function y(z: () => void) {\n${statements(79)}}\n`,
    'a function of 81 lines',
  ),
  offence(
    'an arrow function',
    FILE,
    `export const y = (z: () => void) => {\n${statements(79)}};\n`,
    'a function of 81 lines',
  ),
  offence(
    'a method',
    FILE,
    `export class Y {\n  y(z: () => void) {\n${statements(79)}  }\n}\n`,
    'a function of 81 lines',
  ),
  offence(
    'a constructor',
    FILE,
    `export class Y {\n  constructor(z: () => void) {\n${statements(79)}  }\n}\n`,
    'a function of 81 lines',
  ),
  offence(
    'a function with functions in it',
    FILE,
    `export function y(z: () => void) {\n  const w = () => {\n${statements(40)}  };\n  const v = () => {\n${statements(40)}  };\n  return [w, v];\n}\n`,
    'a function of 87 lines',
  ),
  offence(
    'a long function of a script',
    'scripts/planted.mjs',
    `export function y(z) {\n${statements(79)}}\n`,
    'a function of 81 lines',
  ),
  offence(
    'a long function of a test',
    'src/base/planted.test.ts',
    `function y(z: () => void) {\n${statements(79)}}\nexport const w = y;\n`,
    'a function of 81 lines',
  ),
  nearMiss('a function of 80 lines', FILE, `export function y(z: () => void) {\n${statements(78)}}\n`),
  nearMiss(
    'a class of 300 lines',
    FILE,
    `export class Y {\n${Array.from({ length: 6 }, (_, index) => `  y${index}(z: () => void) {\n${statements(48)}  }\n`).join('')}}\n`,
  ),
  nearMiss(
    'a group of tests',
    'src/base/planted.test.ts',
    `describe('y', () => {\n  it('z', () => {\n${statements(100)}  });\n});\nexport {};\n`,
  ),
  nearMiss(
    'a contract',
    'test/contract/planted.ts',
    `export function y(z: () => void) {\n  it('z', z);\n${statements(100)}}\n`,
  ),

  ...STATE.map(([name, text, problem], index) =>
    offence(`state: ${name}`, `src/base/planted-state-${index}.ts`, text, problem),
  ),
  offence(
    'state in the browser',
    'web/planted/planted.ts',
    'let count = 0;\nexport const y = () => count++;\n',
    'count is state',
  ),
  nearMiss(
    'a table',
    FILE,
    "const NAMES = new Map([['a', 1]]);\nconst LIST = ['a'];\nexport const y = (z: string) => [NAMES.get(z), LIST.includes(z)];\n",
  ),
  nearMiss(
    'a collection of a function',
    FILE,
    'export function y() {\n  const seen = new Set<number>();\n  let z = 0;\n  return () => seen.add(z++);\n}\n',
  ),
  nearMiss(
    'a copy that is sorted',
    FILE,
    "const LIST = ['b', 'a'];\nexport const y = () => [...LIST].sort();\nexport const z = LIST.map(w => w === 'a');\n",
  ),
  nearMiss(
    'objects of the language',
    FILE,
    "const DECODER = new TextDecoder();\nconst ZERO = new Float64Array(8);\nexport const y = [DECODER, ZERO, new RegExp('a')];\n",
  ),
  nearMiss('state of a test', 'src/base/planted.test.ts', 'let count = 0;\nexport const y = () => count++;\n'),
  nearMiss('a constant of a class', FILE, 'export class Y {\n  static readonly limit = 3;\n}\n'),

  ...LOGIC.flatMap(([name, members, problem, before = ''], index) => [
    offence(
      `a command with ${name}`,
      `src/cli/commands/planted-${index}.ts`,
      `${before}export const command = {\n${members},\n};\n`,
      `${problem} in a command`,
    ),
    offence(
      `a command line with ${name}`,
      `src/cli/planted/planted-command-${index}.ts`,
      `import { x as defineCommand } from './innocent.ts';\n${before}const line = {\n${members},\n};\nexport const command = defineCommand(line, defineCommand);\n`,
      `${problem} in a command`,
    ),
  ]),
  offence(
    'a command that does the work itself',
    COMMAND,
    "import { x as defineCommand } from './innocent.ts';\nexport const command = defineCommand({}, () => {\n  defineCommand();\n});\n",
    'more than one call in a command',
  ),
  offence(
    'a command of 151 lines',
    COMMAND,
    `export const command = {\n${'  x: 1,\n'.repeat(149)}};\n`,
    'a command of 151 lines; the limit is 150',
  ),
  nearMiss(
    'a command',
    COMMAND,
    "import { x } from './innocent.ts';\nconst SECONDS = 6 * 3600;\nexport const command = {\n  request: (values: { cpu: number }, operands: string[]) => {\n    if (operands.length > 1) throw new Error('one');\n    if (values.cpu > SECONDS) {\n      throw new Error('less');\n    }\n    return { ...values, names: operands.map(name => `${name}!`), x, flag: !values.cpu };\n  },\n  run: async () => (await import('./innocent.ts')).x,\n};\n",
  ),
  nearMiss(
    'the long request of a command',
    COMMAND,
    `export const command = { request: (z: number) => ({\n${longText(40)
      .replaceAll(/export const (\w+) =/g, '$1:')
      .replaceAll(';', ',')}}) };\n`,
  ),
  nearMiss('a command of 150 lines', COMMAND, `export const command = {\n${'  x: 1,\n'.repeat(148)}};\n`),
  nearMiss(
    'the work of a command',
    'src/cli/commands/planted-work.ts',
    "import { readFileSync } from 'node:fs';\nimport { x as defineCommand } from './innocent.ts';\nexport const command = defineCommand({ run: work }, (z: string) => work(z));\nconst SPACE = / +/;\nfunction work(z: string) {\n  for (const w of readFileSync(z, 'utf8').split(SPACE)) if (w.length / 2 > 1) return w;\n}\n",
  ),
  nearMiss(
    'a loop in the test of a command',
    'src/cli/commands/planted.test.ts',
    'export const command = (z: readonly number[]) => z.reduce((a, b) => a + b, 0);\n',
  ),

  offence('JSON that the command line prints', 'src/cli/planted/planted.ts', JSON_TEXT, RAW_JSON),
  offence('JSON that a command prints', COMMAND, JSON_TEXT, RAW_JSON),
  offence('JSON of a printer', 'src/report/planted.ts', JSON_TEXT, RAW_JSON),
  offence('JSON of the printer of a room', 'src/act/report/planted.ts', JSON_TEXT, RAW_JSON),
  offence('JSON in a text', 'src/live/planted-text.ts', JSON_TEXT, RAW_JSON),
  offence(
    'JSON under another name',
    'src/cli/planted/planted.ts',
    'const { stringify } = JSON;\nexport const y = stringify;\n',
    RAW_JSON,
  ),
  nearMiss('JSON that is read', 'src/cli/planted/planted.ts', 'export const y = (z: string) => JSON.parse(z);\n'),
  nearMiss('JSON of a request', 'src/live/io/planted.ts', JSON_TEXT),

  ...UNITS.map(([name, text], index) =>
    offence(`an amount in ${name}`, `src/judge/planted-unit-${index}.ts`, text, 'an amount with its unit'),
  ),
  offence(
    'an amount of a page',
    'web/planted/planted.tsx',
    'export const y = (z: number) => <p>{z} MiB</p>;\n',
    'an amount with its unit',
  ),
  nearMiss('a path', FILE, 'export const y = (z: string) => `${z}/healthz ${z}/h-1 ${z} hours ${z} s=1`;\n'),
  nearMiss('a limit in a sentence', FILE, "export const y = 'Go cuts the list at 64 MiB';\n"),
  nearMiss('an amount of a test', 'src/base/planted.test.ts', 'export const y = (z: number) => `${z} MiB`;\n'),

  offence('MOST_', FILE, 'const MOST_LINES = 3;\nexport const y = MOST_LINES;\n', 'MOST_LINES: constants for limits'),
  offence('LEAST_', 'bench/planted.ts', 'export const LEAST_LINES = 3;\n', 'LEAST_LINES: constants for limits'),
  offence(
    'MOST_ in a function',
    FILE,
    'export function y() {\n  const MOST_LINES = 3;\n  return MOST_LINES;\n}\n',
    'MOST_LINES: constants for limits',
  ),
  nearMiss('MAX_', FILE, "export const MAX_LINES = 3; // once MOST_LINES\nexport const y = 'LEAST_';\n"),
];
