/**
 * Records running members with `oakum triage`, as a user would, at the ages that were asked for:
 *
 *     FOLDER/tune/noisy/            three sets of profiles in ten minutes, a scrape every 15 s, MANIFEST.json
 *     FOLDER/tune/noisy.truth.json  what is true of it, and what it counted itself at the end
 *     FOLDER/test/etcd-36-60m/      the same at an hour
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { halfOf } from './halves.ts';
import type { Member } from './members.ts';
import { ROOT } from './places.ts';
import { countedBy, residentNow, type Running } from './running.ts';
import type { TruthFile } from './truth.ts';

/** Below this, a recording is of a young process and has no age in its name. */
const YOUNG_MINUTES = 15;
/** So that a hundred recordings do not begin in the same second. */
const BETWEEN_MS = 5000;

export interface Recording {
  readonly member: Member;
  readonly running: Running;
  readonly ageMinutes: number;
}

export function recordingName({ member, ageMinutes }: Pick<Recording, 'member' | 'ageMinutes'>): string {
  return ageMinutes < YOUNG_MINUTES ? member.name : `${member.name}-${ageMinutes}m`;
}

/** In the order of their ages; what cannot be recorded is said and left out. */
export async function recordAll(
  recordings: readonly Recording[],
  folder: string,
  sets: number,
  say: (line: string) => void,
): Promise<void> {
  const due = ({ running, ageMinutes }: Recording): number => Date.parse(running.startedAt) + ageMinutes * 60_000;
  const under: Promise<void>[] = [];
  for (const recording of [...recordings].sort((a, b) => due(a) - due(b))) {
    await delay(Math.max(BETWEEN_MS, due(recording) - Date.now()));
    under.push(recordOne(recording, folder, sets, say));
  }
  await Promise.all(under);
}

async function recordOne(
  recording: Recording,
  folder: string,
  sets: number,
  say: (line: string) => void,
): Promise<void> {
  const { member, running } = recording;
  const name = recordingName(recording);
  const half = join(folder, halfOf(member.name));
  const partial = join(half, `.${name}.partial`);
  mkdirSync(half, { recursive: true });
  rmSync(partial, { recursive: true, force: true });
  const minutes = (Date.now() - Date.parse(running.startedAt)) / 60_000;
  const code = await triage([running.url, '--sets', String(sets), '--evidence', partial]);
  if (!existsSync(join(partial, 'MANIFEST.json'))) {
    say(`${name} was not recorded: triage ended with ${code}`);
    return;
  }
  rmSync(join(half, name), { recursive: true, force: true });
  renameSync(partial, join(half, name));
  await writeTruth(join(half, `${name}.truth.json`), member, running, minutes);
  say(`${name} is recorded`);
}

/** What is true of a recording that began at this age. */
export async function writeTruth(file: string, member: Member, running: Running, ageMinutes: number): Promise<void> {
  const counted = await countedBy(running);
  const truth: TruthFile = {
    truth: member.truth,
    kind: member.kind,
    what: member.what,
    ageMinutes: Math.round(ageMinutes),
    residentBytes: residentNow(member.name),
    ...(counted === undefined ? {} : { counted }),
  };
  writeFileSync(file, `${JSON.stringify(truth, undefined, 1)}\n`);
}

/** Its verdict does not count here: evidence is what is wanted. */
function triage(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'oakum.js'), 'triage', ...args, '-o', 'json'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => resolve(code ?? 1));
  });
}
