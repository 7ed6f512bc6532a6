// The packages that are in dist/ or beside it, as CycloneDX, from `npm sbom`; the same text for the same lock file.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup.mjs';

export function sbomOf(epochSeconds) {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  if (status !== 0) throw new Error(`npm sbom: ${stderr}`);
  const sbom = JSON.parse(stdout);
  const shipped = shippedPackages();
  const components = sbom.components.filter(({ group, name, version }) => {
    const full = group === undefined || group === '' || name.startsWith('@') ? name : `${group}/${name}`;
    return shipped.has(`${full} ${version}`);
  });
  const refs = new Set(components.map(component => component['bom-ref']));
  const root = { ...sbom.metadata.component, name: 'oakum', type: 'application' };
  refs.add(root['bom-ref']);
  const node = {
    'bom-ref': `node@${process.versions.node}`,
    type: 'platform',
    name: 'node',
    version: process.versions.node,
  };
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(one => refs.has(one)) }));
  const content = { components: [node, ...components], dependencies };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return {
    ...sbom,
    // A name of the content, so that the same content has the same name.
    serialNumber: `urn:uuid:${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`,
    metadata: { ...sbom.metadata, timestamp: new Date(epochSeconds * 1000).toISOString(), component: root },
    ...content,
  };
}

/** `name version` of what NOTICE lists, and of what is installed with Oakum. */
function shippedPackages() {
  const notice = readFileSync(join(ROOT, 'dist/NOTICE'), 'utf8');
  const names = [...notice.matchAll(/^-{20,}\n\n(\S+ \d\S*)\n/gm)].map(([, name]) => name);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/node-sqlite3-wasm/package.json'), 'utf8'));
  return new Set([...names, `node-sqlite3-wasm ${version}`]);
}
