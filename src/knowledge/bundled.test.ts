import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { BUNDLED_LEAKS } from './bundled.ts';
import { readLeak } from './read-leak.ts';
import { refUrl } from './refs.ts';
import { renderMarkdown } from '../report/catalogue-text.ts';

const MEND = 'run: npm run knowledge';
const LEAKS = new URL('./leaks/', import.meta.url);

it('bundled.ts is made from the files in leaks/', () => {
  const leaks = readdirSync(LEAKS)
    .sort()
    .map(name => {
      const { leak, problems } = readLeak(readFileSync(new URL(name, LEAKS), 'utf8'), name);
      assert.deepEqual(problems, []);
      return leak;
    });
  assert.deepEqual(BUNDLED_LEAKS, leaks, MEND);
});

it('docs/known-leaks.md is made from them too', async () => {
  const file = fileURLToPath(new URL('../../docs/known-leaks.md', import.meta.url));
  const page = await format(renderMarkdown(BUNDLED_LEAKS), { ...(await resolveConfig(file)), filepath: file });
  assert.equal(readFileSync(file, 'utf8'), page, MEND);
});

it('what is not substantiated upstream is marked so', () => {
  const unconfirmed = BUNDLED_LEAKS.filter(leak => leak.status === 'unconfirmed').map(leak => leak.refs[0]);
  assert.deepEqual(unconfirmed.sort(), ['kubernetes#131905', 'kubernetes#131906', 'kubernetes#132266']);
});

it('references lead somewhere', () => {
  assert.equal(refUrl('kubernetes#139823'), 'https://github.com/kubernetes/kubernetes/issues/139823');
  assert.equal(refUrl('example/our-operator#12'), 'https://github.com/example/our-operator/issues/12');
  for (const ref of ['kubernetes', 'kubernetes#', '#1', 'kubernetes#0', 'nowhere#1', 'constructor#1', 'a/b/c#1']) {
    assert.equal(refUrl(ref), undefined, ref);
  }
});
