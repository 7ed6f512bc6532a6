import { checkGolden, driverCases, oracleCases } from './golden-cases.ts';
import type { GoldenCase } from './golden-cases.ts';
import { gostackparsePairs } from './gostackparse.ts';
import { pprofutilsPairs } from './pprofutils.ts';
import type { Result } from './result.ts';
import { stringFilePairs } from './string-files.ts';

export interface Group {
  readonly name: string;
  /** How many cases it must have, so that a missing folder is noticed. */
  readonly size: number;
  readonly run: (wanted: (name: string) => boolean) => Promise<Result[]>;
}

/** Everything except the live comparison. */
export function fastGroups(): Group[] {
  const oracle = new Map<string, GoldenCase[]>();
  for (const golden of oracleCases()) {
    const family = golden.name.slice(0, golden.name.indexOf('/'));
    oracle.set(family, [...(oracle.get(family) ?? []), golden]);
  }
  return [
    ...[...oracle].map(([name, cases]) => goldenGroup(`cases-${name}`, cases)),
    goldenGroup('driver', driverCases()),
    pairGroup('string', 14, stringFilePairs),
    pairGroup('gostackparse', 13, gostackparsePairs),
    pairGroup('pprofutils', 6, pprofutilsPairs),
  ];
}

function goldenGroup(name: string, cases: readonly GoldenCase[]): Group {
  const run: Group['run'] = async wanted => {
    const results: Result[] = [];
    for (const golden of cases) if (wanted(golden.name)) results.push(await checkGolden(golden));
    return results;
  };
  return { name, size: cases.length, run };
}

function pairGroup(name: string, size: number, pairs: () => Promise<Result[]>): Group {
  return { name, size, run: async wanted => (await pairs()).filter(pair => wanted(pair.name)) };
}
