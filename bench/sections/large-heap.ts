/** `pprof -top` on large heap profiles, beside the peer and beside the floor. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { input } from '../inputs.ts';
import { interleave } from '../measure.ts';
import { BENCH } from '../places.ts';
import { goPprof, oakumPprof, type Outcome, type Section, type Setting } from '../section.ts';
import { PAIR_HEADER, pairRow, sameOutput, seconds, summarise, table, times, type Cells, type Goal } from '../table.ts';

const PROFILES = [
  { name: 'heap-550k.pb.gz', samples: 550_000 },
  { name: 'heap-1600k.pb.gz', samples: 1_600_000 },
];
const MIN_LESS_CPU = 20;
const MIN_LESS_MEMORY = 10;
const MAX_OF_FLOOR = 2;

async function run(setting: Setting): Promise<Outcome> {
  const rows: Cells[] = [];
  const floors: Cells[] = [];
  const goals: Goal[] = [];
  const cpus: number[] = [];
  const profiles = setting.quick ? PROFILES.slice(0, 1) : PROFILES;
  for (const { name, samples } of profiles) {
    const path = input(name);
    const size = `${(statSync(path).size / 1e6).toFixed(1)} MB gz`;
    const floorCommand = { argv: [process.execPath, join(BENCH, 'gunzip-pass.mjs'), path] };
    const commands = [oakumPprof(setting, '-top', path), floorCommand, ...goPprof(setting, '-top', path)];
    const [ourRuns, floorRuns, peerRuns] = await interleave(commands, setting.runs);
    const [ours, floor] = [summarise(ourRuns), summarise(floorRuns)];
    const peer = peerRuns === undefined ? undefined : summarise(peerRuns);
    const same = peerRuns === undefined ? '-' : sameOutput(ourRuns, peerRuns) ? 'yes' : 'NO';
    const work = `-top, ${samples / 1000}k samples, ${size}`;
    rows.push(pairRow(work, ours, peer, same));
    const ofFloor = ours.cpu.median / floor.cpu.median;
    const memoryOfFloor =
      ours.memory === undefined || floor.memory === undefined ? '-' : times(ours.memory.median / floor.memory.median);
    floors.push([work, seconds(ours.cpu), seconds(floor.cpu), times(ofFloor), memoryOfFloor]);
    cpus.push(ours.cpu.median);

    const lessCpu = peer === undefined ? undefined : peer.cpu.median / ours.cpu.median;
    const lessMemory =
      peer?.memory === undefined || ours.memory === undefined ? undefined : peer.memory.median / ours.memory.median;
    goals.push(
      atLeast(`${work}: less CPU than go tool pprof`, MIN_LESS_CPU, lessCpu),
      atLeast(`${work}: less memory than go tool pprof`, MIN_LESS_MEMORY, lessMemory),
      {
        name: `${work}: CPU against gunzip + one pass`,
        wanted: `<= ${MAX_OF_FLOOR}x`,
        measured: times(ofFloor),
        met: ofFloor <= MAX_OF_FLOOR,
      },
    );
    if (peer !== undefined)
      goals.push({ name: `${work}: same bytes as go tool pprof`, wanted: 'yes', measured: same, met: same === 'yes' });
  }
  const floorHeader = ['work', 'CPU, oakum', 'CPU, floor', 'oakum / floor', 'memory, oakum / floor'];
  const scale =
    cpus.length < 2
      ? ''
      : `\n${times(PROFILES[1].samples / PROFILES[0].samples)} the samples take ${times(cpus[1] / cpus[0])} the CPU.\n`;
  return { text: `${table(PAIR_HEADER, rows)}\n${table(floorHeader, floors)}${scale}`, goals };
}

function atLeast(name: string, wanted: number, measured: number | undefined): Goal {
  return {
    name,
    wanted: `>= ${wanted}x`,
    measured: measured === undefined ? 'not measured' : times(measured),
    met: measured === undefined ? undefined : measured >= wanted,
  };
}

export const largeHeap: Section = {
  name: 'large-heap',
  title: 'pprof -top on large heap profiles; the floor is Node gunzipping the file and adding up its bytes',
  run,
};
