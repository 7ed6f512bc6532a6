/**
 * npm run e2e:watch [-- --keep]
 *
 * `oakum watch` on a real control plane with leaking and fixed kubelets (lab/), without being told which is which:
 *
 *     kubelets  <- direct watch, with captures      finds both leaks, names the bug, follows a restart; survives a kill
 *     kubelets  <- plain watch, metrics only        }  the same verdicts, from the same evidence
 *     kubelets  <- Prometheus <- its watch          }
 *
 * About 25 minutes: the lab's leaks are 340 times faster than real ones, and the detector is told so. Exits 1 if
 * anything failed. The lab is shut down at the end in any case, except with --keep.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Verdict } from '../../../src/judge/verdict.ts';
import { killProcess, restartProcess, startLab, stopLab } from '../../../lab/control.ts';
import { environmentOf } from '../../../lab/environment.ts';
import type { LabState } from '../../../lab/layout.ts';
import { install } from '../installation.ts';
import { type RunningPrometheus, startPrometheus } from '../prometheus.ts';
import { type RunningWatch, startWatch } from './running-watch.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(dirname(HERE)));
const TIME_SCALE = 340;
const LEAKY = ['leak-a', 'leak-b'];
const SOUND = ['fix-a', 'fix-b', 'fix-e'];
const BUG = 'kubernetes#139823';
const LOOK_SECONDS = 5;

const startedAt = Date.now();
const problems: string[] = [];
process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { keep: { type: 'boolean', default: false } } });
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (built.status !== 0) return 1;
  const folder = mkdtempSync(join(tmpdir(), 'oakum-e2e-watch-'));
  const labFolder = join(folder, 'lab');
  const watches: RunningWatch[] = [];
  let prometheus: RunningPrometheus | undefined;
  const cleanUp = async (): Promise<void> => {
    for (const watch of watches) await watch.stop();
    prometheus?.stop();
    if (values.keep) return say(`kept: ${folder}`);
    await stopLab(labFolder);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
  try {
    const lab = await startLab({
      folder: labFolder,
      nodesFile: join(HERE, 'nodes.json'),
      lifetimeMinutes: 60,
      say: line => say(`lab: ${line}`),
    });
    const environment = environmentOf(lab);
    install(ROOT, folder, environment.kubectl);
    prometheus = await startPrometheus(join(folder, 'prometheus'), environment);
    const common = ['--time-scale', String(TIME_SCALE), '--interval', '5s', '--memory-limit', '256Mi'];
    const { capture } = environment.kubeconfigs;
    const start = async (name: string, args: readonly string[], kubeconfig?: string): Promise<RunningWatch> => {
      const watch = await startWatch(folder, [...common, ...args, '--data', name], kubeconfig, line =>
        say(`${name}: ${line}`),
      );
      watches.push(watch);
      return watch;
    };
    const startDirect = (): Promise<RunningWatch> => start('direct', ['--capture'], capture);
    const direct = await startDirect();
    let pair: Pair | undefined;
    if (prometheus === undefined) say('no Prometheus on this machine: the watch of it is left out');
    else {
      const source = ['--prometheus', prometheus.url, '--selector', 'job="kubelet"'];
      pair = { plain: await start('plain', [], capture), other: await start('prometheus', source) };
    }
    await withoutApiServer(lab, direct);
    await followStory(lab, direct, pair);
    await killAndGoOn(direct, startDirect);
  } catch (error) {
    problems.push((error as Error).message);
  } finally {
    await cleanUp();
  }
  for (const problem of problems) say(`FAILED ${problem}`);
  say(problems.length === 0 ? 'everything held' : `${problems.length} things did not hold`);
  return problems.length === 0 ? 0 : 1;
}

async function followStory(lab: LabState, direct: RunningWatch, pair: Pair | undefined): Promise<void> {
  const rising = await until('both leaks are proved', 25, async () => {
    const verdicts = await verdictsOf(direct);
    return LEAKY.every(node => verdicts.get(node) === 'leak') && verdicts;
  });
  for (const node of SOUND) hold(`${node} is not said to leak`, rising?.get(node) !== 'leak', rising?.get(node));

  await until(`both are named: ${BUG}`, 8, async () => {
    const incidents = await direct.incidents();
    return LEAKY.every(node =>
      incidents.some(({ target, sentence }) => target === `node/${node}` && sentence.includes(BUG)),
    );
  });
  await agree(pair);

  const incidents = await direct.incidents();
  const first = incidents.find(({ target }) => target === 'node/leak-a');
  if (first === undefined) return void problems.push('leak-a has no incident');
  await lookAt(direct, first.id);

  say('leak-a is restarted');
  await restartProcess(lab, 'leak-a');
  await until('leak-a came back after its restart', 15, async () => {
    const { afterRestart } = await direct.incident(first.id);
    return afterRestart?.verdict === 'came back, intrinsic' && (say(afterRestart.text), true);
  });
  await agree(pair);
  const { timeline } = await direct.incident(first.id);
  for (const { at, kind, text } of timeline) say(`  ${clock(at)} ${kind.padEnd(13)} ${text}`);
  const kinds = new Set(timeline.map(({ kind }) => kind));
  for (const kind of ['leak', 'capture', 'restarted', 'after restart'] as const)
    hold(`the story of leak-a has "${kind}"`, kinds.has(kind));
  const verdicts = await verdictsOf(direct);
  for (const node of SOUND) hold(`${node} is still not said to leak`, verdicts.get(node) !== 'leak');
  const { silent, missingRights } = await direct.status();
  hold('no target is silent', silent.length === 0, silent[0]?.why);
  hold('no right is missing', missingRights.length === 0, missingRights[0]?.what);
  say((await direct.fleet()).sentence);
}

/** If nothing answers, it says so and goes on. */
async function withoutApiServer(lab: LabState, direct: RunningWatch): Promise<void> {
  const silentCount = async (): Promise<number> => (await direct.status()).silent.length;
  await until('every node answers', 2, async () => {
    const { rows } = await direct.fleet();
    return rows.length === lab.nodes.length && rows.every(({ lastSampleAt }) => lastSampleAt !== null);
  });
  await killProcess(lab, 'apiserver');
  say('the API server is killed');
  await until('every node is told to be silent', 2, async () => (await silentCount()) === lab.nodes.length);
  say((await direct.status()).silent[0].why);
  await restartProcess(lab, 'apiserver');
  await until('every node answers again', 3, async () => (await silentCount()) === 0);
}

