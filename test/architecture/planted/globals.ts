/** Ways to reach the environment, the clock or random numbers without an import. */
import { nearMiss, offence, type Plant } from './plant.ts';

const FILE = 'src/judge/planted/planted.ts';

const REACHES: readonly (readonly [text: string, name: string])[] = [
  ['process.env.HOME', 'process'],
  ['typeof process', 'process'],
  ['proc\\u0065ss.env', 'process'],
  ['((z = process) => z)()', 'process'],
  ['{ process }', 'process'],
  ['[...[fetch]]', 'fetch'],
  ["fetch('http://localhost')", 'fetch'],
  ['globalThis.fetch', 'globalThis'],
  ["globalThis?.['fetch']", 'globalThis'],
  ['global.process', 'global'],
  ["Buffer.from('')", 'Buffer'],
  ['setTimeout(() => {}, 1)', 'setTimeout'],
  ['setImmediate', 'setImmediate'],
  ["console.log('')", 'console'],
  ['performance.now()', 'performance'],
  ['crypto.randomUUID()', 'crypto'],
  ['new WebSocket("ws://localhost")', 'WebSocket'],
  ['navigator.language', 'navigator'],
  ['new Intl.DateTimeFormat().format()', 'Intl'],
  ['AbortSignal.timeout(1)', 'AbortSignal.timeout'],
  ['Math.random()', 'Math.random'],
  ['(({ random }) => random())(Math)', 'Math as a value'],
  ["Math['random']()", 'Math as a value'],
  ['Date.now()', 'Date.now'],
  ['[1].map(Date.now)', 'Date.now'],
  ['new Date()', 'new Date()'],
  ['new Date', 'new Date()'],
  ['new Date(...[])', 'new Date()'],
  ['Date()', 'Date()'],
  ['new (class extends Date {})()', 'Date as a value'],
  ['new (Date as any)()', 'Date as a value'],
  ["Date['now']()", 'Date as a value'],
];

/** Only the command line may read or end these, even beside I/O. */
const OF_THE_COMMAND_LINE: readonly (readonly [text: string, name: string])[] = [
  ['export const y = process.env.HOME;\n', 'process.env'],
  ['export const y = process.argv[2];\n', 'process.argv'],
  ['export const y = () => process.exit(1);\n', 'process.exit'],
  ['export const y = () => void (process.exitCode = 1);\n', 'process.exitCode'],
  ['const { env } = process;\nexport const y = env;\n', 'process'],
  ["export const y = process['env'];\n", 'process.env'],
];

export const GLOBALS: readonly Plant[] = [
  ...REACHES.map(([text, name], index) =>
    offence(
      text,
      `src/judge/planted/planted-${index}.ts`,
      `export const y = [${text}];\n`,
      `judge/planted may not use ${name}`,
    ),
  ),
  {
    name: 'the location of the module',
    files: { [FILE]: 'export const y = import.meta.url;\n' },
    offences: [`${FILE}: import.meta is only for`, `${FILE}: judge/planted may not use import.meta`],
  },
  offence('a type of Node', FILE, 'export type Y = NodeJS.Timeout;\n', 'judge/planted may not use NodeJS'),
  offence('the clock beside io/', 'src/live/planted.ts', 'export const y = Date.now();\n', 'live may not use Date.now'),
  offence(
    'a name that only another function declares',
    FILE,
    'export const y = (fetch: () => 1) => fetch();\nexport const z = () => fetch();\n',
    'judge/planted may not use fetch',
  ),
  offence(
    'a global that is declared',
    FILE,
    'declare const process: { env: object };\nexport const y = process.env;\n',
    'declare may give a global another meaning',
  ),
  offence(
    'a global that is declared for all',
    FILE,
    'declare global {\n  var answer: number;\n}\nexport const y = 1;\n',
    'declare may give a global another meaning',
  ),
  ...OF_THE_COMMAND_LINE.flatMap(([text, name], index) => [
    offence(`${text} in io/`, `src/store/io/planted-${index}.ts`, text, `store/io may not use ${name}`),
    nearMiss(`${text} in cli/`, `src/cli/planted/planted-${index}.ts`, text),
  ]),
  offence(
    'process.env in the browser',
    'web/planted/planted.ts',
    'export const y = process.env;\n',
    'web/planted may not use process.env',
  ),
  offence(
    'process as a module',
    'src/store/io/planted.ts',
    "import { env } from 'node:process';\nexport const y = env;\n",
    'store/io may not import node:process',
  ),
  nearMiss(
    'keys and members',
    FILE,
    "export const y = { process: 1, fetch: 2, Date: 3, console() {} };\nexport const z = [y.process, y.fetch, y.Date, y['process']];\nexport interface Z { readonly process: string; performance?: number }\n",
  ),
  nearMiss(
    'names of its own',
    FILE,
    'export function y(process: string, { fetch }: { fetch: () => void }, { global: z }: { global: 1 }) {\n  const performance = [process, z];\n  fetch();\n  return { process, performance };\n}\n',
  ),
  nearMiss(
    'names that it imports',
    FILE,
    "import { x as process } from '../../base/innocent.ts';\nexport const y = { process };\n",
  ),
  nearMiss('a label', FILE, 'export function y() {\n  self: for (;;) {\n    break self;\n  }\n}\n'),
  nearMiss(
    'dates with an argument',
    FILE,
    "export const y = [new Date(0), new Date('2026-01-01'), Date.UTC(2026), Date.parse('')];\nexport const z = (w: unknown): w is Date => w instanceof Date;\n",
  ),
  nearMiss(
    'a signal that is passed on',
    FILE,
    'export const y = (z: AbortSignal) => AbortSignal.any([z, new AbortController().signal]);\n',
  ),
  nearMiss(
    'sums',
    FILE,
    'export const y = Math.floor(Math.PI) + Number.MAX_SAFE_INTEGER + new Map([[1, structuredClone(2)]]).size;\n',
  ),
  nearMiss(
    'words in text',
    FILE,
    "// process, fetch, Date.now()\nexport const y = 'process.env' + `setTimeout ${1}`;\nexport const z = /console|Math.random/;\n",
  ),
  nearMiss(
    'globals in io/',
    'src/live/io/planted.ts',
    'export const y = [process.pid, Date.now(), Math.random(), setTimeout, Buffer];\n',
  ),
  nearMiss(
    'globals of a browser in web/',
    'web/planted/planted.tsx',
    'export const y = <p title={document.title}>{window.location.href} process</p>;\n',
  ),
];
