/** The completion scripts in real shells, if installed, and their words in any case. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { COMMANDS } from '../command-table.ts';
import type { DescribedCommand } from './command.ts';
import { run } from '../run.ts';
import { completionScript } from './completion-script.ts';

const commands: DescribedCommand[] = await Promise.all(
  Object.values(COMMANDS).map(async ({ summary, load }) => ({ ...(await load()), summary })),
);
const folder = mkdtempSync(join(tmpdir(), 'oakum-completion-'));
before(() => {
  writeFileSync(join(folder, 'heap.pb.gz'), '');
  writeFileSync(join(folder, 'with space'), '');
  mkdirSync(join(folder, 'leaks'));
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    writeFileSync(join(folder, `oakum.${shell}`), completionScript(shell, commands));
});
after(() => rmSync(folder, { recursive: true }));

/** Command lines and their completions. */
const CASES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['oakum an', ['analyze']],
  ['oakum --ve', ['--version']],
  ['oakum help tri', ['triage']],
  ['oakum analyze --fai', ['--fail-on']],
  ['oakum analyze --fail-on ', ['leak', 'watch']],
  ['oakum analyze -o y', ['yaml']],
  ['oakum analyze hea', ['heap.pb.gz']],
  ['oakum analyze --top ', []],
  ['oakum triage --prometheus-p', ['--prometheus-password-file']],
  ['oakum triage api', ['apiserver']],
  ['oakum capture --also metrics-p', ['metrics-probes']],
  ['oakum bundle ver', ['verify']],
  ['oakum catalogue ', ['lint', 'list', 'show']],
  ['oakum completion z', ['zsh']],
  ['oakum pprof -diff', ['-diff_base']],
  ['oakum pprof -symbolize ', ['none', 'text']],
];

function installed(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

function linesOf({ stdout, stderr, status }: ReturnType<typeof spawnSync>): string[] {
  assert.equal(status, 0, String(stderr));
  assert.equal(String(stderr), '');
  return String(stdout)
    .split('\n')
    .filter(line => line !== '')
    .sort();
}

describe('bash', { skip: !installed('bash') && 'no bash' }, () => {
  /** Readline breaks words at = too. */
  const complete = (line: string): string[] => {
    const words = line.split(/ +|(=)/).filter(word => word !== undefined);
    const script = `source "$1/oakum.bash"; shift; compopt() { :; }
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _oakum; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf(
      spawnSync('bash', ['--norc', '-uc', script, 'bash', folder, ...words], { cwd: folder, encoding: 'utf8' }),
    );
  };

  for (const [line, words] of CASES) it(line, () => assert.deepEqual(complete(line), words));

  it('completes values after =', () => {
    assert.deepEqual(complete('oakum analyze --fail-on='), ['leak', 'watch']);
    assert.deepEqual(complete('oakum analyze --fail-on=l'), ['leak']);
    assert.deepEqual(complete('oakum pprof -symbolize=n'), ['none']);
  });

  it('completes files with spaces, and only folders if a folder is needed', () => {
    assert.deepEqual(complete('oakum analyze wi'), ['with space']);
    assert.deepEqual(complete('oakum analyze --catalogue '), ['leaks']);
  });

  it('knows every option of every command', () => {
    for (const { name, flags } of commands) {
      const offered = complete(`oakum ${name} -`);
      for (const typed of flags.flatMap(({ names }) => names)) assert.ok(offered.includes(typed), `${name} ${typed}`);
    }
  });
});

describe('fish', { skip: !installed('fish') && 'no fish' }, () => {
  const complete = (line: string): string[] => {
    const script = `source $argv[1]/oakum.fish; complete -C $argv[2]`;
    const result = spawnSync('fish', ['-c', script, folder, line], { cwd: folder, encoding: 'utf8' });
    return linesOf(result).map(found => found.split('\t')[0] ?? '');
  };
  for (const [line, words] of CASES) it(line, () => assert.deepEqual(complete(line), words));

  it('knows every option of every command', () => {
    for (const { name, flags } of commands) {
      const offered = [...complete(`oakum ${name} -`), ...complete(`oakum ${name} --`)];
      for (const typed of flags.flatMap(({ names }) => names)) assert.ok(offered.includes(typed), `${name} ${typed}`);
    }
  });
});

it('zsh accepts its script', { skip: !installed('zsh') && 'no zsh' }, () => {
  assert.deepEqual(linesOf(spawnSync('zsh', ['-n', join(folder, 'oakum.zsh')], { encoding: 'utf8' })), []);
});

describe('every script', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    it(`for ${shell} has every command, option and value`, () => {
      const text = completionScript(shell, commands);
      for (const { name, flags, operands } of commands) {
        const words = [
          name,
          ...(operands.subcommands ?? []),
          ...flags.flatMap(({ names, choices }) => [...names.map(typed => typed.replace(/^-+/, '')), ...choices]),
        ];
        for (const word of words) assert.match(text, new RegExp(`(?<!\\w)${word}(?![\\w-])`), `${name} ${word}`);
      }
    });
  }

  it('is printed by oakum completion', async () => {
    const io = memoryIo();
    assert.equal(await run(['completion', 'zsh'], io), 0);
    assert.equal(io.out(), completionScript('zsh', commands));
  });
});

describe('the help of every command', () => {
  for (const command of commands) {
    it(`${command.name} has every option, on lines that fit`, async () => {
      const io = memoryIo();
      assert.equal(await run([command.name, '--help'], io), 0);
      for (const { names, choices } of command.flags) {
        for (const name of names) assert.match(io.out(), new RegExp(`(?<![\\w-])${name}(?![\\w-])`), name);
        for (const choice of choices) assert.ok(io.out().includes(choice), `${names.join(' ')} ${choice}`);
      }
      for (const line of io.out().split('\n')) assert.ok(line.length <= 120, line);
    });
  }
});
