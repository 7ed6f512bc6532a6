/** -focus, -ignore, -hide, -show and -show_from: filters on function, file and object names. */
import type { Profile } from '../../profile.ts';
import { selectLines } from './lines.ts';
import { rebuildStacks } from './stacks.ts';
import type { GoRegexp } from '../go-regexp.ts';

export interface NameFilters {
  readonly focus?: GoRegexp | undefined;
  readonly ignore?: GoRegexp | undefined;
  readonly hide?: GoRegexp | undefined;
  readonly show?: GoRegexp | undefined;
}

/** Which filters matched anything; pprof warns about those that did not. */
export interface NameMatches {
  readonly focus: boolean;
  readonly ignore: boolean;
  readonly hide: boolean;
  readonly show: boolean;
}

/** Whether a line's function or file name matches. */
function lineMatcher(profile: Profile, expression: GoRegexp): (line: number) => boolean {
  const { strings, functions, locations } = profile;
  const known = new Int8Array(functions.length); // 0 unknown, 1 yes, -1 no
  return line => {
    const fn = locations.lines.fn[line];
    if (fn < 0) return false;
    if (known[fn] === 0) {
      const hit =
        expression.matches(strings[functions.name[fn]]) || expression.matches(strings[functions.filename[fn]]);
      known[fn] = hit ? 1 : -1;
    }
    return known[fn] === 1;
  };
}

function mappingMatcher(profile: Profile, expression: GoRegexp): (location: number) => boolean {
  const known = profile.mappings.map(mapping => expression.matches(mapping.file));
  return location => profile.locations.mapping[location] >= 0 && known[profile.locations.mapping[location]];
}

function locationMatcher(profile: Profile, expression: GoRegexp): (location: number) => boolean {
  const line = lineMatcher(profile, expression);
  const mapping = mappingMatcher(profile, expression);
  const { lineStart } = profile.locations;
  return location => {
    for (let i = lineStart[location]; i < lineStart[location + 1]; i++) if (line(i)) return true;
    return mapping(location);
  };
}

export function filterByName(profile: Profile, filters: NameFilters): { profile: Profile; matched: NameMatches } {
  const { focus, ignore, hide, show } = filters;
  if (focus === undefined && ignore === undefined && hide === undefined && show === undefined) {
    return { profile, matched: { focus: true, ignore: false, hide: false, show: false } };
  }
  const matched = { focus: false, ignore: false, hide: false, show: false };
  const { locations } = profile;
  const IGNORED = 2;
  const FOCUSED = 1;
  const interest = new Uint8Array(locations.length);
  const focusMatches = focus === undefined ? undefined : locationMatcher(profile, focus);
  const ignoreMatches = ignore === undefined ? undefined : locationMatcher(profile, ignore);
  for (let location = 0; location < locations.length; location++) {
    if (ignoreMatches?.(location) === true) {
      matched.ignore = true;
      interest[location] = IGNORED;
    } else if (focusMatches === undefined || focusMatches(location)) {
      matched.focus = true;
      interest[location] = FOCUSED;
    }
  }

  const hidden = new Uint8Array(locations.length);
  let anyHidden = false;
  let filtered = profile;
  if (hide !== undefined) {
    const line = lineMatcher(filtered, hide);
    const mapping = mappingMatcher(filtered, hide);
    const matches = locationMatcher(filtered, hide);
    filtered = selectLines(filtered, (location, from, to) => {
      if (!matches(location)) return undefined;
      matched.hide = true;
      const all = mapping(location);
      let left = 0;
      if (!all) for (let i = from; i < to; i++) if (!line(i)) left++;
      if (left === 0) {
        hidden[location] = 1;
        anyHidden = true;
      }
      return i => !all && !line(i);
    });
  }
  if (show !== undefined) {
    const line = lineMatcher(filtered, show);
    const mapping = mappingMatcher(filtered, show);
    filtered = selectLines(filtered, (location, from, to) => {
      const all = mapping(location);
      let left = 0;
      for (let i = from; i < to; i++) if (all || line(i)) left++;
      if (left === 0) {
        hidden[location] = 1;
        anyHidden = true;
      } else {
        matched.show = true;
      }
      return all ? undefined : line;
    });
  }

  const { stackStart, stackLocations } = filtered.samples;
  const result = rebuildStacks(filtered, (sample, copy, push) => {
    const start = stackStart[sample];
    const end = stackStart[sample + 1];
    let focused = false;
    for (let i = start; i < end; i++) {
      const kind = interest[stackLocations[i]];
      if (kind === IGNORED) return false;
      if (kind === FOCUSED) focused = true;
    }
    if (!focused) return false;
    if (!anyHidden) {
      copy(start, end);
      return true;
    }
    let left = 0;
    for (let i = start; i < end; i++) {
      if (hidden[stackLocations[i]] === 1) continue;
      push(stackLocations[i]);
      left++;
    }
    return left > 0; // a sample with no location left vanishes
  });
  return { profile: result, matched };
}

/** -show_from: drops the callers above the root-most match, and samples without one. */
export function showFrom(profile: Profile, expression: GoRegexp): { profile: Profile; matched: boolean } {
  const line = lineMatcher(profile, expression);
  const mapping = mappingMatcher(profile, expression);
  const hit = new Uint8Array(profile.locations.length);
  let matched = false;
  const trimmed = selectLines(profile, (location, from, to) => {
    if (mapping(location)) {
      hit[location] = 1;
      matched = true;
      return undefined;
    }
    for (let last = to - 1; last >= from; last--) {
      if (!line(last)) continue;
      hit[location] = 1;
      matched = true;
      return i => i <= last;
    }
    return undefined;
  });
  const { stackStart, stackLocations } = trimmed.samples;
  const result = rebuildStacks(trimmed, (sample, copy) => {
    const start = stackStart[sample];
    for (let i = stackStart[sample + 1] - 1; i >= start; i--) {
      if (hit[stackLocations[i]] === 0) continue;
      copy(start, i + 1);
      return true;
    }
    return false;
  });
  return { profile: result, matched };
}
