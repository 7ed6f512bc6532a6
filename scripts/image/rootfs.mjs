// The root file system of the image: Node.js with the libraries it links, Oakum, and nothing else.
//
//   /usr/bin/node, /usr/bin/oakum     /usr/lib/oakum: the package     /etc/passwd: user 65532     /data, /tmp
//
// As a script, for the Containerfile: node scripts/image/rootfs.mjs DIR
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../setup.mjs';
import { sbomOf } from './sbom.mjs';

export const USER = 65532;
const HOME = 'usr/lib/oakum';

export function makeRootfs(out, epochSeconds) {
  const put = (path, text) => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  };
  const node = realpathSync(process.execPath);
  copy(node, join(out, 'usr/bin/node'));
  chmodSync(join(out, 'usr/bin/node'), 0o755);
  for (const library of librariesOf(node)) copy(library, join(out, library));

  const skipped = /^(?:types|index\.js|\.stamp)$/;
  cpSync(join(ROOT, 'dist'), join(out, HOME, 'dist'), {
    recursive: true,
    filter: path => dirname(path) !== join(ROOT, 'dist') || !skipped.test(basename(path)),
  });
  for (const path of ['bin', 'demo', 'package.json', 'LICENSE'])
    cpSync(join(ROOT, path), join(out, HOME, path), { recursive: true });
  const sqlite = 'node_modules/node-sqlite3-wasm';
  for (const path of ['package.json', 'LICENSE', 'dist'])
    cpSync(join(ROOT, sqlite, path), join(out, HOME, sqlite, path), { recursive: true });
  for (const name of ['oakum', 'kubectl-oakum']) symlinkSync('../lib/oakum/bin/oakum.js', join(out, 'usr/bin', name));

  put('etc/passwd', `root:x:0:0::/:/none\noakum:x:${USER}:${USER}::/data:/none\n`);
  put('etc/group', `root:x:0:\noakum:x:${USER}:\n`);
  put('etc/nsswitch.conf', 'hosts: files dns\n');
  put('etc/os-release', 'ID=oakum\nNAME="Oakum"\n');
  put('usr/share/oakum/sbom.cdx.json', `${JSON.stringify(sbomOf(epochSeconds), null, 2)}\n`);
  put('usr/share/oakum/NOTICE', readFileSync(join(ROOT, 'dist/NOTICE')));
  mkdirSync(join(out, 'data'), { recursive: true });
  mkdirSync(join(out, 'tmp'), { recursive: true });
  chmodSync(join(out, 'tmp'), 0o1777);
  // The launcher begins with #!/usr/bin/env node: the only other program in the image.
  copy('/usr/bin/env', join(out, 'usr/bin/env'));
  chmodSync(join(out, 'usr/bin/env'), 0o755);
}

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(realpathSync(from), to);
}

/** Paths of the shared libraries and of the loader. */
function librariesOf(program) {
  const { status, stdout, stderr } = spawnSync('ldd', [program], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ldd ${program}: ${stderr}`);
  return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  makeRootfs(process.argv[2], Number(process.env.SOURCE_DATE_EPOCH ?? 0));
}
