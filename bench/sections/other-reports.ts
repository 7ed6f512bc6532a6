/** The other reports on the 10 MB heap profile. */
import { join } from 'node:path';
import { input } from '../inputs.ts';
import { CommandFailed, measure, type Command, type Run } from '../measure.ts';
import { goPprof, oakumPprof, type Outcome, type Section, type Setting } from '../section.ts';
import { PAIR_HEADER, pairRow, sameOutput, summarise, table, type Cells, type Goal } from '../table.ts';
import { temporaryFolder } from '../temporary.ts';

async function run(setting: Setting): Promise<Outcome> {
  const heap = input('heap-550k.pb.gz');
  const reports: readonly (readonly [string, readonly string[]])[] = [
    ['-tree', ['-tree']],
    ["-peek 'method9$'", ['-peek', 'method9$']],
    ['-traces', ['-traces']],
    ['-proto', ['-proto']],
    ['-top -diff_base itself', ['-top', '-diff_base', heap]],
  ];
  const folder = temporaryFolder('reports');
  const rows: Cells[] = [];
  const goals: Goal[] = [];
  for (const [name, flags] of reports) {
    const outputFile = (who: string): string => join(folder, `${who}.pb.gz`);
    const isProto = name === '-proto';
    const args = (who: string): string[] => [...flags, ...(isProto ? [`-output=${outputFile(who)}`] : []), heap];
    const finish = (command: Command, who: string): Command =>
      isProto ? { ...command, outputFile: outputFile(who) } : command;
    const peer: Run[] = [];
    for (const command of goPprof(setting, ...args('peer'))) peer.push(await measure(finish(command, 'peer')));
    try {
      const ours = [await measure(finish(oakumPprof(setting, ...args('oakum')), 'oakum'))];
      const same = peer.length === 0 ? '-' : sameOutput(ours, peer) ? 'yes' : 'NO';
      rows.push(pairRow(name, summarise(ours), peer.length === 0 ? undefined : summarise(peer), same));
      if (peer.length > 0) goals.push({ ...goalOf(name), measured: same, met: same === 'yes' });
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      rows.push([name, `failed: ${error.reason}`, ...PAIR_HEADER.slice(2).map(() => '-')]);
      goals.push({ ...goalOf(name), measured: `failed: ${error.reason}`, met: false });
    }
  }
  return { text: table(PAIR_HEADER, rows), goals };
}

function goalOf(name: string): Pick<Goal, 'name' | 'wanted'> {
  return { name: `${name}, 550k samples: same bytes as go tool pprof`, wanted: 'yes' };
}

export const otherReports: Section = {
  name: 'other-reports',
  title: 'other reports on the heap profile of 550k samples; one run each; -proto is compared after gunzip',
  run,
};
