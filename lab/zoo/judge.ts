/** Judges recordings with `oakum analyze` and with the rules in common use, and counts what is wrong. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALERT_RULES, readScrapes, type Scrapes } from './alert-rules.ts';
import type { Truth } from './members.ts';
import type { TruthFile } from './truth.ts';

export type Verdict = 'leak' | 'watch' | 'unknown' | 'healthy' | 'error';

export interface Answer {
  readonly name: string;
  readonly truth: Truth;
  readonly ageMinutes: number | undefined;
  readonly verdict: Verdict;
  readonly sentence: string;
  /** By rule: whether it would alert. */
  readonly alerts: Readonly<Record<string, boolean | undefined>>;
}

export interface Count {
  readonly leaks: number;
  readonly leaksSaid: Readonly<Record<Verdict, number>>;
  readonly healthy: number;
  readonly healthySaid: Readonly<Record<Verdict, number>>;
  readonly wrong: number;
}

/** A leak must be LEAK or WATCH; what is healthy or grows with its input must not be LEAK. */
export function isWrong({ truth, verdict }: Pick<Answer, 'truth' | 'verdict'>): boolean {
  if (verdict === 'error') return true;
  if (truth === 'leak') return verdict === 'healthy' || verdict === 'unknown';
  return truth !== 'stopped' && verdict === 'leak';
}

export function countOf(answers: readonly Pick<Answer, 'truth' | 'verdict'>[]): Count {
  const leaks = answers.filter(({ truth }) => truth === 'leak');
  const healthy = answers.filter(({ truth }) => truth !== 'leak' && truth !== 'stopped');
  return {
    leaks: leaks.length,
    leaksSaid: said(leaks),
    healthy: healthy.length,
    healthySaid: said(healthy),
    wrong: answers.filter(isWrong).length,
  };
}

function said(answers: readonly Pick<Answer, 'verdict'>[]): Record<Verdict, number> {
  const counts: Record<Verdict, number> = { leak: 0, watch: 0, unknown: 0, healthy: 0, error: 0 };
  for (const { verdict } of answers) counts[verdict]++;
  return counts;
}

export interface RuleCount {
  readonly rule: string;
  readonly leaksFound: number;
  readonly leaksMissed: number;
  readonly falseAlerts: number;
  /** Recordings whose process exposes nothing that the rule reads. */
  readonly blind: number;
}

export function countRules(answers: readonly Pick<Answer, 'truth' | 'alerts'>[]): RuleCount[] {
  const judged = answers.filter(({ truth }) => truth !== 'stopped');
  return Object.keys(ALERT_RULES).map(rule => {
    const number = (leak: boolean, alert: boolean | undefined): number =>
      judged.filter(({ truth, alerts }) => (truth === 'leak') === leak && alerts[rule] === alert).length;
    return {
      rule,
      leaksFound: number(true, true),
      leaksMissed: number(true, false) + number(true, undefined),
      falseAlerts: number(false, true),
      blind: number(true, undefined) + number(false, undefined),
    };
  });
}

/** Every NAME of a folder with NAME.truth.json beside it. */
export function recordingsIn(folder: string): string[] {
  const ending = '.truth.json';
  return readdirSync(folder)
    .filter(file => file.endsWith(ending))
    .map(file => file.slice(0, -ending.length))
    .sort();
}

/** What is to be judged: files and folders of one process. */
export interface Case {
  readonly name: string;
  readonly truth: Truth;
  readonly ageMinutes: number | undefined;
  readonly paths: readonly string[];
  readonly scrapes: Scrapes;
}

export function casesIn(folder: string): Case[] {
  return recordingsIn(folder).map(name => {
    const { truth, ageMinutes } = JSON.parse(readFileSync(join(folder, `${name}.truth.json`), 'utf8')) as TruthFile;
    return { name, truth, ageMinutes, paths: [join(folder, name)], scrapes: readScrapes(join(folder, name)) };
  });
}

/** @param oakum the launcher of the build that judges */
export async function judgeCases(cases: readonly Case[], oakum: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { paths, scrapes, ...known } of cases) {
    const alerts = Object.fromEntries(Object.entries(ALERT_RULES).map(([rule, says]) => [rule, says(scrapes)]));
    answers.push({ ...known, ...(await analyze(paths, oakum)), alerts });
  }
  return answers;
}

function analyze(
  paths: readonly string[],
  oakum: string,
): Promise<{ readonly verdict: Verdict; readonly sentence: string }> {
  return new Promise(resolve => {
    const options = { maxBuffer: 256 * 2 ** 20, timeout: 180_000 };
    execFile(process.execPath, [oakum, 'analyze', ...paths, '-o', 'json'], options, (error, stdout, stderr) => {
      try {
        const { verdict, sentence } = JSON.parse(stdout) as { readonly verdict: Verdict; readonly sentence: string };
        resolve({ verdict, sentence });
      } catch {
        resolve({ verdict: 'error', sentence: stderr.trim().slice(-200) || String(error) });
      }
    });
  });
}

export function printAnswers(answers: readonly Answer[], print: (line: string) => void): void {
  const width = Math.max(6, ...answers.map(({ name }) => name.length));
  print(`      ${'MEMBER'.padEnd(width)} ${'AGE'.padStart(5)} ${'TRUTH'.padEnd(21)} VERDICT  SENTENCE`);
  for (const answer of answers) {
    const { name, truth, verdict, sentence, ageMinutes } = answer;
    const age = ageMinutes === undefined ? '-' : `${ageMinutes}m`;
    const mark = isWrong(answer) ? 'WRONG' : '     ';
    print(`${mark} ${name.padEnd(width)} ${age.padStart(5)} ${truth.padEnd(21)} ${verdict.padEnd(8)} ${sentence}`);
  }
}

export function printVerdicts(
  answers: readonly Pick<Answer, 'truth' | 'verdict'>[],
  print: (line: string) => void,
): void {
  const count = countOf(answers);
  print('');
  print(`${count.leaks} leaks: ${sayings(count.leaksSaid)}; ${count.healthy} healthy: ${sayings(count.healthySaid)}`);
  print(`${count.wrong} wrong of ${answers.length}`);
}

export function printCounts(answers: readonly Answer[], print: (line: string) => void): void {
  printVerdicts(answers, print);
  print('');
  print(`${'RULE'.padEnd(46)} FINDS  MISSES  FALSE  NO DATA`);
  for (const { rule, leaksFound, leaksMissed, falseAlerts, blind } of countRules(answers)) {
    const numbers = [leaksFound, leaksMissed, falseAlerts, blind];
    const [finds, misses, wrong, none] = numbers.map((number, i) => String(number).padStart([5, 7, 6, 8][i]));
    print(`${rule.padEnd(46)} ${finds} ${misses} ${wrong} ${none}`);
  }
}

function sayings(said: Readonly<Record<Verdict, number>>): string {
  return Object.entries(said)
    .filter(([verdict, number]) => number > 0 || verdict === 'leak' || verdict === 'healthy')
    .map(([verdict, number]) => `${number} ${verdict}`)
    .join(', ');
}
