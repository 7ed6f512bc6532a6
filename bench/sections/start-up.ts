/** `oakum --version` beside a Node.js that does nothing. */
import { interleave } from '../measure.ts';
import type { Outcome, Section, Setting } from '../section.ts';
import { megabytes, seconds, summarise, table, times, type Cells } from '../table.ts';

const MAX_OF_NODE = 2;
const MIN_RUNS = 15;

async function run(setting: Setting): Promise<Outcome> {
  const commands = [{ argv: [...setting.subject.oakum, '--version'] }, { argv: [process.execPath, '-e', '0'] }];
  const runs = setting.quick ? 5 : Math.max(setting.runs, MIN_RUNS);
  const [ours, node] = (await interleave(commands, runs)).map(summarise);
  const row = (name: string, summary: typeof ours): Cells => [
    name,
    seconds(summary.wall),
    seconds(summary.cpu),
    summary.memory === undefined ? '-' : megabytes(summary.memory),
  ];
  const ratio = ours.wall.median / node.wall.median;
  return {
    text: table(
      ['command', 'wall', 'CPU', 'memory'],
      [
        row('oakum --version', ours),
        row('node -e 0', node),
        ['ratio', times(ratio), times(ours.cpu.median / node.cpu.median), ''],
      ],
    ),
    goals: [
      {
        name: 'oakum --version: wall time against node -e 0',
        wanted: `<= ${MAX_OF_NODE}x`,
        measured: times(ratio),
        met: ratio <= MAX_OF_NODE,
      },
    ],
  };
}

export const startUp: Section = { name: 'start-up', title: 'start-up', run };
