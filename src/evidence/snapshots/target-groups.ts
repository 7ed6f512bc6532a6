/**
 * Snapshots by target. Files whose paths name the same target belong together, and so do folders in which the same
 * process was seen, such as one folder for each moment of a daemon. Files that name different nodes do not, wherever
 * they are: journals of two nodes in one folder.
 */
import { groupBy } from '../../base/group-by.ts';
import { isOfProcess } from './snapshot.ts';
import { fileName } from '../path-parts.ts';
import { commonFolder, targetInPath } from '../target-in-path.ts';
import type { TimedSnapshot } from './snapshot-time.ts';

export interface TargetGroup {
  /** What a user calls it; unique among the groups. */
  readonly name: string;
  readonly folder: string;
  readonly members: readonly TimedSnapshot[];
}

/** A snapshot with the target that its path names. */
interface Located {
  readonly one: TimedSnapshot;
  readonly folder: string;
  readonly prefix: string;
  key: string;
}

export function groupByTarget(all: readonly TimedSnapshot[]): TargetGroup[] {
  const located = all.map((one): Located => {
    const { folder, prefix } = targetInPath(one.path);
    return { one, folder, prefix, key: one.capturedFrom === '' ? `${folder}\0${prefix}` : `\0${one.capturedFrom}` };
  });
  splitByNode(located);
  const root = joinByProcess(located);
  const groups = [...groupBy(located, ({ key }) => root(key)).values()].map(group => {
    const members = group.map(({ one }) => one);
    const folder = commonFolder(group.map(one => one.folder));
    const node = members.map(one => one.node).find(name => name !== '') ?? nodeBeside(folder, members, all);
    const binary = members.map(({ origin }) => origin.binary).find(name => name !== '');
    const name = node ?? (group[0]?.prefix || fileName(folder) || binary || 'process');
    return { name, folder, members };
  });
  return withUniqueNames(groups, group => group.members.some(isOfProcess));
}

/** Where the files of one target name several nodes, each node is one; the rest stays together. */
function splitByNode(located: readonly Located[]): void {
  for (const group of groupBy(located, ({ key }) => key).values()) {
    const nodes = new Set(group.map(({ one }) => one.node).filter(node => node !== ''));
    if (nodes.size > 1) for (const place of group) if (place.one.node !== '') place.key += `\0${place.one.node}`;
  }
}

const KUBELET = /^(?:|kubelet|hyperkube)$/;

/** The one node that lists of nodes and logs in the same folder name, if this may be its kubelet. */
function nodeBeside(
  folder: string,
  members: readonly TimedSnapshot[],
  all: readonly TimedSnapshot[],
): string | undefined {
  if (!members.some(isOfProcess) || !members.every(({ origin }) => KUBELET.test(origin.binary))) return undefined;
  const isKubelet = members.some(({ series, origin }) => origin.binary !== '' || hasKubeletMetrics(series));
  if (!isKubelet) return undefined;
  const names = new Set<string>();
  for (const { context, path } of all) {
    if (context === undefined || targetInPath(path).folder !== folder) continue;
    for (const name of context.versions.keys()) if (name !== '') names.add(name);
    for (const name of context.hosts ?? []) names.add(name);
  }
  const [only, ...more] = [...names].filter(name => ![...names].some(other => name.startsWith(`${other}.`)));
  return more.length === 0 ? only : undefined;
}

function hasKubeletMetrics(series: TimedSnapshot['series']): boolean {
  return [...(series?.values() ?? [])].some(
    ({ name }) => name.startsWith('kubelet_') || name === 'kubernetes_build_info',
  );
}

/** Joins the keys that share a process, which its memory layout identifies. */
function joinByProcess(located: readonly Located[]): (key: string) => string {
  const parent = new Map<string, string>();
  const root = (key: string): string => {
    let at = key;
    for (let up = parent.get(at); up !== undefined; up = parent.get(at)) at = up;
    return at;
  };
  const seenIn = new Map<string, string>();
  for (const { one, key } of located) {
    const { binary, buildId, layout } = one.origin;
    if (layout === '') continue;
    const process = `${binary}\0${buildId}\0${layout}`;
    const first = seenIn.get(process);
    if (first === undefined) seenIn.set(process, key);
    else if (root(first) !== root(key)) parent.set(root(key), root(first));
  }
  return root;
}

/** Prefixes equal names with as much of the folder as makes them different. */
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
