/** `oakum top` in a real terminal: drawn, resized, suspended, and left clean. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type GoDaemon, startGoDaemon } from '../../../test/double/go-daemon.ts';
import { OAKUM } from '../../../test/places.ts';

const GOLDENS = join(dirname(fileURLToPath(import.meta.url)), 'goldens');
const NO_TMUX = spawnSync('tmux', ['-V']).status === 0 ? false : 'no tmux here';

/** A shell of 80 by 24 in a terminal of its own, in which `oakum top` is started. */
class TopSession {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'oakum-top-'));
  readonly daemon: GoDaemon;

  constructor(daemon: GoDaemon) {
    this.daemon = daemon;
  }

  async start(): Promise<void> {
    const shell = "env PS1='$ ' LANG=C.UTF-8 bash --norc --noprofile";
    this.tmux('new-session', '-d', '-x', '80', '-y', '24', '-c', this.folder, shell);
    await this.until(/^\$/m);
    this.press('echo before', 'Enter');
    this.press(`${process.execPath} ${OAKUM} top ${this.daemon.url} --interval 1s`, 'Enter');
  }

  async end(): Promise<void> {
    this.tmux('kill-server');
    await this.daemon.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  tmux(...args: string[]): string {
    const socket = join(this.folder, 'tmux');
    const { status, stdout, stderr } = spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  press(...keys: string[]): void {
    this.tmux('send-keys', ...keys);
  }

  /** Waits for what the screen must show; a slow machine only takes longer. */
  async until(wanted: RegExp | ((shown: string) => boolean)): Promise<string> {
    for (let tries = 0; tries < 600; tries++) {
      const shown = this.tmux('capture-pane', '-p');
      if (typeof wanted === 'function' ? wanted(shown) : wanted.test(shown)) return shown;
      await delay(50);
    }
    return assert.fail(`${String(wanted)} never came:\n${this.tmux('capture-pane', '-p')}`);
  }

  /** Waits until the screen is the golden one; OAKUM_UPDATE_GOLDENS=1 writes what it is after a while. */
  async untilGolden(name: string): Promise<void> {
    const path = join(GOLDENS, name);
    if (process.env['OAKUM_UPDATE_GOLDENS'] === '1') {
      await delay(3000);
      mkdirSync(GOLDENS, { recursive: true });
      writeFileSync(path, withoutTimes(this.tmux('capture-pane', '-p')));
    }
    const golden = readFileSync(path, 'utf8');
    await this.until(shown => withoutTimes(shown) === golden);
  }
}

/** The port, and how long the process and the samples have run, differ from run to run. */
function withoutTimes(screen: string): string {
  return screen
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/ up \d.*$/gm, ' up ...')
    .replaceAll(/\d+ samples(\s+)in \d+s/g, 'N samples$1in ...');
}

describe('oakum top in tmux', { skip: NO_TMUX }, () => {
  let top: TopSession;
  const press = (...keys: string[]): void => top.press(...keys);
  const until = (wanted: RegExp): Promise<string> => top.until(wanted);
  before(async () => {
    top = new TopSession(await startGoDaemon());
    await top.start();
  });
  after(() => top.end());

  it('draws the whole screen, and again when something changes', async () => {
    const shown = await until(/GOROUTINES {2}heap {2}labels/);
    assert.doesNotMatch(shown, /before/);
    const lines = shown.split('\n');
    assert.match(lines[2] ?? '', /^http:\/\/127\.0\.0\.1:\d+ {2}28 goroutines/);
    assert.match(lines[4] ?? '', /^ {4}COUNT (?:CHANGE\/min )?AGES +WAIT +FAMILY$/);
    assert.match(lines[5] ?? '', /^> {6}20 .* 12m +chan send +.*main\.forward/);
    assert.match(lines[23] ?? '', /^\? help {2}tab pane.*q quit$/);
    top.daemon.stuck = 25;
    await until(/^> {6}25 +\+/m);
  });

  it('answers to keys', async () => {
    press('Enter');
    await until(/main\.forward {2}app\/main\.go:37\n {4}created by main\.start {2}app\/main\.go:9/);
    press('Escape');
    press('l');
    await until(/goroutines {2}heap {2}LABELS[^]*controller=gc/);
    press('g');
    press('/');
    press('worker');
    await until(/^filter: worker_/m);
    press('Enter');
    await until(/1 row by size {2}filter: worker/);
    press('w');
    const saved = await until(/saved: oakum analyze oakum-\S+/);
    const [, name = ''] = /oakum analyze (\S+)/.exec(saved) ?? [];
    assert.ok(readdirSync(join(top.folder, name)).includes('MANIFEST.json'));
    press('p');
    await until(/filter: worker {3}paused/);
    press('p');
  });

  it('leaves the terminal as it was: suspended, continued, quit', async () => {
    press('C-z');
    const suspended = await until(/Stopped/);
    assert.match(suspended, /before/);
    assert.doesNotMatch(suspended, /GOROUTINES/);
    press('fg', 'Enter');
    await until(/GOROUTINES {2}heap/);
    press('q');
    await until(/before[^]*\n\$\n/);
    press('echo "code $?"; stty -a | grep -ow -e -icanon -e icanon', 'Enter');
    const left = await until(/code 0\n(-?icanon)/);
    assert.match(left, /\nicanon/);
  });
});

describe('oakum top in tmux, resized', { skip: NO_TMUX }, () => {
  let top: TopSession;
  before(async () => {
    top = new TopSession(await startGoDaemon());
    await top.start();
    // All that the header ever says is there.
    await top.until(/ up \d.* samples in /);
    // Nothing changes from here on but the size.
    top.press('p');
    await top.until(/paused/);
  });
  after(() => top.end());

  for (const [columns, rows] of [
    [80, 24],
    [130, 16],
    [50, 10],
    [20, 8],
    [200, 50],
    [80, 24],
  ] as const) {
    it(`fills ${columns} columns and ${rows} rows`, async () => {
      top.tmux('resize-window', '-x', String(columns), '-y', String(rows));
      await top.untilGolden(`top-${columns}x${rows}.golden`);
    });
  }

  it('leaves the terminal as it was: resized while it is stopped, interrupted', async () => {
    top.press('C-z');
    await top.until(/Stopped/);
    top.tmux('resize-window', '-x', '130', '-y', '16');
    top.press('fg', 'Enter');
    await top.untilGolden('top-130x16.golden');
    top.press('C-c');
    await top.until(/before[^]*\n\$\n/);
    top.press('echo "code $?"; stty -a | grep -ow -e -icanon -e icanon -e -echo -e echo', 'Enter');
    await top.until(/code 0\nicanon\necho\n/);
    const state = top.tmux('display-message', '-p', 'cursor #{cursor_flag} alternate #{alternate_on}');
    assert.equal(state, 'cursor 1 alternate 0\n');
  });
});
