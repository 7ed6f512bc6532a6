// node scripts/release/check-version.mjs vX.Y.Z [--changelog]: fails unless package.json, the chart and the changelog
// have that version; prints the changelog's section about it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [tag = '', flag] = process.argv.slice(2);
const read = path => readFileSync(join(ROOT, path), 'utf8');

const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1];
if (version === undefined) fail(`${tag || 'no tag'}: a tag is vX.Y.Z`);
const problems = [];
const inPackage = JSON.parse(read('package.json')).version;
if (inPackage !== version) problems.push(`package.json has ${inPackage}`);
const chart = read('deploy/helm/oakum/Chart.yaml');
for (const key of ['version', 'appVersion']) {
  const found = new RegExp(`^${key}: (.*)$`, 'm').exec(chart)?.[1];
  if (found !== version) problems.push(`${key} of Chart.yaml is ${found}`);
}
const section = sectionOf(read('CHANGELOG.md'), version);
if (section === undefined) problems.push(`CHANGELOG.md has no section [${version}]`);
if (problems.length > 0) fail(`${tag}: ${problems.join('; ')}`);
if (flag === '--changelog') process.stdout.write(section);

function sectionOf(text, wanted) {
  const parts = text.split(/^## /m);
  const found = parts.find(part => part.startsWith(`[${wanted}]`));
  return found === undefined ? undefined : `${found.slice(found.indexOf('\n') + 1).trim()}\n`;
}

function fail(why) {
  process.stderr.write(`oakum: ${why}\n`);
  process.exit(1);
}
