#!/usr/bin/env node
// The launcher. `--version` is answered before anything else is loaded: scripts ask for it often.
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';

const first = process.argv[2];
if (first === '--version' || first === '-V') {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`oakum ${version}\n`);
} else {
  const main = new URL('../dist/cli/main.js', import.meta.url);
  if (existsSync(main)) {
    module.enableCompileCache?.();
    await import(main.href);
  } else {
    process.stderr.write('oakum: not built yet; run: npm run build\n');
    process.exitCode = 2;
  }
}
