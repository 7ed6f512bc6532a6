/** The real streams, in a child process: all output arrives, and a closed pipe is not an error. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { EXIT } from '../base/errors.ts';
import { TYPESCRIPT } from '../../test/places.ts';

const LINES = 400_000;

function program(body: string): string[] {
  const url = new URL('./process-io.ts', import.meta.url).href;
  const script = `import { processIo } from '${url}'; const io = processIo(); ${body} await io.flush();`;
  return ['--import', TYPESCRIPT, '--input-type=module', '-e', script];
}

const MANY_LINES = `for (let i = 0; i < ${LINES}; i++) io.stdout.write('line é ' + i + '\\n');`;

describe('the real io', () => {
  it('loses no part of a large output to a slow pipe', async () => {
    const child = spawn(process.execPath, program(MANY_LINES), { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = new Promise(resolve => child.on('close', resolve));
    let text = '';
    child.stdout.setEncoding('utf8');
    // The pipe is full before the reader starts.
    await new Promise(resolve => child.stdout.once('readable', resolve));
    for await (const chunk of child.stdout) text += chunk;
    assert.equal(await exited, 0);
    const lines = text.split('\n');
    assert.equal(lines.length, LINES + 1);
    assert.equal(lines[LINES - 1], `line é ${LINES - 1}`);
  });

  it('ends quietly when the reader goes away', async () => {
    const child = spawn(process.execPath, program(MANY_LINES), { stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = new Promise(resolve => child.on('close', resolve));
    let errors = '';
    child.stderr.on('data', chunk => (errors += String(chunk)));
    child.stdout.once('data', () => child.stdout.destroy());
    assert.equal(await exited, EXIT.brokenPipe);
    assert.equal(errors, '');
  });

  it('reports that the output cannot be written', t => {
    if (!existsSync('/dev/full')) return t.skip('no /dev/full here');
    const full = openSync('/dev/full', 'w');
    const result = spawnSync(process.execPath, program(MANY_LINES), {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    assert.equal(result.status, EXIT.actionFailed);
    assert.match(result.stderr, /^oakum: cannot write the output: ENOSPC.*\n$/);
  });

  it('keeps bytes that are not UTF-8, and the order of the two streams', () => {
    const body = `io.stdout.write('a\\udcff'); io.stdout.write(Uint8Array.of(0xfe)); io.stdout.write('b\\n'); io.stderr.write('c\\n');`;
    const result = spawnSync(process.execPath, program(body), { stdio: ['ignore', 'pipe', 'pipe'] });
    assert.deepEqual([...result.stdout], [0x61, 0xff, 0xfe, 0x62, 0x0a]);
    assert.equal(result.stderr.toString(), 'c\n');
  });
});
