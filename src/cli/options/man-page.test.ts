import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { COMMANDS } from '../command-table.ts';
import { manPage } from './man-page.ts';

const commands = await Promise.all(
  Object.values(COMMANDS).map(async ({ summary, load }) => ({ ...(await load()), summary })),
);
const page = manPage(commands, '1.2.3');

it('has every command with every option', () => {
  for (const { name, flags } of commands) {
    assert.ok(page.includes(`.SS oakum ${name.replaceAll('-', '\\-')}\n`), name);
    for (const flag of flags)
      for (const one of flag.names) assert.ok(page.includes(`\\fB${one.replaceAll('-', '\\-')}\\fR`), one);
  }
  assert.ok(page.startsWith('.TH OAKUM 1 "" "oakum 1.2.3"'));
});

it('has no line that roff would read as an unknown request', () => {
  const requests = /^\.(?:TH|SH|SS|PP|TP|B|BR|I|br|nf|fi)\b/;
  for (const line of page.split('\n')) if (/^[.']/.test(line)) assert.match(line, requests);
});

it('is read by man without a warning', t => {
  const { error, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww'], { input: page, encoding: 'utf8' });
  if (error !== undefined) return t.skip('there is no groff');
  assert.equal(stderr, '');
});
