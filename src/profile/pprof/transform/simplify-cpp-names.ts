/**
 * Cuts names that look like C++, as pprof does when it symbolizes: parameters and template arguments go. Go names are
 * left alone. Mangled names (`_Z...`) stay as they are, since Go's own profiles have none.
 */
import type { Profile } from '../../profile.ts';

export function simplifyCppNames(profile: Profile): Profile {
  const { functions, strings } = profile;
  let names: Uint32Array | undefined;
  const extra: string[] = [];
  for (let fn = 0; fn < functions.length; fn++) {
    const system = strings[functions.systemName[fn]];
    const name = strings[functions.name[fn]];
    if (name !== '' && name !== system) continue; // already demangled
    const simple = looksLikeCpp(system) ? withoutPairs(withoutPairs(system, '(', ')'), '<', '>') : system;
    if (simple === name) continue;
    names ??= functions.name.slice();
    names[fn] = strings.length + extra.length;
    extra.push(simple);
  }
  if (names === undefined) return profile;
  return { ...profile, strings: [...strings, ...extra], functions: { ...functions, name: names } };
}

function looksLikeCpp(name: string): boolean {
  // Java constructors and methods of generic Go types only look like C++.
  if (name.includes('.<') || name.includes(']).')) return false;
  return /[<>[\]]|::/.test(name);
}

/** Removes each balanced group. From the first unmatched closing character on, the name stays as it is. */
function withoutPairs(name: string, open: string, close: string): string {
  let out = '';
  let depth = 0;
  let groupStart = 0;
  for (let i = 0; i < name.length; i++) {
    if (name[i] === open && depth++ === 0) groupStart = i;
    else if (name[i] === close && --depth < 0) return out + name.slice(i);
    else if (depth === 0 && name[i] !== close) out += name[i];
  }
  return depth === 0 ? out : out + name.slice(groupStart);
}
