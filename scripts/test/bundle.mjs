// Puts all test files of a run, and what they import, into one script. To load a thousand modules one by one, through
// hooks, takes each worker longer than many tests; here each is started when the first file that imports it is.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { builtinModules, SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ROOT } from '../setup.mjs';

const CACHE = join(ROOT, '.cache');

/** A run that was killed leaves its bundle. */
const STALE_MS = 24 * 3600 * 1000;

let bundles = 0;

/**
 * `{ url, remove() }`, with the URL of a module that exports `load`: file -> a function that imports it. Undefined if
 * some file cannot be read; then each is loaded by itself, and fails by itself.
 */
export async function bundleTests(files) {
  removeStale();
  const { build } = await import('esbuild');
  const out = join(CACHE, `tests-${process.pid}-${++bundles}.mjs`);
  const loaders = files.map(file => `${JSON.stringify(file)}: () => import(${JSON.stringify(`./${file}`)}),`);
  try {
    await build({
      absWorkingDir: ROOT,
      stdin: { contents: `export const load = {\n${loaders.join('\n')}\n};`, resolveDir: ROOT },
      outfile: out,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
      // Its lines are found only if a test fails: src/base/x.ts:12 for tests-123-1.mjs:45678.
      sourcemap: 'external',
      sourcesContent: false,
      jsx: 'automatic',
      jsxImportSource: 'preact',
      define: { 'import.meta.url': 'URL_OF_THIS_FILE' },
      plugins: [OWN_URLS, SCRIPTS, PACKAGES],
      logLevel: 'silent',
    });
    return { url: pathToFileURL(out).href, remove: () => [out, `${out}.map`].forEach(path => rmSync(path)) };
  } catch (error) {
    if (!error.errors) throw error;
    return undefined;
  }
}

function removeStale() {
  if (!existsSync(CACHE)) return;
  for (const name of readdirSync(CACHE).filter(name => /^tests-\d+-\d+\.mjs/.test(name))) {
    const path = join(CACHE, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > STALE_MS) rmSync(path, { force: true });
  }
}

/** `import.meta.url` is that of the source. */
const OWN_URLS = {
  name: 'own-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      const url = JSON.stringify(pathToFileURL(path).href);
      return { contents: `const URL_OF_THIS_FILE = ${url};${text}`, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** Plain JavaScript is loaded from where it is. */
const SCRIPTS = {
  name: 'scripts',
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.mjs$/ }, ({ path, resolveDir }) => ({
      path: pathToFileURL(join(resolveDir, path)).href,
      external: true,
    }));
  },
};

/**
 * A script's imports are all loaded when it starts, so packages that few tests use and that are large are loaded by
 * `require`, or bundled.
 */
const REQUIRED = {
  'axe-core': "export default require('axe-core');",
  'playwright-core': "export const { chromium } = require('playwright-core');",
};
const BUNDLED = ['@kubernetes/client-node'];

const PACKAGES = {
  name: 'packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, namespace }) => {
      if (importer.includes('node_modules') || BUNDLED.includes(path) || builtinModules.includes(path))
        return undefined;
      return path in REQUIRED && namespace !== 'required' ? { path, namespace: 'required' } : { path, external: true };
    });
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: REQUIRED[path],
      resolveDir: ROOT,
    }));
  },
};

const PLACE = /file:\/\/[^\s)]*\/tests-\d+-\d+\.mjs:(\d+):(\d+)/g;

/** A stack whose places are those of the sources. */
export function inSources(stack) {
  return stack.replace(PLACE, (place, line, column) => {
    const url = place.slice(0, -`:${line}:${column}`.length);
    const map = mapOf(fileURLToPath(url));
    const { originalSource, originalLine, originalColumn } = map?.findEntry(line - 1, column - 1) ?? {};
    if (originalSource === undefined) return place;
    const source = pathToFileURL(join(dirname(fileURLToPath(url)), originalSource));
    return `${source.href}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

const maps = new Map();

function mapOf(path) {
  if (!maps.has(path)) maps.set(path, new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))));
  return maps.get(path);
}
