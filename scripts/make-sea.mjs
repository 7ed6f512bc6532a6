// npm run sea [-- --out FILE]: one executable for this platform, with Node.js, the program and its files inside.
// With --check nothing is made: it ends with 1 if the program needs what an executable cannot load.
// Uses the node that runs it, and postject, which npm fetches. On macOS the result is signed anew, ad hoc.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { ensureKnowledge } from './make-knowledge.mjs';
import { ensureInstalled, listFiles, ROOT } from './setup.mjs';

const POSTJECT = 'postject@1.0.0-alpha.6';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const suffix = process.platform === 'win32' ? '.exe' : '';

/** SQLite's loader reads a file beside itself, unless it is given the bytes. */
const embedWasm = {
  name: 'embed-wasm',
  setup: ({ onLoad }) =>
    onLoad({ filter: /node-sqlite3-wasm\.js$/ }, ({ path }) => ({
      contents: `var Module={wasmBinary:require('./node-sqlite3-wasm.wasm')};${readFileSync(path, 'utf8')}`,
      loader: 'js',
    })),
};

/** Packages use these if they are there. In an executable, asking for them makes Node print a warning. */
const leaveOutOptional = {
  name: 'leave-out-optional',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(?:bufferutil|encoding|pg-native|supports-color|utf-8-validate)$/ }, ({ path }) => ({
      path,
      namespace: 'left-out',
    }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw Object.assign(new Error('${path} is left out'), { code: 'MODULE_NOT_FOUND' });`,
    }));
  },
};

const { values } = parseArgs({ options: { out: { type: 'string' }, check: { type: 'boolean' } } });
const platform = { win32: 'windows' }[process.platform] ?? process.platform;
const arch = { x64: 'amd64' }[process.arch] ?? process.arch;
const out = resolve(values.out ?? join(ROOT, `.cache/sea/oakum-${platform}-${arch}${suffix}`));

ensureInstalled();
ensureKnowledge();
if (values.check !== true && !(await ensureBuilt())) process.exit(1);
const work = join(ROOT, `.cache/sea-${process.pid}`);
mkdirSync(work, { recursive: true });
try {
  await bundle();
  if (values.check !== true) makeExecutable();
} finally {
  rmSync(work, { recursive: true, force: true });
}

function makeExecutable() {
  const assets = Object.fromEntries([
    ['package.json', join(ROOT, 'package.json')],
    ['store-thread.js', join(work, 'store-thread.js')],
    ['background-thread.js', join(work, 'background-thread.js')],
    ['NOTICE', join(ROOT, 'dist/NOTICE')],
    ...filesBelow('dist/web', 'web'),
    ...filesBelow('demo', 'demo'),
  ]);
  writeFileSync(join(work, 'index.json'), JSON.stringify(Object.keys(assets)));
  const config = {
    main: join(work, 'main.js'),
    output: join(work, 'oakum.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: { ...assets, 'index.json': join(work, 'index.json') },
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
  run(process.execPath, ['--experimental-sea-config', join(work, 'sea.json')]);
  mkdirSync(dirname(out), { recursive: true });
  rmSync(out, { force: true });
  copyFileSync(process.execPath, out);
  chmodSync(out, 0o755);
  if (process.platform === 'darwin') run('codesign', ['--remove-signature', out]);
  const segment = process.platform === 'darwin' ? ['--macho-segment-name', 'NODE_SEA'] : [];
  const inject = [out, 'NODE_SEA_BLOB', config.output, '--sentinel-fuse', FUSE, ...segment];
  run(process.platform === 'win32' ? 'npm.cmd' : 'npm', [
    'exec',
    '--yes',
    `--package=${POSTJECT}`,
    '--',
    'postject',
    ...inject,
  ]);
  if (process.platform === 'darwin') run('codesign', ['--sign', '-', out]);
  process.stdout.write(`${relative(process.cwd(), out)}: ${(statSync(out).size / 1e6).toFixed(0)} MB\n`);
}

/** One script each for the program and its threads: there are no files to import from. */
async function bundle() {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: ROOT,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
    entryPoints: {
      main: 'src/cli/sea-main.ts',
      'store-thread': 'src/cli/watch/store-thread.ts',
      'background-thread': 'src/cli/watch/background-thread.ts',
    },
    outdir: work,
    banner: { js: "const importMetaUrl=require('node:url').pathToFileURL(process.execPath).href;" },
    define: { 'import.meta.url': 'importMetaUrl' },
    plugins: [embedWasm, leaveOutOptional],
    metafile: true,
    loader: { '.wasm': 'binary' },
    // Only threads that are run from the sources use it.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  const imports = Object.values(metafile.outputs).flatMap(output => output.imports);
  const outside = new Set(imports.map(({ path }) => path).filter(path => !isBuiltin(path)));
  if (outside.size === 0) return;
  process.stderr.write(`oakum: an executable cannot load ${[...outside].join(', ')}: bundle it, or leave it out\n`);
  process.exit(1);
}

function filesBelow(folder, name) {
  return listFiles(folder, () => true).map(path => {
    const inner = path.slice(folder.length).replaceAll('\\', '/');
    return [`${name}${inner}`, join(ROOT, path)];
  });
}

function run(program, args) {
  const { status, error, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
  if (status === 0) return;
  process.stderr.write(`oakum: ${program} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? stderr}\n`);
  process.exit(1);
}
