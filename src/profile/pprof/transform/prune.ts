/** Drops frames from the leaf end: drop_frames/keep_frames of a profile, and -prune_from. */
import type { Profile } from '../../profile.ts';
import { selectLines, rebuildStacks } from './stacks.ts';
import type { CompileRegexp, GoRegexp } from '../go-regexp.ts';

const RESERVED = ['(anonymous namespace)', 'operator()'];

/** A function name without its argument list, and without the leading dot of PowerPC ELF symbols. */
export function simplifyFunctionName(name: string): string {
  const text = name.startsWith('.') ? name.slice(1) : name;
  for (let at = text.indexOf('('); at >= 0; at = text.indexOf('(', at + 1)) {
    const reserved = RESERVED.find(word => text.startsWith(word, at - word.indexOf('(')));
    if (reserved === undefined) return text.slice(0, at);
    at += reserved.length - reserved.indexOf('(') - 1;
  }
  return text;
}

/** Removes the frames that the profile itself marks as uninteresting. */
export function removeUninteresting(profile: Profile, compile: CompileRegexp): Profile {
  if (profile.dropFrames === '') return profile;
  let drop: GoRegexp;
  let keep: GoRegexp | undefined;
  try {
    drop = compile(`^(${profile.dropFrames})$`);
    keep = profile.keepFrames === '' ? undefined : compile(`^(${profile.keepFrames})$`);
  } catch {
    return profile; // pprof ignores an expression that does not compile
  }
  return prune(profile, drop, keep);
}

function functionNameTest(profile: Profile, matches: (simplified: string) => boolean): (line: number) => boolean {
  const { strings, functions, locations } = profile;
  const known = new Map<number, boolean>();
  return line => {
    const fn = locations.lines.fn[line];
    const name = fn < 0 ? 0 : functions.name[fn];
    if (fn < 0 || strings[name] === '') return false;
    let result = known.get(name);
    if (result === undefined) {
      result = matches(simplifyFunctionName(strings[name]));
      known.set(name, result);
    }
    return result;
  };
}

/**
 * Scans each stack from root to leaf; the first match after a user frame ends it. A match on a location's outermost
 * line removes the whole location, a match further in leaves its callers.
 */
function prune(profile: Profile, drop: GoRegexp, keep: GoRegexp | undefined): Profile {
  const matches = functionNameTest(profile, name => drop.matches(name) && !(keep?.matches(name) ?? false));
  const { locations } = profile;
  const whole = new Uint8Array(locations.length);
  const beneath = new Uint8Array(locations.length);
  const trimmed = selectLines(profile, (location, from, to) => {
    let hit = to - 1;
    while (hit >= from && !matches(hit)) hit--;
    if (hit < from) return undefined;
    beneath[location] = 1;
    if (hit === to - 1) {
      whole[location] = 1;
      return undefined;
    }
    return line => line > hit;
  });
  const { stackStart, stackLocations } = trimmed.samples;
  return rebuildStacks(trimmed, (sample, copy) => {
    const start = stackStart[sample];
    const end = stackStart[sample + 1];
    let from = start;
    let foundUser = false;
    for (let i = end - 1; i >= start; i--) {
      const location = stackLocations[i];
      if (beneath[location] === 0) {
        foundUser = true;
      } else if (foundUser) {
        from = whole[location] === 1 ? i + 1 : i;
        break;
      }
    }
    copy(from, end);
    return true;
  });
}

/** -prune_from: drops everything below the matching frame that is nearest to the leaf; the frame itself stays. */
export function pruneFrom(profile: Profile, drop: GoRegexp): Profile {
  const matches = functionNameTest(profile, name => drop.matches(name));
  const beneath = new Uint8Array(profile.locations.length);
  const trimmed = selectLines(profile, (location, from, to) => {
    for (let hit = from; hit < to; hit++) {
      if (!matches(hit)) continue;
      beneath[location] = 1;
      return line => line >= hit;
    }
    return undefined;
  });
  const { stackStart, stackLocations } = trimmed.samples;
  return rebuildStacks(trimmed, (sample, copy) => {
    const end = stackStart[sample + 1];
    let from = stackStart[sample];
    for (let i = from; i < end; i++) {
      if (beneath[stackLocations[i]] === 1) {
        from = i;
        break;
      }
    }
    copy(from, end);
    return true;
  });
}
