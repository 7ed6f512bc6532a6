// Builds dist/: the command line (dist/cli), the library (dist/index.js), its types (dist/types), the UI (dist/web),
// and the licences of what they bundle (dist/NOTICE).
// Does nothing if the sources have not changed since the last build; `--force` builds anyway.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildWeb } from './build-web.mjs';
import { ensureKnowledge } from './make-knowledge.mjs';
import { noticeFor } from './notice.mjs';
import { ensureInstalled, hashFiles, listFiles, ROOT, runNode } from './setup.mjs';

/** True if dist/ is up to date at the end. */
export async function ensureBuilt({ force = false } = {}) {
  ensureKnowledge();
  const stamp = hashFiles([
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/build.mjs',
    'scripts/build-web.mjs',
    'scripts/notice.mjs',
    ...['src', 'web'].flatMap(folder => listFiles(folder, path => !/\.test\.tsx?$/.test(path))),
  ]);
  const stampFile = join(ROOT, 'dist/.stamp');
  if (!force && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return true;
  ensureInstalled();
  process.stderr.write('oakum: building dist/\n');

  // Built aside and swapped in, so that a running oakum never sees half a build.
  const next = join(ROOT, `.cache/dist-${process.pid}`);
  try {
    mkdirSync(next, { recursive: true });
    if (!(await bundle(next)) || !declare(next)) return false;
    writeFileSync(join(next, '.stamp'), stamp);
    swapIn(next);
    return true;
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/** Two builds may end at the same time; the one that finds dist/ taken tries again. */
function swapIn(next) {
  const dist = join(ROOT, 'dist');
  for (let attempt = 0; ; attempt++) {
    const previous = `${next}-previous-${attempt}`;
    try {
      if (existsSync(dist)) renameSync(dist, previous);
      renameSync(next, dist);
      return;
    } catch (error) {
      if (attempt === 4) throw error;
    } finally {
      rmSync(previous, { recursive: true, force: true });
    }
  }
}

async function bundle(out) {
  const { build } = await import('esbuild');
  const shared = {
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: 'node20',
    splitting: true,
    chunkNames: '[name]-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    logLevel: 'warning',
  };
  try {
    const results = await Promise.all([
      build({
        ...shared,
        platform: 'node',
        entryPoints: {
          main: 'src/cli/main.ts',
          'background-thread': 'src/cli/watch/background-thread.ts',
          'store-thread': 'src/cli/watch/store-thread.ts',
        },
        outdir: join(out, 'cli'),
        // Some packages are CommonJS and require Node's own modules.
        banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
        // It reads the .wasm file beside itself. The one package that users install with oakum: all else is bundled.
        external: ['node-sqlite3-wasm'],
      }),
      // Also for browsers: a node: import in the library would fail here.
      build({ ...shared, platform: 'neutral', entryPoints: { index: 'src/index.ts' }, outdir: out }),
    ]);
    const metafiles = [...results.map(result => result.metafile), ...(await buildWeb(join(out, 'web')))];
    writeFileSync(join(out, 'NOTICE'), noticeFor(metafiles));
    return true;
  } catch (error) {
    if (!error.errors) throw error;
    return false;
  }
}

function declare(out) {
  const types = relative(ROOT, join(out, 'types')).replaceAll('\\', '/');
  const tsc = 'node_modules/typescript/bin/tsc';
  if (runNode([tsc, '-p', 'tsconfig.build.json', '--outDir', types, '--singleThreaded']) !== 0) return false;
  // The compiler leaves './x.ts' in declarations, where the convention is './x.js'.
  for (const path of listFiles(types, file => file.endsWith('.d.ts'))) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    writeFileSync(join(ROOT, path), text.replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js'));
  }
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  process.exitCode = (await ensureBuilt({ force: process.argv.includes('--force') })) ? 0 : 1;
}
