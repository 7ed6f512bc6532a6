/** Goroutine text with counts (debug=1) of a million goroutines. */
import { statSync } from 'node:fs';
import { input } from '../inputs.ts';
import { interleave } from '../measure.ts';
import { goPprof, oakumPprof, type Outcome, type Section, type Setting } from '../section.ts';
import { PAIR_HEADER, pairRow, sameOutput, summarise, table, type Cells } from '../table.ts';

const FILES = [
  { name: 'goroutines-3k-rows.debug1.txt', what: '3,000 rows' },
  { name: 'goroutines-1m-rows.debug1.txt', what: '1,000,000 rows, each with its labels' },
];
const MAX_RUNS = 3;

async function run(setting: Setting): Promise<Outcome> {
  const rows: Cells[] = [];
  for (const { name, what } of setting.quick ? FILES.slice(0, 1) : FILES) {
    const path = input(name);
    const commands = [
      oakumPprof(setting, '-top', path),
      oakumPprof(setting, '-top', '-symbolize=none', path),
      ...goPprof(setting, '-top', '-symbolize=none', path),
    ];
    const [named, bare, peer] = await interleave(commands, Math.min(setting.runs, MAX_RUNS));
    const work = `${what}, ${(statSync(path).size / 1e6).toFixed(0)} MB`;
    const peerSummary = peer === undefined ? undefined : summarise(peer);
    const same = peer === undefined ? '-' : sameOutput(bare, peer) ? 'yes' : 'NO';
    rows.push(pairRow(`${work}, -top`, summarise(named), peerSummary, 'not meant to be'));
    rows.push(pairRow(`${work}, -top -symbolize=none`, summarise(bare), peerSummary, same));
  }
  return { text: table(PAIR_HEADER, rows), goals: [] };
}

export const debug1: Section = {
  name: 'debug1',
  title: 'pprof -top on goroutine text (debug=1) of 1,000,000 goroutines; the peer is always at -symbolize=none',
  run,
};
