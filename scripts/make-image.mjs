// npm run image [-- --out DIR]: an OCI layout with Oakum's image, without a registry and without Docker.
// Needs umoci and skopeo (apt-get install umoci skopeo), GNU tar and Linux. SOURCE_DATE_EPOCH sets its times; by
// default, that of the last commit.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, ROOT } from './setup.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = resolve(values.out ?? join(ROOT, '.cache/image'));
for (const [program, flag] of [
  ['umoci', '--version'],
  ['skopeo', '--version'],
  ['tar', '--version'],
])
  if (spawnSync(program, [flag]).status !== 0) {
    process.stderr.write(
      `oakum: there is no ${program}; apt-get install umoci skopeo tar, or build the Containerfile with podman or docker\n`,
    );
    process.exit(2);
  }
ensureInstalled();
if (!(await ensureBuilt())) process.exit(1);
const { makeRootfs, USER } = await import('./image/rootfs.mjs');

const { version, description, license } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? run('git', ['log', '-1', '--format=%ct']).trim());
const created = new Date(epoch * 1000).toISOString().replace('.000Z', 'Z');
const work = join(ROOT, `.cache/image-${process.pid}`);
rmSync(out, { recursive: true, force: true });
mkdirSync(join(work, 'rootfs'), { recursive: true });
try {
  makeRootfs(join(work, 'rootfs'), epoch);
  const layer = join(work, 'layer.tar');
  const fixed = [
    '--sort=name',
    `--mtime=@${epoch}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--format=posix',
    '--pax-option=delete=atime,delete=ctime',
    '--mode=u+rwX,go+rX,go-w',
  ];
  run('tar', [...fixed, '--exclude=./data', '--exclude=./tmp', '-C', join(work, 'rootfs'), '-cf', layer, '.']);
  // What the user writes to.
  const own = fixed.filter(flag => !/^--(?:owner|group|mode)/.test(flag));
  run('tar', [
    ...own,
    `--owner=${USER}`,
    `--group=${USER}`,
    '-C',
    join(work, 'rootfs'),
    '-rf',
    layer,
    './data',
    './tmp',
  ]);
  const image = `${out}:${version}`;
  const history = ['--history.created', created, '--history.created_by', 'npm run image', '--history.author', 'oakum'];
  run('umoci', ['init', '--layout', out]);
  run('umoci', ['new', '--image', image]);
  run('umoci', ['raw', 'add-layer', '--image', image, ...history, layer]);
  const labels = { title: 'oakum', description, version, licenses: license, created };
  run('umoci', [
    'config',
    '--image',
    image,
    '--created',
    created,
    '--author',
    'oakum',
    '--config.user',
    `${USER}:${USER}`,
    '--config.workingdir',
    '/data',
    '--config.entrypoint',
    '/usr/bin/oakum',
    '--config.cmd',
    'watch',
    '--config.env',
    'PATH=/usr/bin',
    '--config.env',
    'HOME=/data',
    '--config.exposedports',
    '7777',
    ...Object.entries(labels).flatMap(([name, text]) => ['--config.label', `org.opencontainers.image.${name}=${text}`]),
    ...history,
  ]);
  run('umoci', ['gc', '--layout', out]);
  const { manifests } = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8'));
  const blobs = join(out, 'blobs/sha256');
  const bytes = readdirSync(blobs).reduce((sum, name) => sum + statSync(join(blobs, name)).size, 0);
  process.stdout.write(
    `${relative(process.cwd(), out)}:${version} ${(bytes / 1e6).toFixed(1)} MB compressed, ${manifests[0].digest}\n`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

function run(program, args) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  if (status === 0) return stdout;
  process.stderr.write(`oakum: ${program} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? stderr}\n`);
  process.exit(1);
}
