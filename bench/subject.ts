/** Oakum as shipped: built, then copied, so that a run measures one build even if dist/ changes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BENCH, ROOT } from './places.ts';
import { temporaryFolder } from './temporary.ts';

export interface Subject {
  readonly version: string;
  /** What goes before oakum's arguments. */
  readonly oakum: readonly string[];
  /** The bundled bench/read-dump.ts. */
  readonly readDump: string;
}

export async function prepareSubject(): Promise<Subject> {
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
  const folder = temporaryFolder('subject');
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  const readDump = join(folder, 'read-dump.mjs');
  await build({
    entryPoints: [join(BENCH, 'read-dump.ts')],
    outfile: readDump,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
  });
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { version: `${version}${commit()}`, oakum: [process.execPath, join(folder, 'bin', 'oakum.js')], readDump };
}

function commit(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
    const changed = git('status', '--porcelain', '--', 'src', 'scripts', 'bin') === '' ? '' : ', changed since';
    return ` (commit ${git('rev-parse', '--short', 'HEAD')}${changed})`;
  } catch {
    return '';
  }
}
