// npm run chart: makes what is made of the Helm chart and the plain manifests; deploy/kubernetes.yaml needs helm.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, ROOT } from './setup.mjs';

ensureInstalled();
if (!(await ensureBuilt())) process.exit(1);
const { findHelm, generatedFiles, plainManifests } = await import('./chart/generated.mjs');
const { spawnSync } = await import('node:child_process');

const oakum = async args =>
  spawnSync(process.execPath, [join(ROOT, 'bin/oakum.js'), ...args], { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
    .stdout;
const files = await generatedFiles(oakum);
for (const [path, text] of files) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
}
const helm = findHelm();
if (helm === undefined)
  process.stderr.write('deploy/kubernetes.yaml is as it was: it needs helm 3 on the PATH, or its path in OAKUM_HELM\n');
else writeFileSync(join(ROOT, 'deploy/kubernetes.yaml'), plainManifests(helm));
process.stdout.write(`${[...files.keys()].join('\n')}\n`);
