/** Wall time with start-up on real profiles, which are small. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { interleave } from '../measure.ts';
import { ROOT, SHARED } from '../places.ts';
import { goPprof, oakumPprof, type Outcome, type Section, type Setting } from '../section.ts';
import { PAIR_HEADER, pairRow, sameOutput, summarise, table, times, type Cells, type Goal } from '../table.ts';

const BUNDLED = 'test/fixtures/captures/leakdemo/go1.27/t3/heap.debug0.pb.gz';
const LARGE_CPU = 'conformance/google-pprof/internal/proftest/testdata/large.cpu';
const MAX_WALL_SECONDS = 0.12;
const SMALL_BYTES = 100_000;
const LARGEST_BYTES = 1_500_000;
const MIN_RUNS = 9;

async function run(setting: Setting): Promise<Outcome> {
  const rows: Cells[] = [];
  const goals: Goal[] = [];
  const skipped: string[] = [];
  const isProfile = (path: string): boolean => path.endsWith('.pb.gz');
  const isHeapText = (path: string): boolean => /(?:heap|allocs)\.debug1\.txt$/.test(path);
  const wanted: readonly (readonly [string, string | undefined])[] = [
    ['bundled heap', join(ROOT, BUNDLED)],
    ['largest heap under 100 KB of the lab', largest(join(SHARED, 'lab'), isProfile, SMALL_BYTES)],
    ['largest profile of the lab', largest(join(SHARED, 'lab'), isProfile, LARGEST_BYTES)],
    ['largest heap text of the captures', largest(join(SHARED, 'captures'), isHeapText, LARGEST_BYTES)],
    ["google/pprof's large.cpu", join(SHARED, LARGE_CPU)],
  ];
  for (const [what, path] of wanted) {
    if (path === undefined || !existsSync(path)) {
      skipped.push(what);
      continue;
    }
    const { size } = statSync(path);
    const commands = [oakumPprof(setting, '-top', path), ...goPprof(setting, '-top', path)];
    const [ourRuns, peerRuns] = await interleave(commands, setting.quick ? 3 : Math.max(setting.runs, MIN_RUNS));
    const ours = summarise(ourRuns);
    const peer = peerRuns === undefined ? undefined : summarise(peerRuns);
    const same = peerRuns === undefined ? '-' : sameOutput(ourRuns, peerRuns) ? 'yes' : 'NO';
    rows.push([
      ...pairRow(`${what}: ${basename(path)}, ${Math.round(size / 1000)} KB`, ours, peer, same),
      peer === undefined ? '-' : times(peer.wall.median / ours.wall.median),
    ]);
    if (size <= SMALL_BYTES) {
      goals.push({
        name: `${what}, ${Math.round(size / 1000)} KB: wall time with start-up`,
        wanted: '<= 120 ms',
        measured: `${Math.round(ours.wall.median * 1000)} ms`,
        met: ours.wall.median <= MAX_WALL_SECONDS,
      });
    }
  }
  const absent = skipped.length === 0 ? '' : `\nSkipped, not on this machine: ${skipped.join('; ')}.\n`;
  return { text: table([...PAIR_HEADER, 'less wall'], rows) + absent, goals };
}

/** The largest accepted file below a folder, of at most `limit` bytes. */
function largest(folder: string, accept: (path: string) => boolean, limit: number): string | undefined {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(accept)
    .map(name => ({ path: join(folder, name), size: statSync(join(folder, name)).size }))
    .filter(file => file.size <= limit)
    .sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1))[0]?.path;
}

export const realProfiles: Section = {
  name: 'real-profiles',
  title: 'pprof -top on real profiles: wall time with start-up',
  run,
};
