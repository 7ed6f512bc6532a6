/**
 * Recordings of real programs with their truth, cut into the piles that people bring: everything, a single heap profile,
 * a single dump, the metrics alone.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPileFiles } from '../../src/evidence/io/pile.ts';
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { analyzePile } from '../../src/judge/process/analyze-pile.ts';
import { readPile } from '../../src/evidence/snapshots/read-pile.ts';
import type { ResourceSlug } from '../../src/evidence/resource.ts';
import { SHARED } from '../places.ts';
import type { Claim } from './claim.ts';

interface Recording {
  readonly folder: string;
  readonly version?: string;
  /** Only what is known; a resource that is not named is not counted. */
  readonly leaks: Partial<Record<ResourceSlug, boolean>>;
}

const NODE = (name: string, version: string, heap: boolean): Recording => ({
  folder: `lab/${name}`,
  version,
  leaks: { heap, goroutines: false },
});

const RECORDINGS: readonly Recording[] = [
  NODE('leak-a', 'v1.36.0', true),
  NODE('leak-b', 'v1.36.0', true),
  NODE('leak-d', 'v1.36.0', true),
  NODE('fix-a', 'v1.36.3', false),
  NODE('fix-b', 'v1.36.3', false),
  NODE('fix-d', 'v1.36.3', false),
  { folder: 'captures/ages/leaky', leaks: { goroutines: true, heap: true } },
  { folder: 'captures/ages/healthy', leaks: { goroutines: false, heap: false } },
  ...['go1.19', 'go1.23', 'go1.26', 'go1.26-leakexp-labels', 'go1.27'].map((go): Recording => ({
    folder: `captures/leakdemo/${go}`,
    leaks: { goroutines: true, heap: true },
  })),
  { folder: 'captures/programs/etcd', leaks: { goroutines: false, heap: false } },
  { folder: 'captures/programs/kubectl', leaks: { goroutines: false, heap: false } },
  { folder: 'captures/programs/tsgo', leaks: { goroutines: false, heap: false } },
  { folder: 'captures/programs/leaker', leaks: { goroutines: true } },
];

export async function claimsOfRecordings(): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (const recording of RECORDINGS) {
    const folder = join(SHARED, recording.folder);
    if (!existsSync(folder)) continue;
    for (const [what, paths] of pilesOf(folder)) claims.push(...(await claimsOf(recording, what, paths)));
  }
  return claims;
}

function pilesOf(folder: string): [what: string, paths: readonly string[]][] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
  const alone = (name: RegExp, what: string): [string, readonly string[]][] =>
    files.filter(path => name.test(path)).map(path => [what, [path]]);
  const metrics = files.filter(path => /\/metrics\.prom/.test(path));
  return [
    ['everything', [folder]],
    ...(metrics.length > 0 ? [['metrics', metrics] as [string, readonly string[]]] : []),
    ...alone(/\/heap[^/]*(?:pb\.gz|debug0[^/]*)$/, 'one heap profile'),
    ...alone(/\/goroutine[^/]*(?:d2|debug2)[^/]*$/, 'one dump'),
  ];
}

async function claimsOf(
  { folder, version, leaks }: Recording,
  what: string,
  paths: readonly string[],
): Promise<Claim[]> {
  const pile = await readPile(readPileFiles(paths), { families: familiesOf, keepStacks: false });
  const { ledgers } = analyzePile(pile, { catalogue: BUNDLED_LEAKS, given: { version, component: undefined } });
  return ledgers.flatMap(({ resource, verdict, probability, entries }) => {
    const truth = leaks[resource];
    if (truth === undefined || entries.length === 0) return [];
    return [{ source: 'recordings', what: `${folder}, ${what}, ${resource}`, verdict, probability, leaks: truth }];
  });
}
