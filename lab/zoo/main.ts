/** npm run zoo: real daemons and small programs of known truth, recorded and judged. See docs/zoo.md. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LabError } from '../lab-error.ts';
import { halfOf } from './halves.ts';
import { isWrong, judgeCases, casesIn, printAnswers, printCounts, printVerdicts, recordingsIn } from './judge.ts';
import { kubernetesCases } from './kubernetes.ts';
import { triageMembers } from './live.ts';
import { MEMBERS, type Member } from './members.ts';
import { CAPTURES, ROOT } from './places.ts';
import { recordAll } from './record.ts';
import { residentNow, runningMembers, startMembers, stopMembers } from './running.ts';

const USAGE = `  npm run zoo -- list                          the members, their halves and what is true of them
  npm run zoo -- up [names] --hours 3          brings, builds and starts them with their loads
  npm run zoo -- record [names] --age 4m,60m   the same, then records them with oakum triage at these ages
  npm run zoo -- judge [folder]                what oakum analyze and common rules say on recordings; 1 if one is wrong
  npm run zoo -- live [names] --at-once 8      oakum triage on each that runs; 1 if one is wrong
  npm run zoo -- status
  npm run zoo -- down [names]

Options:
  --hours N     after which members and loads end by themselves (default 3, or an hour more than the ages)
  --sets N      sets of profiles of a recording, 5 minutes apart (default 3)
  -o DIR        where recordings go (default .cache/zoo/captures); of live, where it keeps what triage captured
  --oakum FILE  the launcher that judges, for another build (default bin/oakum.js)
  --kubernetes  judge: the folder holds recordings of a cluster, as test/fixtures/recordings.br has them in lab/
  --counts      judge: only the counts, for the half that nobody should look at
`;

const OPTIONS = {
  hours: { type: 'string' },
  age: { type: 'string', default: '4m' },
  sets: { type: 'string', default: '3' },
  output: { type: 'string', short: 'o' },
  oakum: { type: 'string', default: join(ROOT, 'bin', 'oakum.js') },
  'at-once': { type: 'string', default: '8' },
  counts: { type: 'boolean', default: false },
  kubernetes: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Options = ReturnType<typeof parse>['values'];
type Command = (operands: readonly string[], options: Options) => Promise<number> | number;

const DEFAULT_HOURS = 3;

const COMMANDS: Readonly<Record<string, Command>> = {
  list() {
    for (const { name, truth, what } of MEMBERS) {
      print(`${name.padEnd(20)} ${halfOf(name)}  ${truth.padEnd(21)} ${what}`);
    }
    return 0;
  },
  async up(names, { hours }) {
    await startMembers(named(names), positive('hours', hours ?? String(DEFAULT_HOURS)), say);
    return 0;
  },
  async down(names) {
    await stopMembers(names.length === 0 ? undefined : named(names).map(({ name }) => name));
    return 0;
  },
  status() {
    for (const { name, url, startedAt } of runningMembers()) {
      const minutes = Math.round((Date.now() - Date.parse(startedAt)) / 60_000);
      print(`${name.padEnd(20)} ${url.padEnd(24)} ${minutes} min ${Math.round(residentNow(name) / 2 ** 20)} MiB`);
    }
    return 0;
  },
  async record(names, { age, hours, sets, output }) {
    const ages = age.split(',').map(minutesOf);
    const lifetime = hours ?? String(Math.max(DEFAULT_HOURS, Math.max(...ages) / 60 + 1));
    await startMembers(named(names), positive('hours', lifetime), say);
    const recordings = ofRunning(names).flatMap(one => ages.map(ageMinutes => ({ ...one, ageMinutes })));
    await recordAll(recordings, resolve(output ?? CAPTURES), positive('sets', sets), say);
    return 0;
  },
  async judge([given, ...more], { oakum, counts, kubernetes }) {
    if (more.length > 0) throw new LabError('judge takes one folder');
    const folder = resolve(given ?? CAPTURES);
    const groups = kubernetes ? [kubernetesCases(folder)] : foldersWithRecordings(folder).map(one => casesIn(one));
    let wrong = 0;
    for (const cases of groups) {
      const answers = await judgeCases(cases, resolve(oakum));
      if (!counts) printAnswers(answers, print);
      printCounts(answers, print);
      print('');
      wrong += answers.filter(isWrong).length;
    }
    return wrong === 0 ? 0 : 1;
  },
  async live(names, { oakum, 'at-once': width, output }) {
    const answers = await triageMembers(ofRunning(names), {
      oakum: resolve(oakum),
      width: positive('at-once', width),
      keepIn: output === undefined ? undefined : resolve(output),
      print,
    });
    printVerdicts(answers, print);
    return answers.some(isWrong) ? 1 : 0;
  },
};

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parse(argv);
    const [command, ...operands] = positionals;
    if (values.help || command === undefined) {
      process.stdout.write(USAGE);
      return values.help ? 0 : 2;
    }
    if (!Object.hasOwn(COMMANDS, command)) throw new LabError(`no command ${command}`);
    return await COMMANDS[command](operands, values);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    say(`${error.message}; npm run zoo -- --help shows what there is`);
    return 4;
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new LabError((error as Error).message.split('. ')[0]);
  }
}

function ofRunning(names: readonly string[]) {
  const running = new Map(runningMembers().map(one => [one.name, one]));
  return named(names).flatMap(member => {
    const one = running.get(member.name);
    return one === undefined ? [] : [{ member, running: one }];
  });
}

/** The folder itself, or its halves. */
function foldersWithRecordings(folder: string): string[] {
  const folders = [folder, join(folder, 'tune'), join(folder, 'test')].filter(existsSync);
  const found = folders.filter(one => recordingsIn(one).length > 0);
  if (found.length === 0) throw new LabError(`${folder} has no NAME.truth.json`);
  return found;
}

function named(names: readonly string[]): readonly Member[] {
  if (names.length === 0) return MEMBERS;
  return names.map(name => {
    const member = MEMBERS.find(candidate => candidate.name === name);
    if (member === undefined) throw new LabError(`no member ${name}`);
    return member;
  });
}

/** 4m, 1h, 90 -> minutes. */
function minutesOf(text: string): number {
  const [, digits, unit] = /^(\d+)(m|h)?$/.exec(text) ?? [];
  if (digits === undefined) throw new LabError(`--age takes ages like 4m or 1h, separated by commas, not ${text}`);
  return Number(digits) * (unit === 'h' ? 60 : 1);
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new LabError(`--${option} takes a number above 0, not ${text}`);
  return number;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  process.stderr.write(`zoo: ${line}\n`);
}
