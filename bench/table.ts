/** Results as Markdown tables with aligned columns, so that they read well in a terminal and in docs/benchmarks.md. */
import type { Run } from './measure.ts';
import { spreadOf, type Spread } from './statistics.ts';

export interface Goal {
  readonly name: string;
  readonly wanted: string;
  readonly measured: string;
  /** Undefined if it could not be measured here. */
  readonly met: boolean | undefined;
}

export type Cells = readonly string[];

export function table(header: Cells, rows: readonly Cells[]): string {
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map(row => row[i].length)));
  const line = (cells: Cells): string => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |\n`;
  return line(header) + line(widths.map(width => '-'.repeat(width))) + rows.map(line).join('');
}

export function seconds({ median, least, most, runs }: Spread): string {
  return withRange(n => (n < 10 ? n.toFixed(n < 1 ? 3 : 2) : n.toFixed(1)), ' s', median, least, most, runs);
}

export function megabytes({ median, least, most, runs }: Spread): string {
  return withRange(n => (n / 1e6).toFixed(0), ' MB', median, least, most, runs);
}

export function rate({ median, least, most, runs }: Spread): string {
  return withRange(n => n.toFixed(0), ' MB/s', median, least, most, runs);
}

function withRange(
  show: (value: number) => string,
  unit: string,
  median: number,
  least: number,
  most: number,
  runs: number,
): string {
  return runs === 1 ? show(median) + unit : `${show(median)}${unit} (${show(least)}-${show(most)})`;
}

export function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)}x`;
}

export interface Summary {
  readonly cpu: Spread;
  readonly wall: Spread;
  readonly memory: Spread | undefined;
}

export function summarise(runs: readonly Run[]): Summary {
  const peaks = runs.map(run => run.peakBytes).filter(peak => peak !== undefined);
  return {
    cpu: spreadOf(runs.map(run => run.cpuSeconds)),
    wall: spreadOf(runs.map(run => run.wallSeconds)),
    memory: peaks.length === runs.length ? spreadOf(peaks) : undefined,
  };
}

/** Whether every run of every command printed the same bytes. */
export function sameOutput(...results: readonly (readonly Run[])[]): boolean {
  return new Set(results.flat().map(run => run.output)).size === 1;
}

export const PAIR_HEADER: Cells = [
  'work',
  'CPU, oakum',
  'CPU, peer',
  'less CPU',
  'memory, oakum',
  'memory, peer',
  'less memory',
  'wall, oakum',
  'wall, peer',
  'same bytes',
];

/** A row with our result and the peer's, which stays empty if it did not run. */
export function pairRow(work: string, ours: Summary, peer: Summary | undefined, same: string): Cells {
  const memory = (summary: Summary | undefined): string =>
    summary?.memory === undefined ? '-' : megabytes(summary.memory);
  const lessMemory =
    ours.memory === undefined || peer?.memory === undefined ? '-' : times(peer.memory.median / ours.memory.median);
  return [
    work,
    seconds(ours.cpu),
    peer === undefined ? '-' : seconds(peer.cpu),
    peer === undefined ? '-' : times(peer.cpu.median / ours.cpu.median),
    memory(ours),
    memory(peer),
    lessMemory,
    seconds(ours.wall),
    peer === undefined ? '-' : seconds(peer.wall),
    same,
  ];
}
