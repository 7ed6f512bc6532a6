// npm run knowledge: makes src/knowledge/bundled.ts, which git ignores, and docs/known-leaks.md from the YAML files of
// src/knowledge. Scripts that load or check the sources call ensureKnowledge first, so that bundled.ts is up to date.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureInstalled, hashFiles, listFiles, ROOT, runNode } from './setup.mjs';

const FOLDER = 'src/knowledge';
const BUNDLED = join(ROOT, FOLDER, 'bundled.ts');

/** Makes bundled.ts unless it is of these sources; ends the process if they are wrong. */
export function ensureKnowledge() {
  if (existsSync(BUNDLED) && readFileSync(BUNDLED, 'utf8').startsWith(firstLine())) return;
  ensureInstalled();
  if (runNode([fileURLToPath(import.meta.url), '--bundled-only']) !== 0) process.exit(1);
}

/** Names the sources by a hash, together with the code that reads them. */
function firstLine() {
  const isSource = path => path.endsWith('.yaml') || (path.endsWith('.ts') && !/(?:\.test|\/bundled)\.ts$/.test(path));
  return `/** Made by scripts/make-knowledge.mjs of ${hashFiles(['scripts/make-knowledge.mjs', ...listFiles(FOLDER, isSource)])}. */\n`;
}

async function makeBundled() {
  const { readKnowledge } = await import('../src/knowledge/read-knowledge.ts');
  const stamp = firstLine();
  const files = listFiles(FOLDER, path => path.endsWith('.yaml'));
  const texts = files.map(path => [path.slice(FOLDER.length + 1), readFileSync(join(ROOT, path), 'utf8')]);
  const { causes, lifetimes, owners, products, leaks, problems } = readKnowledge(new Map(texts));
  if (problems.length > 0) {
    process.stderr.write(`${problems.map(problem => `${FOLDER}/${problem}\n`).join('')}`);
    process.exit(1);
  }
  // Renamed when it is whole: other processes may load it now.
  const draft = join(ROOT, `.cache/bundled-${process.pid}.ts`);
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  writeFileSync(
    draft,
    `${stamp}import type { KnownLeak } from './known-leak.ts';
import type { CauseRecord, Lifetime, OwnerRule, Product } from './records.ts';

export const CAUSES: readonly CauseRecord[] = ${JSON.stringify(causes)};
export const LIFETIMES: readonly Lifetime[] = ${JSON.stringify(lifetimes)};
export const OWNERS: readonly OwnerRule[] = ${JSON.stringify(owners)};
export const BUNDLED_PRODUCTS: readonly Product[] = ${JSON.stringify(products)};
${leaksInShort(leaks)}`,
  );
  renameSync(draft, BUNDLED);
  return leaks;
}

/** Most fields of most leaks are the same, and every page that reads profiles carries them all. */
function leaksInShort(leaks) {
  const usual = usualOf(leaks[0]);
  const usualSignature = usualOf(leaks.flatMap(({ signatures }) => signatures)[0]);
  const short = leaks.map(({ signatures, ...leak }) => {
    const rest = inShort('LEAK', leak, usual);
    const inner = signatures.map(signature => inShort('SIGNATURE', signature, usualSignature));
    return inner.length === 0 ? rest : `${rest.slice(0, -1)},signatures:[${inner.join(',')}]}`;
  });
  return `const LEAK: KnownLeak = ${JSON.stringify(usual)};
const SIGNATURE: KnownLeak['signatures'][number] = ${JSON.stringify(usualSignature)};
export const BUNDLED_LEAKS: readonly KnownLeak[] = [${short.join(',')}];
`;
}

const MOSTLY = { status: 'confirmed', resource: 'goroutines', evidence: 'from-fix' };

/** With the fields in their order, which is that of `oakum catalogue list -o yaml`. */
function usualOf(record) {
  const empty = value => (Array.isArray(value) ? [] : typeof value === 'string' ? '' : false);
  return Object.fromEntries(Object.entries(record).map(([field, value]) => [field, MOSTLY[field] ?? empty(value)]));
}

function inShort(name, record, usual) {
  const isUsual = (field, value) => JSON.stringify(value) === JSON.stringify(usual[field]);
  const given = Object.entries(record).filter(([field, value]) => !isUsual(field, value));
  return `{...${name},${JSON.stringify(Object.fromEntries(given)).slice(1)}`;
}

async function makePage(leaks) {
  const { format, resolveConfig } = await import('prettier');
  const { renderMarkdown } = await import('../src/report/catalogue-text.ts');
  const page = join(ROOT, 'docs/known-leaks.md');
  writeFileSync(page, await format(renderMarkdown(leaks), { ...(await resolveConfig(page)), filepath: page }));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  (await import('tsx/esm/api')).register();
  const leaks = await makeBundled();
  if (!process.argv.includes('--bundled-only')) await makePage(leaks);
}
