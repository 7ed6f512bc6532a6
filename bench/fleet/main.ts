/**
 * npm run bench:fleet: the fleet page and its API with many targets, in a real browser on a real server. What is watched
 * is made up; the watch, its server and its pages are not.
 *
 *     npm run bench:fleet                              1,000, 5,000 and 100,000 targets; some minutes, 3 GB
 *     npm run bench:fleet -- --targets 1000 --runs 3
 *     npm run bench:fleet -- --pictures FOLDER         also pictures of the largest fleet
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { HAS_CHROMIUM } from '../../test/chromium.ts';
import { spreadOf } from '../statistics.ts';
import { table } from '../table.ts';
import { type PageFigures, visitFleet } from './visit-fleet.ts';
import { measureRequests, type RequestFigures } from './measure-requests.ts';
import { startMeasured } from './measured-server.ts';
import { takePictures } from './take-pictures.ts';

const { values: given } = parseArgs({
  options: {
    targets: { type: 'string', default: '1000,5000,100000' },
    runs: { type: 'string', default: '5' },
    pictures: { type: 'string' },
  },
});

interface Measured {
  readonly targets: number;
  readonly heapPerTarget: number;
  readonly buffersPerTarget: number;
  readonly requests: readonly RequestFigures[];
  readonly pages: readonly PageFigures[];
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const load = (): string => loadavg()[0].toFixed(1);

say(`${cpus().length} cores (${cpus()[0]?.model.trim() ?? ''}), Node.js ${process.version}, load ${load()}`);
if (!HAS_CHROMIUM) say('needs Chromium for the page: set CHROMIUM to its path; only the API is measured');
const sizes = given.targets.split(',').map(Number);
const measured: Measured[] = [];
for (const targets of sizes) {
  say(`${targets.toLocaleString('en')} targets ...`);
  const server = await startMeasured(targets);
  try {
    const { heapBytes, bufferBytes } = await server.ask('memory');
    const requests = await measureRequests(server, targets, Number(given.runs));
    const pages: PageFigures[] = [];
    for (let run = 0; HAS_CHROMIUM && run < Number(given.runs); run++) pages.push(await visitFleet(server.url));
    if (given.pictures !== undefined && targets === Math.max(...sizes)) await takePictures(server.url, given.pictures);
    measured.push({
      targets,
      heapPerTarget: heapBytes / targets,
      buffersPerTarget: bufferBytes / targets,
      requests,
      pages,
    });
  } finally {
    server.stop();
  }
}
say('');
say(table(['', ...measured.map(({ targets }) => `${targets.toLocaleString('en')} targets`)], rowsOf(measured)));
say(`Load at the end: ${load()}. Medians of ${given.runs} runs; CPU of the server's process, all its threads.`);

function rowsOf(all: readonly Measured[]): string[][] {
  const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
  const kb = (value: number): string => `${(value / 1000).toFixed(1)} KB`;
  const ofPages = (name: string, of: (page: PageFigures) => number): string[] => [
    name,
    ...all.map(({ pages }) => (pages.length === 0 ? '-' : ms(spreadOf(pages.map(of)).median))),
  ];
  const kinds = all[0]?.requests.map(({ name }) => name) ?? [];
  return [
    ['memory per target: heap', ...all.map(({ heapPerTarget }) => kb(heapPerTarget))],
    ['memory per target: buffers', ...all.map(({ buffersPerTarget }) => kb(buffersPerTarget))],
    ofPages('page: first contentful paint', ({ firstPaintMs }) => firstPaintMs),
    ofPages('page: first rows', ({ firstRowsMs }) => firstRowsMs),
    ofPages('page: last letter of a search to its rows', ({ searchMs }) => searchMs),
    ofPages('page: jump to the middle, to its rows', ({ middleMs }) => middleMs),
    ofPages('page: main thread CPU to open', ({ openCpuMs }) => openCpuMs),
    ofPages('page: main thread CPU per frame of a fast wheel', ({ frameCpuMs }) => frameCpuMs),
    ...kinds.flatMap((name, i) => [
      [`API: ${name}: server CPU`, ...all.map(({ requests }) => ms(requests[i].cpuMs))],
      [`API: ${name}: time`, ...all.map(({ requests }) => ms(requests[i].wallMs))],
      [
        `API: ${name}: bytes, compressed`,
        ...all.map(({ requests }) => `${kb(requests[i].bytes)}, ${kb(requests[i].sentBytes)}`),
      ],
      [`API: ${name}: longest block`, ...all.map(({ requests }) => ms(requests[i].blockedMs))],
    ]),
  ];
}
