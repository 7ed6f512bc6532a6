// npm run krew -- --archives DIR --base-url URL [--homepage URL] [--out FILE]: the krew manifest of the archives there.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT } from './setup.mjs';

ensureInstalled();
const { archiveName, krewManifest, krewProblems, krewText, PLATFORMS } = await import('./release/krew.mjs');
const options = {
  archives: { type: 'string' },
  'base-url': { type: 'string' },
  homepage: { type: 'string' },
  out: { type: 'string' },
};
const { values } = parseArgs({ options });
const folder = values.archives;
const baseUrl = values['base-url'];
if (folder === undefined || baseUrl === undefined) fail('give --archives DIR and --base-url URL');
const archives = PLATFORMS.flatMap(platform => {
  const path = join(folder, archiveName(platform));
  if (!existsSync(path)) return [];
  return [{ ...platform, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') }];
});
if (archives.length === 0) fail(`${folder} has no archive such as ${archiveName(PLATFORMS[0])}`);
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const manifest = krewManifest({
  version,
  baseUrl: baseUrl.replace(/\/+$/, ''),
  homepage: values.homepage ?? baseUrl,
  archives,
});
const problems = krewProblems(manifest, 'oakum');
if (problems.length > 0) fail(problems.join('; '));
if (values.out === undefined) process.stdout.write(krewText(manifest));
else writeFileSync(values.out, krewText(manifest));

function fail(why) {
  process.stderr.write(`oakum: ${why}\n`);
  process.exit(2);
}
