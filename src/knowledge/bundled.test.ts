import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { BUNDLED_LEAKS, BUNDLED_PRODUCTS, CAUSES, OWNERS } from './bundled.ts';
import { readKnowledge } from './read-knowledge.ts';
import { refUrl } from './refs.ts';
import { renderMarkdown } from '../report/catalogue-text.ts';

const MEND = 'run: npm run knowledge';
const FOLDER = new URL('./', import.meta.url);

it('bundled.ts is made from the YAML files', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.yaml'));
  const texts = files.map(path => [path.replaceAll('\\', '/'), readFileSync(new URL(path, FOLDER), 'utf8')] as const);
  const { causes, owners, products, leaks, problems } = readKnowledge(new Map(texts));
  assert.deepEqual(problems, []);
  assert.deepEqual([CAUSES, OWNERS, BUNDLED_PRODUCTS, BUNDLED_LEAKS], [causes, owners, products, leaks], MEND);
});

it('docs/known-leaks.md is made from them too', async () => {
  const file = fileURLToPath(new URL('../../docs/known-leaks.md', import.meta.url));
  const page = await format(renderMarkdown(BUNDLED_LEAKS), { ...(await resolveConfig(file)), filepath: file });
  assert.equal(readFileSync(file, 'utf8'), page, MEND);
});

it('what is not substantiated upstream is marked so', () => {
  const unconfirmed = BUNDLED_LEAKS.filter(leak => leak.status === 'unconfirmed').map(leak => leak.refs[0]);
  const expected = [
    'cilium#31889',
    'cilium#41623',
    'etcd#16053',
    'external-secrets/external-secrets#1968',
    'keda#5448',
    'kubernetes#131905',
    'kubernetes#131906',
    'kubernetes#132266',
    'open-telemetry/opentelemetry-collector-contrib#38904',
    'volcano-sh/volcano#3597',
  ];
  assert.deepEqual(unconfirmed.sort(), expected);
});

it('references lead somewhere', () => {
  assert.equal(refUrl('kubernetes#139823'), 'https://github.com/kubernetes/kubernetes/issues/139823');
  assert.equal(refUrl('CVE-2025-64329'), 'https://www.cve.org/CVERecord?id=CVE-2025-64329');
  assert.equal(refUrl('example/our-operator#12'), 'https://github.com/example/our-operator/issues/12');
  for (const ref of [
    'kubernetes',
    'kubernetes#',
    '#1',
    'kubernetes#0',
    'nowhere#1',
    'constructor#1',
    'a/b/c#1',
    'CVE-25-1',
  ]) {
    assert.equal(refUrl(ref), undefined, ref);
  }
});