/** After a kill at any time, it still knows everything. */
async function killAndGoOn(direct: RunningWatch, startAgain: () => Promise<RunningWatch>): Promise<void> {
  const before = await knowledgeOf(direct);
  // It commits every two seconds.
  await delay(5000);
  await direct.stop('SIGKILL');
  say('the watch is killed, and started again');
  const again = await startAgain();
  let forgotten: string[] = [];
  await until('it knows again what it knew', 2, async () => {
    const now = await knowledgeOf(again);
    forgotten = before.filter(text => !now.includes(text));
    return forgotten.length === 0;
  });
  for (const text of before) say(`  ${forgotten.includes(text) ? 'forgotten: ' : ''}${text}`);
  const { story, captures } = await storyOf(again);
  hold('the story goes on', story.some(kind => kind === 'after restart') && captures >= 3, `${captures} captures`);
}

/** Verdicts, and incidents with their captures. */
async function knowledgeOf(watch: RunningWatch): Promise<string[]> {
  const verdicts = [...(await verdictsOf(watch))].map(([node, verdict]) => `${node} ${verdict}`);
  const incidents = await Promise.all((await watch.incidents()).map(({ id }) => watch.incident(id)));
  return [
    ...verdicts,
    ...incidents.flatMap(({ id, target, timeline, captures }) => [
      ...timeline.map(({ at, kind }) => `${id} ${target}: ${clock(at)} ${kind}`),
      ...captures.map(capture => `${capture.id} of ${target}, ${capture.files.length} files`),
    ]),
  ];
}

