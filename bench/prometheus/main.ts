/**
 * `npm run bench:prometheus`: a fleet of 5,000 kubelets over 14 days in a real Prometheus, and what the whole answer
 * costs; then the same fleet from files, and whether the verdicts are the same.
 *
 *     npm run bench:prometheus                        5,000 nodes, hourly samples, 14 days
 *     npm run bench:prometheus -- --nodes 80 --canaries 20 --step 300 --hours 168 --keep 60
 *
 * `--keep MINUTES` leaves the Prometheus running, for `oakum watch --prometheus`.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bisection } from '../../src/judge/bisect/bisection.ts';
import type { Detection } from '../../src/judge/detect/recorded-detection.ts';
import { measure } from '../measure.ts';
import { prepareSubject } from '../subject.ts';
import { table } from '../table.ts';
import { temporaryFolder } from '../temporary.ts';
import { hasPrometheus, makeBlocks, runPrometheus } from './run-prometheus.ts';
import { writeHistory } from './write-history.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5000' },
    hours: { type: 'string', default: '336' },
    step: { type: 'string', default: '3600' },
    'rollout-ago': { type: 'string', default: '48' },
    canaries: { type: 'string' },
    seed: { type: 'string', default: '9101' },
    keep: { type: 'string', default: '0' },
  },
});
const [nodes, hours, stepSeconds] = [Number(values.nodes), Number(values.hours), Number(values.step)];
const GOAL_SECONDS = 60;
const GOAL_BYTES = 600e6;

if (!hasPrometheus()) {
  process.stderr.write('bench:prometheus: prometheus and promtool are not installed\n');
  process.exit(2);
}
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const subject = await prepareSubject();
const folder = temporaryFolder('prometheus');
const endSeconds = Math.floor(Date.now() / 1000) - 60;
const history = writeHistory(folder, {
  nodes,
  canaries: Number(values.canaries ?? Math.max(5, Math.round(nodes / 20))),
  hours,
  rolloutHoursAgo: Number(values['rollout-ago']),
  stepSeconds,
  seed: Number(values.seed),
  endSeconds,
});
say(`${history.samples} samples of ${nodes} nodes written`);
const data = join(folder, 'data');
mkdirSync(data);
say(`promtool: ${makeBlocks(history.wholeFile, data).toFixed(0)} s`);
rmSync(history.wholeFile);
const prometheus = await runPrometheus(folder, data);
say(`Prometheus at ${prometheus.url}`);

const at = new Date(endSeconds * 1000).toISOString();
const fromPrometheus = ['--prometheus', prometheus.url, '--since', `${hours / 24}d`];
const rows: string[][] = [];

interface Answer<T> {
  readonly found: T;
  readonly bytes: number;
  readonly cpu: number;
}

async function ask<T>(name: string, command: string, args: readonly string[]): Promise<Answer<T>> {
  const output = join(folder, `${name.replaceAll(' ', '-')}.json`);
  const before = prometheus.cpuSeconds();
  const shell = ['bash', '-c', 'exec "$@" > "$0"', output];
  const cost = await measure({ argv: [...shell, ...subject.oakum, command, ...args, '--at', at, '-o', 'json'] });
  const beside = prometheus.cpuSeconds() - before;
  const peak = cost.peakBytes ?? 0;
  rows.push([
    name,
    `${cost.wallSeconds.toFixed(1)} s`,
    `${cost.cpuSeconds.toFixed(1)} s`,
    `${beside.toFixed(1)} s`,
    `${(peak / 1e6).toFixed(0)} MB`,
  ]);
  say(`${name}: done`);
  return { found: JSON.parse(readFileSync(output, 'utf8')) as T, bytes: peak, cpu: cost.cpuSeconds + beside };
}

const bisected = await ask<Bisection>('bisect, Prometheus', 'bisect', fromPrometheus);
const detected = await ask<Detection>('detect, Prometheus', 'detect', fromPrometheus);
const bisectedFiles = await ask<Bisection>('bisect, files', 'bisect', [history.partsFolder]);
const detectedFiles = await ask<Detection>('detect, files', 'detect', [history.partsFolder]);

const verdictsOf = ({ targets }: Detection): Map<string, string> =>
  new Map(targets.map(({ target, verdict }) => [target.replace(/^node\//, ''), verdict]));
const [a, b] = [verdictsOf(detected.found), verdictsOf(detectedFiles.found)];
const different = [...new Set([...a.keys(), ...b.keys()])].filter(target => a.get(target) !== b.get(target));
const blamed = ({ culprits }: Bisection): string =>
  culprits.map(({ verdict, attribute, value, resource }) => `${verdict} ${attribute} ${value} ${resource}`).join('; ');
const leaks = [...a].filter(([, verdict]) => verdict === 'leak').map(([target]) => target);

process.stdout.write(
  `${nodes} kubelets, ${hours / 24} days, a sample each ${stepSeconds / 60} min: ${history.samples} samples\n\n` +
    table(['answer', 'wall', 'CPU of oakum', 'CPU of Prometheus', 'peak memory'], rows) +
    '\n' +
    table(
      ['goal', 'wanted', 'measured'],
      [
        ['bisect of the whole fleet, CPU of both', `${GOAL_SECONDS} s`, `${bisected.cpu.toFixed(1)} s`],
        ['detect of the whole fleet, CPU of both', `${GOAL_SECONDS} s`, `${detected.cpu.toFixed(1)} s`],
        ['peak memory', `${GOAL_BYTES / 1e6} MB`, `${(Math.max(bisected.bytes, detected.bytes) / 1e6).toFixed(0)} MB`],
        ['targets with other verdicts than from files', '0', `${different.length} of ${a.size}`],
      ],
    ) +
    `\nfrom Prometheus: ${blamed(bisected.found)}\nfrom files:      ${blamed(bisectedFiles.found)}\n` +
    `${leaks.length} targets leak; ${leaks.filter(target => history.leaking.has(target)).length} of ${history.leaking.size} that do\n` +
    `peak memory of Prometheus: ${(prometheus.peakBytes() / 1e6).toFixed(0)} MB\n` +
    different
      .slice(0, 10)
      .map(target => `${target}: ${a.get(target)}, from files ${b.get(target)}\n`)
      .join(''),
);
await delay(60_000 * Number(values.keep));
await prometheus.stop();
