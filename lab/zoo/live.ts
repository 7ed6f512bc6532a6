/** Runs `oakum triage` on running members as a user would: it ends once something is proved, after 15 minutes at most. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isWrong, type Verdict } from './judge.ts';
import type { Member, Truth } from './members.ts';
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

/** @param width how many at once */
export async function triageMembers(
  members: readonly { readonly member: Member; readonly running: Running }[],
  oakum: string,
  width: number,
  print: (line: string) => void,
): Promise<readonly LiveAnswer[]> {
  const answers: LiveAnswer[] = [];
  const waiting = [...members];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const answer = await triageOne(one.member, one.running, oakum);
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

async function triageOne(member: Member, running: Running, oakum: string): Promise<LiveAnswer> {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'oakum-zoo-'));
  try {
    const { verdict, sentence } = await triage(oakum, running.url, join(folder, 'evidence'));
    return {
      name: member.name,
      truth: member.truth,
      ageMinutes: (began - Date.parse(running.startedAt)) / 60_000,
      minutes: (Date.now() - began) / 60_000,
      verdict,
      sentence,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
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
