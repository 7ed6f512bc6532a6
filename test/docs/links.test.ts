/** Everything that the docs refer to exists: other pages, their headings, and source files. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import * as library from '../../src/index.ts';
import { anchors, links, markdownFiles, namedPaths, readPage, ROOT } from './markdown.ts';
import { EXIT } from '../../src/base/errors.ts';

const MAX_README_LINES = 110;

describe('the docs', () => {
  for (const page of markdownFiles()) {
    it(`${page}: links work, and the files it names exist`, () => {
      const text = readPage(page);
      const broken = links(text).filter(link => !leadsSomewhere(page, link));
      const gone = namedPaths(text).filter(path => !existsSync(join(ROOT, path)));
      assert.deepEqual({ broken, gone }, { broken: [], gone: [] });
    });
  }

  it('the README fits on a few screens', () => {
    const lineCount = readPage('README.md').trimEnd().split('\n').length;
    assert.ok(lineCount <= MAX_README_LINES, `${lineCount} lines; move something to docs/`);
  });

  it('the page of exit codes is complete', () => {
    const listed = Array.from(readPage('docs/exit-codes.md').matchAll(/^\| (\d+) /gm), match => Number(match[1]));
    assert.deepEqual(listed, Object.values(EXIT));
  });

  it('the page of the library names every exported value, and nothing else', () => {
    const rows = Array.from(readPage('docs/library.md').matchAll(/^\| (`[^|]*`) +\|/gm), match => match[1] ?? '');
    const named = rows.flatMap(row => row.split(', ').map(name => name.replaceAll('`', '')));
    assert.deepEqual(named.sort(), Object.keys(library).sort());
  });
});

function leadsSomewhere(page: string, link: string): boolean {
  if (/^(?:https?|mailto):/.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), decodeURI(path)));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchors(readPage(target)).includes(anchor);
}
