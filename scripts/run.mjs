// node scripts/run.mjs FILE.ts [args]: runs a TypeScript file of the repository, after installing what it needs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureKnowledge } from './make-knowledge.mjs';
import { ensureInstalled, ROOT, runNode } from './setup.mjs';

const [file, ...args] = process.argv.slice(2);
if (file === undefined || !existsSync(join(ROOT, file))) {
  process.stderr.write(`oakum: ${file ?? 'no file given'}: no such file in this repository\n`);
  process.exit(2);
}
ensureInstalled();
ensureKnowledge();
process.exitCode = runNode(['--import', 'tsx', file, ...args]);
