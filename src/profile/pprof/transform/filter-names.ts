/** -focus, -ignore, -hide, -show and -show_from: filters on function, file and object names. */
import type { Profile } from '../../profile.ts';
import { selectLines, rebuildStacks } from './stacks.ts';
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
  const interest = interestOf(profile, filters, matched);
  const hidden: Hidden = { locations: new Uint8Array(profile.locations.length), any: false };
  const withoutHidden = hide === undefined ? profile : hideLines(profile, hide, hidden, matched);
  const filtered = show === undefined ? withoutHidden : showLines(withoutHidden, show, hidden, matched);
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
    if (!hidden.any) {
      copy(start, end);
      return true;
    }
    let left = 0;
    for (let i = start; i < end; i++) {
      if (hidden.locations[stackLocations[i]] === 1) continue;
      push(stackLocations[i]);
      left++;
    }
    return left > 0; // a sample with no location left vanishes
  });
  return { profile: result, matched };
}

type Matched = { -readonly [Filter in keyof NameMatches]: boolean };

const IGNORED = 2;
const FOCUSED = 1;

/** By location: IGNORED, FOCUSED or neither. */
function interestOf(profile: Profile, { focus, ignore }: NameFilters, matched: Matched): Uint8Array {
  const { locations } = profile;
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
  return interest;
}

/** Locations with no line left to show. */
interface Hidden {
  readonly locations: Uint8Array;
  any: boolean;
}

function hideLines(profile: Profile, hide: GoRegexp, hidden: Hidden, matched: Matched): Profile {
  const line = lineMatcher(profile, hide);
  const mapping = mappingMatcher(profile, hide);
  const matches = locationMatcher(profile, hide);
  return selectLines(profile, (location, from, to) => {
    if (!matches(location)) return undefined;
    matched.hide = true;
    const all = mapping(location);
    let left = 0;
    if (!all) for (let i = from; i < to; i++) if (!line(i)) left++;
    if (left === 0) {
      hidden.locations[location] = 1;
      hidden.any = true;
    }
    return i => !all && !line(i);
  });
}

function showLines(profile: Profile, show: GoRegexp, hidden: Hidden, matched: Matched): Profile {
  const line = lineMatcher(profile, show);
  const mapping = mappingMatcher(profile, show);
  return selectLines(profile, (location, from, to) => {
    const all = mapping(location);
    let left = 0;
    for (let i = from; i < to; i++) if (all || line(i)) left++;
    if (left === 0) {
      hidden.locations[location] = 1;
      hidden.any = true;
    } else {
      matched.show = true;
    }
    return all ? undefined : line;
  });
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
