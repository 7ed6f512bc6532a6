/**
 * npm run bench: compares Oakum with its peers, as ratios.
 *
 *     npm run bench                       everything, 5 runs each
 *     npm run bench -- --only debug2      one section (may be given several times)
 *     npm run bench -- --runs 9           more runs
 *     npm run bench -- --quick            one run each, without the largest inputs
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { canMeasureMemory } from './measure.ts';
import { findPprof } from './peer.ts';
import type { Section, Setting } from './section.ts';
import { debug1 } from './sections/debug1.ts';
import { debug2 } from './sections/debug2.ts';
import { flameGraph } from './sections/flame-graph.ts';
import { fleetPage } from './sections/fleet-page.ts';
import { largeHeap } from './sections/large-heap.ts';
import { openProfile } from './sections/open-profile.ts';
import { otherReports } from './sections/other-reports.ts';
import { realProfiles } from './sections/real-profiles.ts';
import { startUp } from './sections/start-up.ts';
import { prepareSubject } from './subject.ts';
import { table, type Goal } from './table.ts';

const SECTIONS: readonly Section[] = [
  largeHeap,
  realProfiles,
  debug2,
  debug1,
  startUp,
  otherReports,
  flameGraph,
  openProfile,
  fleetPage,
];
const RUNS = 5;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
});
process.exitCode = await main(values.only ?? [], Number(values.runs ?? (values.quick ? 1 : RUNS)), values.quick);

async function main(only: readonly string[], runs: number, quick: boolean): Promise<number> {
  const unknown = only.find(name => !SECTIONS.some(section => section.name === name));
  if (unknown !== undefined || !Number.isInteger(runs) || runs < 1) {
    const names = SECTIONS.map(section => section.name).join(', ');
    process.stderr.write(`bench: --runs takes a number from 1 up, --only one of: ${names}\n`);
    return 2;
  }
  if (process.platform === 'win32') {
    process.stderr.write('bench: needs bash and its `time`; run it on Linux or macOS\n');
    return 2;
  }
  const setting: Setting = { subject: await prepareSubject(), pprof: findPprof(), runs, quick };
  say(describe(setting));
  const goals: Goal[] = [];
  for (const section of SECTIONS) {
    if (only.length > 0 && !only.includes(section.name)) continue;
    say(`\n## ${section.name}: ${section.title}\n\n`);
    const outcome = await section.run(setting);
    say(outcome.text);
    goals.push(...outcome.goals);
  }
  if (goals.length > 0) say(`\n## goals\n\n${goalTable(goals)}`);
  say(`\nLoad at the end: ${load()}\n`);
  return 0;
}

function describe({ subject, pprof, runs }: Setting): string {
  const cores = cpus();
  const lines = [
    `oakum ${subject.version}, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), ${process.platform} ${process.arch}, load ${load()}`,
    `Node.js ${process.version}, ${pprof?.goVersion ?? 'no Go: the peer was skipped, our numbers only'}`,
    `median of ${runs} runs or more unless a section says otherwise, interleaved with the peer; (least-most)`,
    'CPU: user + system of the finished process, from bash `time`',
    canMeasureMemory
      ? 'memory: VmHWM of /proc/PID/status, read every 2 ms to the end'
      : 'memory: skipped, it is read from /proc, which only Linux has',
  ];
  if (loadavg()[0] > cores.length / 2)
    lines.push('The machine is busy: take the figures with care, or run again later.');
  return `${lines.join('\n')}\n`;
}

function goalTable(goals: readonly Goal[]): string {
  const verdict = ({ met }: Goal): string => (met === undefined ? 'not measured' : met ? 'met' : 'MISSED');
  return table(
    ['goal', 'wanted', 'measured', ''],
    goals.map(goal => [goal.name, goal.wanted, goal.measured, verdict(goal)]),
  );
}

function load(): string {
  return loadavg()
    .map(value => value.toFixed(2))
    .join(' ');
}

function say(text: string): void {
  process.stdout.write(text);
}
