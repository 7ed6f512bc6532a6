// Builds the web UI into a folder: index.html, and assets/ with a hash in each name, so that they can be cached for
// ever.
// The built style sheet includes every style sheet below web/, tokens and base first; no module has to import its own.
// A worker is a file *-worker.ts, started by `new Worker(new URL('./NAME-worker.ts', import.meta.url), { type: 'module' })`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureKnowledge } from './make-knowledge.mjs';
import { ensureInstalled, listFiles, ROOT } from './setup.mjs';

const PAGE = 'web/index.html';
const WORKER = /new URL\(\s*'(\.[^']*-worker\.ts)',\s*import\.meta\.url\s*,?\s*\)/g;

const IN_THE_BROWSER = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.css': 'empty' },
  metafile: true,
  logLevel: 'warning',
};

/** Gives esbuild's metafiles; throws with esbuild's `errors` when the sources do not build. */
export async function buildWeb(out) {
  const { build } = await import('esbuild');
  const shared = {
    ...IN_THE_BROWSER,
    format: 'esm',
    outdir: join(out, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
  };
  const workers = listFiles('web', path => path.endsWith('-worker.ts'));
  const workersBuilt = await build({ ...shared, entryPoints: workers });
  const urls = new Map(entries(workersBuilt.metafile, out));
  const built = await build({
    ...shared,
    splitting: true,
    entryPoints: ['web/main.tsx'],
    plugins: [workerUrls(urls)],
  });
  const script = new Map(entries(built.metafile, out)).get('web/main.tsx');
  const sheet = await build({ ...shared, ...STYLE, entryNames: 'style-[hash]' });
  const [css] = Object.keys(sheet.metafile.outputs);
  mkdirSync(out, { recursive: true });
  const page = readFileSync(join(ROOT, PAGE), 'utf8')
    .replace('/main.tsx', script)
    .replace('/style.css', urlOf(css, out));
  writeFileSync(join(out, 'index.html'), page);
  return [workersBuilt, built, sheet].map(result => result.metafile);
}

/** The script and the style sheet of the page that is a single file. */
export async function buildFilePage() {
  const { build } = await import('esbuild');
  const shared = { ...IN_THE_BROWSER, write: false, outdir: 'page' };
  const script = await build({ ...shared, format: 'iife', entryPoints: ['web/file-main.tsx'] });
  const style = await build({ ...shared, ...STYLE });
  const textOf = ({ outputFiles }, ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text;
  return {
    script: textOf(script, '.js'),
    style: textOf(style, '.css'),
    metafiles: [script.metafile, style.metafile],
  };
}

function styleSheets() {
  const first = ['./web/style/tokens.css', './web/style/base.css'];
  const all = listFiles('web', path => path.endsWith('.css')).map(path => `./${path}`);
  const ordered = [...first, 'uplot/dist/uPlot.min.css', ...all.filter(path => !first.includes(path))];
  return ordered.map(path => `@import '${path}';\n`).join('');
}

const STYLE = {
  loader: {},
  stdin: { contents: styleSheets(), loader: 'css', resolveDir: ROOT, sourcefile: 'style.css' },
};

/** [source, URL of the result] */
function entries(metafile, out) {
  return Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint?.startsWith('web/') && !path.endsWith('.css') ? [[entryPoint, urlOf(path, out)]] : [],
  );
}

function urlOf(path, out) {
  return `/${relative(out, resolve(ROOT, path)).replaceAll('\\', '/')}`;
}

/** esbuild leaves `new URL('./x-worker.ts', ...)` as it is; this puts the built worker's URL there. */
function workerUrls(urls) {
  return {
    name: 'worker-urls',
    setup({ onLoad }) {
      if (urls.size === 0) return;
      onLoad({ filter: /[\\/]web[\\/].*\.tsx?$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes('-worker.ts')) return undefined;
        const contents = text.replace(WORKER, (whole, specifier) => {
          const source = relative(ROOT, join(dirname(path), specifier)).replaceAll('\\', '/');
          const url = urls.get(source);
          if (url === undefined) throw new Error(`${basename(path)} starts ${source}, which does not exist`);
          return JSON.stringify(url);
        });
        return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  ensureKnowledge();
  await buildWeb(resolve(process.argv[2] ?? join(ROOT, 'dist/web')));
}
