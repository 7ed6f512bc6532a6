/** Applies the filters of a page by the code of `oakum pprof`, so that both show the same. */
import type { Profile } from '../../src/profile/profile.ts';
import { applyFilters } from '../../src/profile/pprof/prepare.ts';
import { DEFAULT_CONFIG } from '../../src/profile/pprof/reports/config.ts';
import { removeUninteresting } from '../../src/profile/pprof/transform/prune.ts';
import { numericLabelUnits } from '../../src/profile/pprof/transform/sample-labels.ts';
import { simplifyCppNames } from '../../src/profile/pprof/transform/simplify-cpp-names.ts';
import { activeWords, type Filters } from './filters.ts';
import type { CompileRegexp } from '../../src/profile/pprof/go-regexp.ts';

export interface FilteredProfile {
  readonly profile: Profile;
  /** As pprof prints them: `Focus expression matched no samples`. */
  readonly warnings: readonly string[];
}

/** The last result for each profile: a page asks several times for the same. */
const cache = new WeakMap<Profile, { readonly key: string; readonly filtered: FilteredProfile }>();
const cleaned = new WeakMap<Profile, Profile>();

/** Throws a Failure if an expression is not valid: `parsing focus regexp: ...`. */
export function filterProfile(profile: Profile, filters: Filters, compile: CompileRegexp): FilteredProfile {
  const words = activeWords(filters);
  const key = JSON.stringify(words.map(word => [word, filters[word]]));
  const known = cache.get(profile);
  if (known?.key === key) return known.filtered;
  const warnings: string[] = [];
  const source = asFetched(profile, compile);
  const filtered =
    words.length === 0
      ? source
      : applyFilters(
          source,
          { ...DEFAULT_CONFIG, ...Object.fromEntries(words.map(word => [word, filters[word]])) },
          filters.tagfocus === '' && filters.tagignore === '' ? new Map() : numericLabelUnits(source).units,
          compile,
          message => warnings.push(message),
        );
  const result = { profile: filtered, warnings };
  cache.set(profile, { key, filtered: result });
  return result;
}

/** As pprof has it after reading: C++ names without arguments, and without the frames that the profile itself drops. */
export function asFetched(profile: Profile, compile: CompileRegexp): Profile {
  let clean = cleaned.get(profile);
  if (clean === undefined) cleaned.set(profile, (clean = removeUninteresting(simplifyCppNames(profile), compile)));
  return clean;
}
