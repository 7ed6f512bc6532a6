/** Runs `oakum triage` on running members as a user would: it ends once something is proved, after 15 minutes at most. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isWrong, type Verdict } from './judge.ts';
import type { Member, Truth } from './members.ts';
import { writeTruth } from './record.ts';
import type { Running } from './running.ts';

export interface LiveAnswer {
  readonly name: string;
  readonly truth: Truth;
  /** Of the process when triage began, and how long triage took. */
  readonly ageMinutes: number;
  readonly minutes: number;
  readonly verdict: Verdict;
  readonly sentence: string;
}

const START_EVERY_MS = 3000;

export interface LiveOptions {
  readonly oakum: string;
  /** How many at once. */
  readonly width: number;
  /** Where what triage captured goes, as NAME-AGEm with its truth; without it, it is removed. */
  readonly keepIn: string | undefined;
  readonly print: (line: string) => void;
}

export async function triageMembers(
  members: readonly { readonly member: Member; readonly running: Running }[],
  { oakum, width, keepIn, print }: LiveOptions,
): Promise<readonly LiveAnswer[]> {
  const answers: LiveAnswer[] = [];
  const waiting = [...members];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const answer = await triageOne(one.member, one.running, oakum, keepIn);
      const { name, truth, ageMinutes, minutes, verdict, sentence } = answer;
      const times = `${ageMinutes.toFixed(0)}m +${minutes.toFixed(0)}m`;
      print(
        `${isWrong(answer) ? 'WRONG' : '     '} ${name.padEnd(20)} ${times.padStart(10)} ${truth.padEnd(21)} ${verdict.padEnd(8)} ${sentence}`,
      );
      answers.push(answer);
    }
  };
  const workers: Promise<void>[] = [];
  for (let i = 0; i < Math.min(width, members.length); i++) {
    workers.push(work());
    await delay(START_EVERY_MS);
  }
  await Promise.all(workers);
  return answers;
}

async function triageOne(
  member: Member,
  running: Running,
  oakum: string,
  keepIn: string | undefined,
): Promise<LiveAnswer> {
  const began = Date.now();
  const ageMinutes = (began - Date.parse(running.startedAt)) / 60_000;
  const folder = keepIn ?? mkdtempSync(join(tmpdir(), 'oakum-zoo-'));
  mkdirSync(folder, { recursive: true });
  try {
    const name = `${member.name}-${Math.round(ageMinutes)}m`;
    const { verdict, sentence } = await triage(oakum, running.url, join(folder, name));
    if (keepIn !== undefined) await writeTruth(join(folder, `${name}.truth.json`), member, running, ageMinutes);
    const minutes = (Date.now() - began) / 60_000;
    return { name: member.name, truth: member.truth, ageMinutes, minutes, verdict, sentence };
  } finally {
    if (keepIn === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function triage(oakum: string, url: string, evidence: string): Promise<{ verdict: Verdict; sentence: string }> {
  const args = [oakum, 'triage', url, '--evidence', evidence, '-o', 'json'];
  return new Promise(resolve => {
    execFile(process.execPath, args, { maxBuffer: 256 * 2 ** 20, timeout: 30 * 60_000 }, (error, stdout, stderr) => {
      try {
        const { verdict, sentence } = JSON.parse(stdout) as { verdict: Verdict; sentence: string };
        resolve({ verdict, sentence });
      } catch {
        resolve({ verdict: 'error', sentence: stderr.trim().slice(-200) || String(error) });
      }
    });
  });
}
