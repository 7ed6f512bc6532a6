/** Reports whose expected bytes are in files: the cases of CASES.tsv and google/pprof's own driver goldens. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CONFORMANCE, ROOT } from './places.ts';
import { firstDifference, shellQuote } from './result.ts';
import type { Result } from './result.ts';
import { runOakum } from './run-oakum.ts';

export interface GoldenCase {
  readonly name: string;
  readonly argv: readonly string[];
  /** Relative to the conformance folder, like the inputs in `argv`. */
  readonly golden: string;
  /** The message on stderr, for a case that must fail. */
  readonly error?: string;
}

/** Columns: case, output, golden, flags, inputs, note. */
export function oracleCases(): GoldenCase[] {
  const [, ...rows] = readFileSync(join(CONFORMANCE, 'CASES.tsv'), 'utf8').trimEnd().split('\n');
  return rows.map(row => {
    const [name, output, golden, flags, inputs, note = ''] = row.split('\t');
    const argv = ['-symbolize=none', ...words(flags), ...words(inputs)];
    const error = /^ERR:?\s*(.*)$/.exec(note)?.[1];
    return { name: `${name}/${output}`, argv, golden, ...(error === undefined ? {} : { error }) };
  });
}

/** The table of section 4 in MANIFEST.md: | golden | input | `flags` | */
export function driverCases(): GoldenCase[] {
  const text = readFileSync(join(CONFORMANCE, 'MANIFEST.md'), 'utf8');
  return [...text.matchAll(/^\| (pprof\.\S+) \| (\S+\.pb\.gz) \| `(.*)` \|$/gm)].map(([, golden, input, flags]) => ({
    // The same golden serves two spellings of a flag.
    name: flags.includes('=+') ? `${golden} (+)` : golden,
    argv: ['-compact_labels', '-symbolize=none', ...words(flags), `google-pprof/derived-driver-fixtures/${input}`],
    golden: `google-pprof/internal/driver/testdata/${golden}`,
  }));
}

export async function checkGolden(golden: GoldenCase): Promise<Result> {
  const { exitCode, stdout, stderr } = await runOakum(golden.argv, CONFORMANCE);
  const detail = judge(golden, exitCode, stdout, stderr);
  if (detail === undefined) return { name: golden.name, passed: true };
  const oakum = join(relative(CONFORMANCE, ROOT), 'bin/oakum.js');
  const command = ['TZ=UTC', 'node', oakum, 'pprof', ...golden.argv.map(shellQuote)].join(' ');
  return {
    name: golden.name,
    passed: false,
    detail,
    command: `(cd ${relative(process.cwd(), CONFORMANCE)} && ${command} | diff ${shellQuote(golden.golden)} -)`,
  };
}

function judge(golden: GoldenCase, exitCode: number, stdout: Uint8Array, stderr: string): string | undefined {
  if (golden.error !== undefined) {
    if (exitCode === 2 && stderr.includes(golden.error)) return undefined;
    return `expected exit 2 and ${JSON.stringify(golden.error)}, got exit ${exitCode} and ${firstLine(stderr)}`;
  }
  if (exitCode !== 0) return `exit ${exitCode}: ${firstLine(stderr)}`;
  return firstDifference(readFileSync(join(CONFORMANCE, golden.golden)), stdout);
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0];
}

function words(text: string): string[] {
  return text.split(' ').filter(word => word !== '');
}
