// npm run page [-- --out FILE]: builds dist/oakum.html, the UI for files as a single file that needs no network.
//
//     style, script         inlined, and allowed by their hashes in the content security policy
//     examples              some of the recordings of test/fixtures, as base64
//     notice                the licences of what is bundled
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildFilePage } from './build-web.mjs';
import { ensureKnowledge } from './make-knowledge.mjs';
import { noticeFor } from './notice.mjs';
import { ensureInstalled, ROOT } from './setup.mjs';
import { packedFiles, RECORDINGS, ZOO_RECORDINGS } from './test/recordings.mjs';

const MAX_BYTES = 1.5e6;

const EXAMPLES = [
  {
    title: 'A kubelet that leaks contexts',
    about:
      'A heap profile of Kubernetes 1.36 and half an hour of metrics: a known leak, with the release that fixes it.',
    from: RECORDINGS,
    files: /^lab\/leak-a\/(?:metrics|profiles\/heap-1794772585)\./,
  },
  {
    title: 'Goroutines that wait forever',
    about: 'Three dumps of a program whose workers wait for a signal that nobody sends.',
    from: ZOO_RECORDINGS,
    files: /^cond\/goroutine-d2-/,
  },
  {
    title: 'Looks bad, is healthy',
    about: 'A session for every request, removed after a minute: it allocates without end, and nothing stays.',
    from: ZOO_RECORDINGS,
    files: /^sessions-ok\/(?:heap-\d+|goroutine-d2-\d+|metrics-\d+)\./,
  },
];

/** What an answer needs of metrics; the rest of a scrape is much larger. */
const NEEDED =
  /^# LAB|^(?:# TYPE )?(?:go_(?:goroutines|threads|info|memstats_\w+|gc_heap_(?:live|goal)_bytes|gc_cycles_total_\w+)|process_\w+|kubelet_running_pods|kubernetes_build_info)\b/;

/** The whole page as text. */
export async function filePage() {
  const { script, style, metafiles } = await buildFilePage();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const given = { version, examples: EXAMPLES.map(exampleOf) };
  const parts = [
    ["default-src 'none'", policy],
    ['<link rel="stylesheet" href="/style.css" />', `<style>${style}</style>`],
    ['<script src="/script.js"></script>', `<script>${script}</script>`],
    ['id="notice">', `id="notice">${inScript(noticeFor(metafiles))}`],
    ['id="given">', `id="given">${inScript(JSON.stringify(given))}`],
  ];
  const template = readFileSync(join(ROOT, 'web/file.html'), 'utf8');
  return parts.reduce((page, [place, part]) => page.replace(place, () => part), template);
}

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Nothing in it ends the element that it stands in. */
function inScript(text) {
  return text.replaceAll('<', '\\u003c');
}

function exampleOf({ title, about, from, files }) {
  const chosen = [...packedFiles(readFileSync(from))]
    .filter(([path]) => files.test(path))
    .map(([path, content]) => [path, path.includes('metrics') ? needed(content) : content]);
  if (chosen.length === 0) throw new Error(`no recording matches ${files}`);
  return {
    title,
    about,
    files: chosen.map(([path, content]) => ({ path, base64: gzipSync(content, { level: 9 }).toString('base64') })),
  };
}

function needed(content) {
  const lines = content.toString().split('\n');
  return Buffer.from(
    lines
      .filter(line => NEEDED.test(line))
      .map(line => `${line}\n`)
      .join(''),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  ensureKnowledge();
  const at = process.argv.indexOf('--out');
  const out = resolve(at < 0 ? join(ROOT, 'dist/oakum.html') : process.argv[at + 1]);
  const page = await filePage();
  const bytes = Buffer.byteLength(page);
  process.stdout.write(`${out}: ${(bytes / 1e6).toFixed(2)} MB\n`);
  if (bytes > MAX_BYTES) {
    process.stderr.write(`It is larger than ${MAX_BYTES / 1e6} MB: leave out an example\n`);
    process.exit(1);
  }
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, page);
}
