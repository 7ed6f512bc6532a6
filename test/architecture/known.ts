/**
 * What still breaks a rule, as lines `RULE FIGURE PATH` in records/known.txt. The figure is the number of offences in the
 * file, or the lines above a limit. It may only go down.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Offence } from './offence.ts';
import { ROOT } from './read/parser.ts';

/** `RULE PATH` -> figure. */
export type Known = ReadonlyMap<string, number>;

const FILE = join(ROOT, 'test/architecture/records/known.txt');
const HEAD = [
  'What still breaks a rule: RULE FIGURE PATH. The figures may only go down.',
  'npm run architecture -- write',
];

export function readKnown(): Known {
  const lines = readFileSync(FILE, 'utf8').split(/\r?\n/);
  const entries = lines.flatMap((line): [string, number][] => {
    const [, rule, figure, path] = /^([a-z-]+) (\d+) (\S+)$/.exec(line) ?? [];
    return rule === undefined ? [] : [[`${rule} ${path}`, Number(figure)]];
  });
  return new Map(entries);
}

export function writeKnown(known: Known): void {
  const lines = [...known.keys()].sort().map(key => lineOf(key, known.get(key) ?? 0));
  writeFileSync(FILE, [...HEAD.map(line => `# ${line}`), ...lines, ''].join('\n'));
}

/** The offences of files that break a rule more than is known. */
export function unknownOffences(offences: readonly Offence[], known: Known): Offence[] {
  const figures = figuresOf(offences);
  return offences.flatMap(offence => {
    const [now, before] = [figures.get(keyOf(offence)) ?? 0, known.get(keyOf(offence)) ?? 0];
    if (now <= before) return [];
    const problem = before === 0 ? offence.problem : `${offence.problem} (known: ${before}, now: ${now})`;
    return [{ ...offence, problem }];
  });
}

/** Entries that are higher than what is there. */
export function outdated(offences: readonly Offence[], known: Known): string[] {
  const figures = figuresOf(offences);
  return Array.from(known).flatMap(([key, before]) => {
    const now = figures.get(key) ?? 0;
    return now < before ? [`known.txt: ${key} has ${now}, not ${before}`] : [];
  });
}

/** The figures of today, unless a rule is broken more than before in all; so a file may be moved, split or joined. */
export function refreshed(offences: readonly Offence[], known: Known): { known: Known; refused: readonly string[] } {
  const figures = figuresOf(offences);
  const ruleOf = (key: string): string => key.replace(/ .*/, '');
  const totals = (of: Known): Known => {
    const found = new Map<string, number>();
    for (const [key, figure] of of) found.set(ruleOf(key), (found.get(ruleOf(key)) ?? 0) + figure);
    return found;
  };
  const [now, before] = [totals(figures), totals(known)];
  const kept = new Map<string, number>();
  const refused: string[] = [];
  for (const [key, figure] of figures) {
    const isWorse = (now.get(ruleOf(key)) ?? 0) > (before.get(ruleOf(key)) ?? 0);
    const allowed = isWorse ? Math.min(figure, known.get(key) ?? 0) : figure;
    if (allowed > 0) kept.set(key, allowed);
    if (allowed < figure) refused.push(`${lineOf(key, figure)} (known: ${allowed})`);
  }
  return { known: kept, refused };
}

function lineOf(key: string, figure: number): string {
  return key.replace(' ', ` ${figure} `);
}

function figuresOf(offences: readonly Offence[]): Map<string, number> {
  const figures = new Map<string, number>();
  for (const offence of offences) {
    figures.set(keyOf(offence), (figures.get(keyOf(offence)) ?? 0) + (offence.weight ?? 1));
  }
  return figures;
}

function keyOf({ rule, path }: Offence): string {
  return `${rule} ${path}`;
}
