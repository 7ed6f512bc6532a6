/** Runs `oakum store copy` again and again, and kills it where it says something; it may end in between. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export async function copyKilled(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
  let kills = 0;
  for (let turn = 0; turn < 6; turn++) {
    const child = spawn(process.execPath, [MAIN, 'store', 'copy', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd,
      env: { ...process.env, ...env },
    });
    // By what it says, not by the time: a slow machine is stopped at the same places.
    const ended = new Promise(resolve => child.once('close', resolve));
    let linesLeft = turn % 3;
    for await (const _ of createInterface(child.stderr)) if (linesLeft-- === 0) child.kill('SIGKILL');
    await ended;
    if (child.signalCode === 'SIGKILL') kills++;
  }
  assert.ok(kills >= 4, `${kills} kills`);
}
