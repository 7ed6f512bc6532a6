/**
 * Checks every example in the docs: each line of a ```sh block is run or at least parsed, and a block marked ```text
 * output must match the output of the command above it. After a change of the output:
 *
 *     OAKUM_UPDATE_GOLDENS=1 npm test -- test/docs
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { COMMANDS, GROUPS } from '../../src/cli/command-table.ts';
import { run } from '../../src/cli/run.ts';
import { memoryIo } from '../double/memory-io.ts';
import { codeBlocks, markdownFiles, readPage, ROOT } from './markdown.ts';
import { runPipeline } from './run-example.ts';
import { makeSandbox, type Sandbox } from './sandbox.ts';
import { shellLines } from './shell-line.ts';

// Reports of profiles print local times.
process.env['TZ'] = 'UTC';

const isUpdate = process.env['OAKUM_UPDATE_GOLDENS'] === '1';

for (const page of markdownFiles()) {
  const blocks = codeBlocks(readPage(page));
  if (!blocks.some(({ info }) => info === 'sh' || info === 'text output')) continue;

  describe(page, () => {
    let sandbox: Sandbox;
    /** The output of each line of the last ```sh block. */
    let shown: string[] = [];
    before(async () => {
      sandbox = await makeSandbox();
    });
    after(() => sandbox.remove());

    for (const { info, line: blockLine, code } of blocks) {
      if (info === 'sh') {
        for (const [index, { source, line, pipelines }] of shellLines(code).entries()) {
          it(`line ${blockLine + line}: ${source}`, async () => {
            if (index === 0) shown = [];
            for (const pipeline of pipelines) shown.push((await runPipeline(pipeline, sandbox.folder)).shown);
          });
        }
      }
      if (info === 'text output') {
        it(`line ${blockLine}: shows the output of the command above`, () => {
          assert.equal(shown.length, 1, 'a sample belongs to one command; give it a block of its own');
          const expected = excerptLike(code, shown[0] ?? '');
          if (isUpdate && expected !== code) {
            const [old, fresh] = [code, expected].map(text => `\`\`\`text output\n${text}\`\`\``);
            writeFileSync(
              join(ROOT, page),
              readPage(page).replace(old ?? '', () => fresh ?? ''),
            );
          } else assert.equal(code, expected, 'OAKUM_UPDATE_GOLDENS=1 npm test -- test/docs writes the new output');
        });
      }
    }
  });
}

/** A sample is the whole output, or its first and last lines with a line of three dots between them. */
function excerptLike(sample: string, output: string): string {
  const lines = output.replace(/ +$/gm, '').trimEnd().split('\n');
  const shown = sample.trimEnd().split('\n');
  const dots = shown.indexOf('...');
  if (dots < 0) return `${lines.join('\n')}\n`;
  const tail = shown.length - dots - 1;
  return [...lines.slice(0, dots), '...', ...(tail === 0 ? [] : lines.slice(-tail)), ''].join('\n');
}

describe('docs/commands', () => {
  it('has one page per command', () => {
    const pages = markdownFiles().filter(path => path.startsWith('docs/commands/'));
    const expected = Object.keys(COMMANDS)
      .map(name => `docs/commands/${name}.md`)
      .sort();
    assert.deepEqual(pages, expected);
  });

  it('the README groups the commands as oakum --help does', () => {
    const table = /## All commands\n([^#]*)/.exec(readPage('README.md'))?.[1] ?? '';
    const rows = [...table.matchAll(/^\| ([^|]*?) *\| (.*\[`.*?) *\|$/gm)];
    const groups = rows.map(([, title, links]) => [title, [...links.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)]);
    assert.deepEqual(
      groups,
      Object.entries(GROUPS).map(([title, commands]) => [title, Object.keys(commands)]),
    );
  });

  for (const name of Object.keys(COMMANDS)) {
    it(`${name}: the options on its page exist`, async () => {
      const [, section = ''] = readPage(`docs/commands/${name}.md`).split(/^## Options$/m);
      const options = section.split(/^## /m)[0]?.match(/(?<=`)--?[a-z][a-z-]*/g) ?? [];
      const io = memoryIo();
      await run([name, '--help'], io);
      const known = new Set(io.out().match(/(?<![\w-])--?[a-z][a-z-]*/g));
      assert.deepEqual(
        options.filter(option => !known.has(option)),
        [],
      );
    });
  }
});
