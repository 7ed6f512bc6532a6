// node scripts/make-catalogue.mjs: makes src/knowledge/bundled.ts and docs/known-leaks.md from src/catalogue/leaks.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ensureInstalled, listFiles, ROOT } from './setup.mjs';

ensureInstalled();
const { register } = await import('tsx/esm/api');
register();
const { format, resolveConfig } = await import('prettier');
const { readLeak } = await import('../src/knowledge/load.ts');
const { renderMarkdown } = await import('../src/report/catalogue-text.ts');

const readings = listFiles('src/catalogue/leaks', path => path.endsWith('.yaml'))
  .sort()
  .map(path => readLeak(readFileSync(join(ROOT, path), 'utf8'), basename(path)));
const problems = readings.flatMap(reading => reading.problems);
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
const leaks = readings.map(reading => reading.leak);

await write(
  'src/knowledge/bundled.ts',
  `/** Made by scripts/make-catalogue.mjs from the files in leaks/; edit those. */
import type { KnownLeak } from '../model/known-leak.ts';

export const BUNDLED_LEAKS: readonly KnownLeak[] = ${JSON.stringify(leaks, null, 2)};
`,
);
await write('docs/known-leaks.md', renderMarkdown(leaks));
process.stdout.write(`${leaks.length} known leaks\n`);

async function write(path, text) {
  const file = join(ROOT, path);
  writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
