/** Goroutine dumps with full stacks: how fast text becomes stacks, measured inside the process after the file is read. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { input } from '../inputs.ts';
import { buildGostackparse } from '../peer.ts';
import type { Outcome, Section, Setting } from '../section.ts';
import { spreadOf, type Spread } from '../statistics.ts';
import { rate, table, times, type Cells, type Goal } from '../table.ts';

const READS = 5;
const MIN_RATE = 200;
const AIM_RATE = 300;
const DUMPS = [
  { name: 'goroutines.debug2.txt', what: 'without labels' },
  { name: 'goroutines-labels.debug2.txt', what: 'every other with labels' },
];

interface Reading {
  readonly goroutines: number;
  readonly seconds: readonly number[];
}

interface Rates {
  readonly goroutines: number;
  /** The first read in a fresh process. */
  readonly cold: Spread;
  /** The best read in each process. */
  readonly warm: Spread;
}

async function run(setting: Setting): Promise<Outcome> {
  const peer = buildGostackparse();
  const rows: Cells[] = [];
  const goals: Goal[] = [];
  for (const { name, what } of DUMPS) {
    const path = input(name);
    const { size } = statSync(path);
    const ours = (result: string): string[] => [process.execPath, setting.subject.readDump, path, `${READS}`, result];
    const commands = [
      { who: 'oakum, to stacks', argv: ours('stacks') },
      { who: 'oakum, to a profile', argv: ours('profile') },
      ...('binary' in peer ? [{ who: 'gostackparse', argv: [peer.binary, path, `${READS}`] }] : []),
    ];
    const readings: Reading[][] = commands.map(() => []);
    for (let n = 0; n < setting.runs; n++) {
      for (const [i, { argv }] of commands.entries()) readings[i].push(read(argv));
    }
    const rates = readings.map(list => ratesOf(list, size));
    const [stacks, , gostackparse] = rates;
    for (const [i, { who }] of commands.entries()) {
      const { goroutines, cold, warm } = rates[i];
      rows.push([`${(size / 1e6).toFixed(0)} MB, ${what}`, who, `${goroutines}`, rate(cold), rate(warm)]);
    }
    goals.push(goal(`debug=2 ${what}, warm`, stacks.warm.median), goal(`debug=2 ${what}, cold`, stacks.cold.median));
    if (gostackparse !== undefined && gostackparse.goroutines === stacks.goroutines) {
      rows.push([
        '',
        'oakum / gostackparse',
        '',
        times(stacks.cold.median / gostackparse.cold.median),
        times(stacks.warm.median / gostackparse.warm.median),
      ]);
    }
  }
  const text = table(['dump', 'reader', 'goroutines read', 'cold', 'warm, best of 5'], rows);
  const missing = 'missing' in peer ? `\nThe peer was skipped: ${peer.missing}.\n` : '';
  return { text: text + missing, goals };
}

function read(argv: readonly string[]): Reading {
  return JSON.parse(execFileSync(argv[0], argv.slice(1), { encoding: 'utf8' })) as Reading;
}

function ratesOf(readings: readonly Reading[], bytes: number): Rates {
  const perSecond = (seconds: number): number => bytes / 1e6 / seconds;
  return {
    goroutines: readings[0].goroutines,
    cold: spreadOf(readings.map(reading => perSecond(reading.seconds[0]))),
    warm: spreadOf(readings.map(reading => perSecond(Math.min(...reading.seconds)))),
  };
}

function goal(name: string, measured: number): Goal {
  return {
    name: `${name}: to stacks`,
    wanted: `>= ${MIN_RATE} MB/s, aim ${AIM_RATE}`,
    measured: `${measured.toFixed(0)} MB/s`,
    met: measured >= MIN_RATE,
  };
}

export const debug2: Section = {
  name: 'debug2',
  title: 'goroutine dumps (debug=2) to stacks, in the process, after the file is read; MB = 10^6 bytes',
  run,
};
