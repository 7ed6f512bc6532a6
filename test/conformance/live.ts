import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { firstLine } from './golden-cases.ts';
import { liveCases } from './live-matrix.ts';
import type { LiveCase } from './live-matrix.ts';
import { Peer } from './peer.ts';
import { ROOT } from './places.ts';
import { firstDifference, shellQuote } from './result.ts';
import type { Result } from './result.ts';
import { runOakum } from './run-oakum.ts';
import type { Output } from './run-oakum.ts';

const AT_ONCE = 2;
/** How often the peer is run again before its answer counts as stable. */
const SECOND_OPINIONS = 3;

/** Compares with `go tool pprof`; calls `report` with each result. */
export async function runLive(
  peer: Peer,
  wanted: (group: string, name: string) => boolean,
  report: (group: string, result: Result) => void,
): Promise<void> {
  const queue = liveCases().filter(({ group, name }) => wanted(group, name));
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < queue.length) {
      const live = queue[next++];
      report(live.group, await checkLive(peer, live));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function checkLive(peer: Peer, live: LiveCase): Promise<Result> {
  const expected = await peer.run(live);
  const actual = await runOakum(live.argv, live.cwd, peer.env);
  const detail = difference(expected, actual, live.binary);
  if (detail === undefined) return { name: live.name, passed: true };

  const answers = [expected];
  for (let i = 0; i < SECOND_OPINIONS; i++) {
    const again = await peer.runAgain(live);
    if (difference(again, actual, live.binary) === undefined) return varies(live, 'the peer printed it in another run');
    answers.push(again);
  }
  const failed = { name: live.name, passed: false, detail, command: command(live) };
  const sure = answers.every(answer => difference(expected, answer, live.binary) === undefined);
  if (sure) return failed;
  const [want, ...others] = answers.map(sortedLines);
  const have = sortedLines(actual);
  if (have === want || others.includes(have)) return varies(live, 'the same lines in an order the peer varies too');
  // A peer that only reorders its lines is still stable.
  if (!live.binary && others.every(other => other === want)) return failed;
  return { ...failed, unstable: true, detail: `the peer varies: ${detail}` };
}

function varies({ name }: LiveCase, detail: string): Result {
  return { name, passed: true, unstable: true, detail };
}

function sortedLines({ stdout }: Output): string {
  return Buffer.from(stdout).toString('latin1').split('\n').sort().join('\n');
}

function difference(expected: Output, actual: Output, binary: boolean): string | undefined {
  if (expected.exitCode !== actual.exitCode) {
    const said = firstLine(actual.stderr || expected.stderr);
    return `expected exit ${expected.exitCode}, got ${actual.exitCode}: ${said}`;
  }
  const stdout = binary
    ? binaryDifference(expected.stdout, actual.stdout)
    : firstDifference(expected.stdout, actual.stdout);
  if (stdout !== undefined) return stdout;
  // After pprof's message, ours says in parentheses where it failed and what was expected.
  const sentence = actual.stderr.replace(/ \(at (line|byte) \d+: .*\)$/gm, '');
  // Sources and bases are fetched at the same time, so the peer complains about them in any order.
  const sorted = (text: string): Buffer => Buffer.from(text.split('\n').sort().join('\n'));
  const stderr = firstDifference(sorted(expected.stderr), sorted(sentence));
  return stderr === undefined ? undefined : `stderr ${stderr}`;
}

function binaryDifference(expected: Uint8Array, actual: Uint8Array): string | undefined {
  const [want, have] = [expected, actual].map(unzipped);
  if (Buffer.compare(want, have) === 0) return undefined;
  let at = 0;
  while (want[at] === have[at]) at++;
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(at, at + 8)).toString('hex');
  return `byte ${at} of ${want.length} and ${have.length}: expected ${hex(want)}, got ${hex(have)}`;
}

function unzipped(bytes: Uint8Array): Uint8Array {
  try {
    return bytes.length === 0 ? bytes : gunzipSync(bytes);
  } catch {
    return bytes;
  }
}

function command({ argv, cwd, binary }: LiveCase): string {
  const words = argv.map(shellQuote).join(' ');
  const end = binary ? '| gunzip | xxd' : '2>&1';
  const oakum = `node ${join(relative(cwd, ROOT), 'bin/oakum.js')} pprof`;
  return `(cd ${relative(process.cwd(), cwd)} && export TZ=UTC && diff <(go tool pprof ${words} ${end}) <(${oakum} ${words} ${end}))`;
}
