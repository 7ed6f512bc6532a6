// The hook of typescript.mjs, in the thread that Node keeps for hooks. Compiled sources are kept by their content.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { transformSync, version } from 'esbuild';
import { ROOT } from '../setup.mjs';

const CACHE = join(ROOT, '.cache/typescript');
const OPTIONS = { format: 'esm', target: 'node20', sourcemap: 'inline', sourcesContent: false };
const JSX = { jsx: 'automatic', jsxImportSource: 'preact' };

mkdirSync(CACHE, { recursive: true });

export async function load(url, context, next) {
  const [, extension] = /^file:.*\.(tsx?)(?:\?.*)?$/.exec(url) ?? [];
  if (extension === undefined || url.includes('/node_modules/')) return next(url, context);
  return { format: 'module', source: compiled(fileURLToPath(url), extension), shortCircuit: true };
}

function compiled(path, extension) {
  const text = readFileSync(path, 'utf8');
  const options = { loader: extension, sourcefile: path, ...OPTIONS, ...(extension === 'tsx' ? JSX : {}) };
  const key = createHash('sha1')
    .update(JSON.stringify([version, options, text]))
    .digest('hex');
  const kept = join(CACHE, `${key}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { code } = transformSync(text, options);
    // Renamed when it is whole: other workers may load the same file now.
    const draft = `${kept}.${process.pid}-${threadId}`;
    writeFileSync(draft, code);
    renameSync(draft, kept);
    return code;
  }
}
