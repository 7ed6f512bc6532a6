/**
 * The built web UI, read into memory once: requests are looked up in a map and never become paths of the file system, and
 * a build that replaces the folder meanwhile cannot mix two versions.
 *
 *     /assets/main-4QX7ZJ2K.js    cached for ever: other content has another name
 *     /t/node/worker-17           index.html, which shows every page
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { getAsset, getRawAsset, isSea } from 'node:sea';
import { type Body, body, bodyAnswer } from './body.ts';
import { Refusal } from './refusal.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

const MAX_BYTES = 64 * 1024 * 1024;
const HASHED = /^\/assets\/.*-[A-Za-z0-9]{8,}\.\w+$/;
/** `/favicon.ico`: a missing file, not a page. */
const FILE_AT_ROOT = /^\/[^/]+\.[^/]+$/;

/** URL path -> content. */
export type WebFiles = ReadonlyMap<string, Body>;

/** Empty if there is no such folder. In a single executable, those that are in it. */
export function readWebFiles(folder: string): WebFiles {
  const files = new Map<string, Body>();
  const add = (path: string, bytes: Uint8Array): void => {
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    files.set(path, body(bytes, type, { brotliQuality: 9 }));
  };
  const embedded = embeddedFiles();
  if (embedded !== undefined) {
    for (const name of embedded.namesBelow('web/')) add(name.slice('web'.length), embedded.read(name));
    return files;
  }
  let total = 0;
  const walk = (path: string): void => {
    for (const { name } of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = `${path}/${name}`;
      // Links are not followed: their targets are not part of the build.
      const stat = lstatSync(join(folder, inner));
      if (stat.isDirectory()) walk(inner);
      if (!stat.isFile() || name.startsWith('.')) continue;
      total += stat.size;
      if (total > MAX_BYTES) throw new Error(`${folder} holds more than the ${MAX_BYTES} bytes of a web UI`);
      add(inner, readFileSync(join(folder, inner)));
    }
  };
  try {
    walk('');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return files;
}

export async function webAnswer(
  files: WebFiles,
  pathname: string,
  header: (name: string) => string | undefined,
): Promise<Response> {
  const file = pathname === '/' ? undefined : files.get(pathname);
  if (file !== undefined) {
    const cache = HASHED.test(pathname) ? 'public, max-age=31536000, immutable' : 'no-cache';
    return bodyAnswer(file, header, { 'cache-control': cache });
  }
  if (pathname.startsWith('/assets/') || FILE_AT_ROOT.test(pathname)) {
    throw new Refusal(404, 'There is no such file.', 'Reload the page: it may be of an older version.');
  }
  const page = files.get('/index.html');
  if (page === undefined) {
    throw new Refusal(
      503,
      'The web UI is not built; the API under /api/v1 works.',
      'Run npm run build and start again.',
    );
  }
  return bodyAnswer(page, header, { 'cache-control': 'no-cache' });
}

/**
 * Oakum as one executable: a Node.js with the program and its files inside (`npm run sea`).
 *
 *     index.json              the names of all others
 *     package.json            its version
 *     store-thread.js ...     threads, each a script of its own
 *     web/..., demo/...       the UI; the recorded cluster
 */
interface EmbeddedFiles {
  /** Names that begin so. */
  namesBelow(prefix: string): readonly string[];
  readText(name: string): string;
  read(name: string): Uint8Array;
}

/** Undefined unless Oakum is one executable. */
export function embeddedFiles(): EmbeddedFiles | undefined {
  if (!isSea()) return undefined;
  return {
    namesBelow: prefix =>
      (JSON.parse(getAsset('index.json', 'utf8')) as string[]).filter(name => name.startsWith(prefix)),
    readText: name => getAsset(name, 'utf8'),
    read: name => new Uint8Array(getRawAsset(name) as ArrayBuffer).slice(),
  };
}
