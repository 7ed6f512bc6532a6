/** The few files that may do what their folder may not, each with a reason. */
import type { Tree } from '../read/tree.ts';

export interface Exception {
  readonly path: string;
  /** The name of the global or variable, `JSON.stringify` or `computed load`. */
  readonly what: string;
  readonly why: string;
}

const MEMO = 'a memo of a pure function: the same result without it';
const FILE = 'texts of files, which no terminal shows';
const HASH_SEED = 'a seed for hash tables, so that no input can be made that fills one slot; it shows in no result';

export const EXCEPTIONS: readonly Exception[] = [
  {
    path: 'src/base/text.ts',
    what: 'globalThis',
    why: 'decodes UTF-8 with what Node has, which is faster for short text, and does without in a browser',
  },
  {
    path: 'src/base/bounded-work.ts',
    what: 'setImmediate',
    why: 'gives way to other work; the result is the same without it',
  },
  { path: 'src/profile/formats/read-folded.ts', what: 'Math.random', why: HASH_SEED },
  { path: 'src/profile/formats/goroutine-text/interners.ts', what: 'Math.random', why: HASH_SEED },
  { path: 'src/profile/formats/goroutine-text/debug2.ts', what: 'Math.random', why: HASH_SEED },
  { path: 'src/profile/formats/legacy/draft.ts', what: 'Math.random', why: HASH_SEED },
  {
    path: 'src/profile/pprof/go-time.ts',
    what: 'Intl',
    why: 'go tool pprof prints times in the zone of the machine',
  },
  {
    path: 'src/act/plan/cluster-rules.ts',
    what: 'Intl',
    why: 'maintenance windows have a time zone; the result does not depend on that of the machine',
  },
  {
    path: 'src/watch/loops.ts',
    what: 'performance',
    why: 'measures how long its own work takes, which is a figure about the machine even on a simulated clock',
  },
  {
    path: 'src/store/io/start-thread.ts',
    what: 'computed load',
    why: 'the one place that starts threads; its callers name the file',
  },
  { path: 'src/judge/growth/noise-design.ts', what: 'kept', why: MEMO },
  {
    path: 'src/judge/cohorts/growth-board.ts',
    what: 'sums',
    why: 'scratch that each call fills anew: arrays of 20 KB, which an evaluation of a large fleet needs 40,000 times',
  },
  { path: 'src/knowledge/signature.ts', what: 'cache', why: MEMO },
  { path: 'src/evidence/read-sample.ts', what: 'names', why: MEMO },
  { path: 'src/profile/families/frame-interner.ts', what: 'normalised', why: MEMO },
  { path: 'src/profile/families/frame-interner.ts', what: 'closures', why: MEMO },
  { path: 'src/profile/families/frame-interner.ts', what: 'judged', why: MEMO },
  { path: 'src/profile/pprof/measurement.ts', what: 'sniffed', why: MEMO },
  {
    path: 'web/file-main.tsx',
    what: 'computed load',
    why: 'a page that is a single file has its worker within itself',
  },
  { path: 'web/profiles/function-totals.ts', what: 'cache', why: MEMO },
  { path: 'web/profiles/palette.ts', what: 'colourByPackage', why: MEMO },
  { path: 'web/reader/filter-profile.ts', what: 'cache', why: MEMO },
  { path: 'web/reader/filter-profile.ts', what: 'cleaned', why: MEMO },
  { path: 'web/reader/report-views.ts', what: 'differences', why: MEMO },
  { path: 'web/widgets/short-names.ts', what: 'shortSymbols', why: MEMO },
  { path: 'src/cli/gate/gate-client.ts', what: 'JSON.stringify', why: FILE },
  { path: 'src/report/build-bundle.ts', what: 'JSON.stringify', why: FILE },
  { path: 'src/report/bundle-manifest.ts', what: 'JSON.stringify', why: FILE },
  { path: 'src/act/plan/limit.ts', what: 'unit', why: 'a setting of Go in a unit file, not a sentence' },
];

export function isExcused(path: string, what = ''): boolean {
  return EXCEPTIONS.some(exception => exception.path === path && exception.what === what);
}

/** Exceptions that are no longer needed. */
export function unusedExceptions(tree: Tree): string[] {
  return EXCEPTIONS.filter(({ path, what }) => {
    const source = tree.get(path)?.source;
    if (source === undefined) return true;
    const isUsed =
      what === 'computed load'
        ? source.loads.some(({ specifier }) => specifier === undefined)
        : source.globals.some(({ name }) => name === what) || source.found.some(found => found.what === what);
    return !isUsed;
  }).map(({ path, what }) => `${path} no longer needs its exception for ${what}`);
}
