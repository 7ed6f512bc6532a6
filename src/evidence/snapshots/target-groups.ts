/**
 * Snapshots by target: files whose paths name the same place belong together, and so do places in which the same
 * process was seen, e.g. a folder for each moment of one daemon.
 */
import { commonFolder, targetInPath } from '../path/target-in-path.ts';
import type { ReadSnapshot } from './read-member.ts';

export interface TargetGroup {
  /** What a user calls it; unique among the groups. */
  readonly name: string;
  readonly folder: string;
  /** Indexes into all snapshots. */
  readonly members: readonly number[];
}

export function groupByTarget(all: readonly ReadSnapshot[]): TargetGroup[] {
  const places = all.map(one => targetInPath(one.path));
  const keys = places.map(({ folder, prefix }, index) => {
    const { capturedFrom } = all[index];
    return capturedFrom === '' ? `${folder}\0${prefix}` : `\0${capturedFrom}`;
  });
  const root = joinByProcess(all, keys);
  const members = new Map<string, number[]>();
  keys.forEach((key, index) => {
    const list = members.get(root(key));
    if (list === undefined) members.set(root(key), [index]);
    else list.push(index);
  });
  const groups = [...members.values()].map(indexes => {
    const folder = commonFolder(indexes.map(index => places[index].folder));
    const node = indexes.map(index => all[index].node).find(name => name !== '');
    const prefix = places[indexes[0]].prefix;
    const binary = indexes.map(index => all[index].origin.binary).find(name => name !== '');
    const name = node ?? (prefix || folder.slice(folder.lastIndexOf('/') + 1) || binary || 'process');
    return { name, folder, members: indexes };
  });
  return withUniqueNames(groups, group => group.members.some(index => isOfProcess(all[index])));
}

/** Whether it was taken from a process; the rest is context. */
export function isOfProcess(one: ReadSnapshot): boolean {
  return one.kind !== 'events' && one.kind !== 'unknown';
}

/** Union of the places that share a process, by its memory layout. */
function joinByProcess(all: readonly ReadSnapshot[], keys: readonly string[]): (key: string) => string {
  const parent = new Map<string, string>();
  const root = (key: string): string => {
    let at = key;
    for (let up = parent.get(at); up !== undefined; up = parent.get(at)) at = up;
    return at;
  };
  const seenIn = new Map<string, string>();
  all.forEach(({ origin }, index) => {
    if (origin.layout === '') return;
    const process = `${origin.binary}\0${origin.buildId}\0${origin.layout}`;
    const first = seenIn.get(process);
    if (first === undefined) seenIn.set(process, keys[index]);
    else if (root(first) !== root(keys[index])) parent.set(root(keys[index]), root(first));
  });
  return root;
}

/** Puts as much of the folder before equal names as tells them apart. */
function withUniqueNames(groups: readonly TargetGroup[], isObserved: (group: TargetGroup) => boolean): TargetGroup[] {
  const taken = new Map<string, number>();
  for (const group of groups) if (isObserved(group)) taken.set(group.name, (taken.get(group.name) ?? 0) + 1);
  const used = new Set<string>();
  return groups.map(group => {
    let { name } = group;
    if (!isObserved(group)) return group;
    if (taken.get(name) !== 1) {
      const parts = group.folder.split('/').filter(part => part !== '' && part !== group.name);
      while (used.has(name) || taken.get(name) !== undefined) {
        const part = parts.pop();
        if (part === undefined) break;
        name = `${part}/${name}`;
      }
      for (let number = 2; used.has(name); number++) name = `${group.name}-${number}`;
    }
    used.add(name);
    return { ...group, name };
  });
}