async function storyOf(watch: RunningWatch): Promise<{ story: string[]; captures: number }> {
  const first = (await watch.incidents()).find(({ target }) => target === 'node/leak-a');
  if (first === undefined) return { story: [], captures: 0 };
  const { timeline, captures } = await watch.incident(first.id);
  const files = await Promise.all(
    captures.flatMap(({ files: all }) => all).map(({ sha256 }) => watch.get(`/api/v1/profiles/${sha256}`)),
  );
  hold('every profile can be read', files.length > 0 && files.every(({ length }) => length > 0), `${files.length}`);
  return { story: timeline.map(({ kind }) => kind), captures: captures.length };
}

/** The files that a person would download. */
async function lookAt(watch: RunningWatch, id: string): Promise<void> {
  const { sentence, captures, analysis } = await watch.incident(id);
  say(sentence);
  hold('evidence was taken more than once', captures.length >= 2, String(captures.length));
  hold('profiles were analysed', (analysis?.findings.length ?? 0) > 0);
  const bundle = await watch.get(`/api/v1/incidents/${id}/bundle`);
  hold('there is a bundle', bundle[0] === 0x1f && bundle[1] === 0x8b && bundle.length > 10_000, `${bundle.length} B`);
  const report = new TextDecoder().decode(await watch.get(`/api/v1/incidents/${id}/report?for=upstream`));
  hold('the report names the bug', report.includes('139823'));
}

/** Two watches that have metrics only: captures prove a leak much earlier than metrics do. */
interface Pair {
  readonly plain: RunningWatch;
  readonly other: RunningWatch;
}

/** Both reach the same verdicts, within the minutes by which Prometheus is behind, and suspect what leaks. */
async function agree(pair: Pair | undefined): Promise<void> {
  if (pair === undefined) return;
  const look = (): Promise<[Map<string, Verdict>, Map<string, Verdict>]> =>
    Promise.all([verdictsOf(pair.plain), verdictsOf(pair.other)]);
  await until('the watch through Prometheus says the same as one without captures', 5, async () => {
    const [own, other] = await look();
    return (
      [...LEAKY, ...SOUND].every(node => own.get(node) !== undefined && own.get(node) === other.get(node)) &&
      LEAKY.every(node => other.get(node) === 'leak' || other.get(node) === 'watch')
    );
  });
  const [own, other] = await look();
  const verdicts = [...LEAKY, ...SOUND].map(node => `${node} ${own.get(node)}/${other.get(node)}`);
  say(`plain/Prometheus: ${verdicts.join(', ')}`);
}

async function verdictsOf(watch: RunningWatch): Promise<Map<string, Verdict>> {
  const { rows } = await watch.fleet();
  return new Map(rows.map(({ target, verdict }) => [target.replace(/^node\//, ''), verdict]));
}

/** Undefined, and recorded as a problem, if it did not happen within these minutes. */
async function until<T>(
  what: string,
  minutes: number,
  look: () => Promise<T | false>,
): Promise<Exclude<T, boolean> | undefined> {
  const endsAt = Date.now() + minutes * 60_000;
  while (Date.now() < endsAt) {
    const found = await look();
    if (found !== false) {
      say(`ok: ${what}`);
      return found as Exclude<T, boolean>;
    }
    await delay(LOOK_SECONDS * 1000);
  }
  problems.push(`${what}: not within ${minutes} minutes`);
  say(`FAILED ${what}`);
  return undefined;
}

function hold(what: string, holds: boolean, seen = ''): void {
  say(`${holds ? 'ok' : 'FAILED'}: ${what}${seen === '' ? '' : ` (${seen})`}`);
  if (!holds) problems.push(what);
}

function clock(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 19);
}

function say(line: string): void {
  const elapsed = (Date.now() - startedAt) / 1000;
  process.stdout.write(`${(elapsed / 60).toFixed(1).padStart(5)} min  ${line}\n`);
}
