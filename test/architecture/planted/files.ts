/** Sizes, names and re-exports of files. */
import { longText, nearMiss, offence, type Plant } from './plant.ts';

const FILE = 'src/base/planted.ts';
const TEXT = 'export const y = 1;\n';
const PASSES_ON = 'only src/index.ts may pass on';

export const FILES: readonly Plant[] = [
  offence('a file of 801 lines', FILE, longText(801), 'has 801 lines; the limit is 800'),
  offence('a last line without an end', FILE, `${longText(800)}//`, 'has 801 lines; the limit is 800'),
  offence('a test of 801 lines', 'src/base/planted.test.ts', longText(801), 'has 801 lines'),
  offence('a script of 801 lines', 'scripts/planted.mjs', longText(801), 'has 801 lines'),
  offence('a style sheet of 801 lines', 'web/planted/planted.css', 'p {}\n'.repeat(801), 'has 801 lines'),
  offence('a program of 801 lines', 'lab/go/planted/main.go', '\n'.repeat(801), 'has 801 lines'),
  offence('camel case', 'src/base/planted-bigText.ts', TEXT, '"planted-bigText.ts" is not in kebab-case'),
  offence('snake case', 'bench/planted_text.ts', TEXT, '"planted_text.ts" is not in kebab-case'),
  offence('a folder in upper case', 'web/Planted/planted.ts', TEXT, '"Planted" is not in kebab-case'),
  offence('utils', 'src/base/planted-utils.ts', TEXT, '"utils" says nothing'),
  offence('a manager', 'src/base/planted-manager.ts', TEXT, '"manager" says nothing'),
  offence('a folder of helpers', 'test/helpers/planted.ts', TEXT, '"helpers" says nothing'),
  offence('a common test', 'src/base/common.test.ts', TEXT, '"common" says nothing'),
  offence('an index', 'src/base/planted/index.ts', TEXT, 'only the library has an index'),
  offence('a barrel', FILE, "export * from './innocent.ts';\n", PASSES_ON),
  offence('a barrel of types', FILE, "export type { X } from './innocent.ts';\n", PASSES_ON),
  offence('a namespace', FILE, "export * as all from './innocent.ts';\n", PASSES_ON),
  offence(
    'an exported import',
    FILE,
    "import { x } from './innocent.ts';\nexport const y = 1;\nexport { x as z };\n",
    PASSES_ON,
  ),
  offence('an import as the default', FILE, "import * as x from './innocent.ts';\nexport default x;\n", PASSES_ON),
  offence('plain JavaScript', 'src/base/planted.mjs', TEXT, 'code in src/ is in .ts files'),
  offence('JSX in the core', 'src/base/planted.tsx', TEXT, 'code in src/ is in .ts files'),
  offence('declarations', 'src/base/planted.d.ts', 'export type Y = 1;\n', 'code in src/ is in .ts files'),
  nearMiss('a file of 800 lines', FILE, longText(800)),
  nearMiss('a long command with its work', 'src/cli/commands/planted.ts', longText(300)),
  nearMiss('a long capture', 'test/fixtures/captures/Planted_Dump.yaml', 'a: 1\n'.repeat(900)),
  nearMiss('a name with a number', 'src/base/planted-2.ts', TEXT),
  nearMiss('a word within a word', 'src/base/planted-uncommon-utility.ts', TEXT),
  nearMiss(
    'an export of its own',
    FILE,
    "import { x } from './innocent.ts';\nconst y = x;\nexport { y };\nexport default y;\n",
  ),
  nearMiss('a known leak by its name', 'src/knowledge/leaks/planted-manager.yaml', 'a: 1\n'),
];
