/**
 * npm run conformance [-- --live] [--only GROUP]... [--case SUBSTRING] [--verbose]
 *
 * Compares our output with that of google/pprof, gostackparse and pprofutils. `--live` also runs `go tool pprof` on
 * every capture. Exits 1 if anything differs.
 */
import { parseArgs } from 'node:util';
import { fastGroups } from './groups.ts';
import { runLive } from './live.ts';
import { Peer } from './peer.ts';
import { missingData } from './places.ts';
import type { Result } from './result.ts';

process.env.TZ = 'UTC';
process.exitCode = await main();

async function main(): Promise<number> {
  const { values: options } = parseArgs({
    options: {
      live: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      case: { type: 'string', default: '' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const missing = missingData();
  if (missing !== undefined) {
    console.error(`conformance: ${missing}`);
    return 3;
  }
  const wantedGroup = (group: string): boolean =>
    options.only.length === 0 || options.only.some(name => group.startsWith(name));
  const wantedName = (name: string): boolean => name.includes(options.case);
  const tallies = new Map<string, Tally>();
  const report = (group: string, result: Result): void => {
    if (!tallies.has(group)) tallies.set(group, { passed: 0, failed: 0, unstable: 0 });
    const tally = tallies.get(group)!;
    if (result.unstable === true) tally.unstable++;
    else if (result.passed) tally.passed++;
    else tally.failed++;
    if (!result.passed || result.unstable === true || options.verbose) printResult(group, result);
  };

  for (const group of fastGroups()) {
    if (!wantedGroup(group.name)) continue;
    const results = await group.run(wantedName);
    for (const result of results) report(group.name, result);
    if (options.case === '' && results.length < group.size) {
      const detail = `${results.length} cases found of ${group.size}`;
      report(group.name, { name: 'all cases exist', passed: false, detail });
    }
  }
  if (options.live) {
    const peer = Peer.find();
    if (peer === undefined) {
      console.error('conformance: --live needs a Go toolchain: go is not on the PATH');
      return 3;
    }
    console.log(`peer: go tool pprof of ${peer.version}`);
    try {
      await runLive(peer, (group, name) => wantedGroup(group) && wantedName(name), report);
    } finally {
      peer.close();
    }
  }
  printTable(tallies);
  if (tallies.size === 0) {
    console.error('conformance: no case has that name');
    return 2;
  }
  return [...tallies.values()].some(({ failed }) => failed > 0) ? 1 : 0;
}

interface Tally {
  passed: number;
  failed: number;
  /** The peer differs from itself. */
  unstable: number;
}

function printResult(group: string, { name, passed, unstable, detail, command }: Result): void {
  console.log(`${unstable === true ? 'VARIES' : passed ? 'ok' : 'FAIL'} ${group}: ${name}`);
  if (detail !== undefined) console.log(`    ${detail}`);
  if (command !== undefined) console.log(`    ${command}`);
}

function printTable(tallies: ReadonlyMap<string, Tally>): void {
  const row = (cells: readonly (string | number)[]): string =>
    cells.map((cell, i) => (i === 0 ? String(cell).padEnd(20) : String(cell).padStart(8))).join('');
  console.log(row(['group', 'passed', 'failed', 'varies', 'total']));
  const all = { passed: 0, failed: 0, unstable: 0 };
  for (const [group, { passed, failed, unstable }] of tallies) {
    console.log(row([group, passed, failed, unstable, passed + failed + unstable]));
    all.passed += passed;
    all.failed += failed;
    all.unstable += unstable;
  }
  console.log(row(['all', all.passed, all.failed, all.unstable, all.passed + all.failed + all.unstable]));
}
