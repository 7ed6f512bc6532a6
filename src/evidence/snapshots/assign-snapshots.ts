/** Gives every snapshot its time and its process: the last step before families are compared. */
import { isOfProcess, type ProcessIdentity, type Snapshot } from './snapshot.ts';
import { fileName, folderOf, commonFolder, targetInPath } from '../path-parts.ts';
import { findLives, type Life } from './assign-processes.ts';
import { inOrder, type PlacedSnapshot, type TimedSnapshot, withTimes } from './order-snapshots.ts';
import { type ReadSnapshot, withManifests } from './read-member.ts';
import { groupBy } from '../../base/group-by.ts';

const KUBELET = /^(?:|kubelet|hyperkube)$/;

/** What to assume where nothing in the pile says otherwise. */
export interface TargetHints {
  readonly version?: string;
  readonly goVersion?: string;
  /** The name of the target, when the pile has only one. */
  readonly target?: string;
}

/** In time order within each process; processes in the order of their targets. */
export function assignSnapshots(read: readonly ReadSnapshot[], hints: TargetHints = {}): Snapshot[] {
  const all = withTimes(withManifests(read));
  const readAt = new Map(all.map((one, index) => [one, index]));
  const inReadingOrder = (members: readonly TimedSnapshot[]): TimedSnapshot[] =>
    [...members].sort((a, b) => (readAt.get(a) ?? 0) - (readAt.get(b) ?? 0));
  const groups = groupByTarget(all);
  const [onlyObserved, ...moreObserved] = groups.filter(group => group.members.some(isOfProcess));
  return groups.flatMap(group => {
    const isOnly = group === onlyObserved && moreObserved.length === 0;
    const name = (isOnly ? hints.target : undefined) || group.name;
    const lives = findLives(group.members.filter(isOfProcess));
    const several = new Set(lives.map(life => life.binary)).size > 1;
    const ofProcesses = lives.flatMap((life, number) => {
      const target = several && life.binary !== '' ? `${name}/${life.binary.replace(/^.*\//, '')}` : name;
      const process = identityOf(target, number, life, lives, all, group, hints);
      return inOrder(inReadingOrder(life.members)).map(one => toSnapshot(one, process));
    });
    const context: ProcessIdentity = {
      key: `${name}|context`,
      target: name,
      buildId: '',
      startTimeSeconds: undefined,
      version: '',
      goVersion: '',
    };
    const others = inOrder(group.members.filter(one => !isOfProcess(one)));
    return [...ofProcesses, ...others.map(one => toSnapshot(one, context))];
  });
}

function toSnapshot(one: PlacedSnapshot, process: ProcessIdentity): Snapshot {
  const { seconds, from, note } = one.taken;
  return {
    path: one.path,
    kind: one.kind,
    format: one.format,
    process,
    takenAtSeconds: seconds,
    takenAtFrom: from,
    orderedBy: one.orderedBy,
    isDelta: one.isDelta,
    truncated: one.truncated,
    notes: note === undefined ? one.notes : [...one.notes, note],
    families: one.families,
    profile: one.profile,
    dump: one.dump,
    memStats: one.memStats,
    collection: one.collection,
    series: one.series,
  };
}

function identityOf(
  target: string,
  number: number,
  life: Life,
  lives: readonly Life[],
  all: readonly ReadSnapshot[],
  group: TargetGroup,
  hints: TargetHints,
): ProcessIdentity {
  // A restart of the same build is the same version.
  const sameBuild = [
    life,
    ...lives.filter(other => other !== life && other.buildId === life.buildId && life.buildId !== ''),
  ].flatMap(one => one.members);
  const context = contextVersion(all, target, life, group);
  const ownVersion = sameBuild.find(one => one.version !== '')?.version ?? '';
  const conflicts =
    ownVersion !== '' && context.version !== '' && ownVersion !== context.version
      ? [`its metrics say ${ownVersion}, ${context.from} ${context.version}: the metrics count`]
      : [];
  const fromMetrics = sameBuild.find(one => one.kind === 'metrics' && one.origin.goVersion !== '')?.origin.goVersion;
  return {
    key: `${target}|${life.buildId.slice(0, 12) || life.binary}|${number}`,
    target,
    buildId: life.buildId,
    startTimeSeconds: life.startTimeSeconds,
    version: ownVersion || context.version || (hints.version ?? ''),
    ...(conflicts.length === 0 ? {} : { conflicts }),
    goVersion:
      fromMetrics ||
      sameBuild.find(one => one.origin.goVersion !== '')?.origin.goVersion ||
      context.goVersion ||
      (hints.goVersion ?? ''),
  };
}

const KUBERNETES = /^(?:kube|hyperkube|cloud-controller|$)/;

/** The version in a list of nodes, else in a version file in a folder above. */
function contextVersion(
  all: readonly ReadSnapshot[],
  target: string,
  life: Life,
  group: TargetGroup,
): { version: string; goVersion: string; from: string } {
  let found = { version: '', goVersion: '', from: '' };
  for (const { context, path } of all) {
    if (context === undefined) continue;
    const ofNode = context.versions.get(target);
    if (ofNode !== undefined) return { version: ofNode, goVersion: '', from: 'the list of nodes' };
    const version = context.versions.get('');
    const folder = folderOf(path).slice(0, -1);
    const isAbove =
      group.folder === folder || group.folder.startsWith(`${folder}/`) || folder.startsWith(`${group.folder}/`);
    if (version !== undefined && isAbove && KUBERNETES.test(life.binary))
      found = { version, goVersion: context.goVersion, from: fileName(path) };
  }
  return found;
}

/**
 * Snapshots by target. Files whose paths name the same target belong together, and so do folders in which the same
 * process was seen, such as one folder for each moment of a daemon. Files that name different nodes do not, wherever
 * they are: journals of two nodes in one folder.
 */
interface TargetGroup {
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

function groupByTarget(all: readonly TimedSnapshot[]): TargetGroup[] {
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
