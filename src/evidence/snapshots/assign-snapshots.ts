/** Gives every snapshot its time and its process: the last step before families are compared. */
import { isOfProcess, type ProcessIdentity, type Snapshot } from './snapshot.ts';
import { fileName, folderOf } from '../path-parts.ts';
import { withManifests } from './apply-capture-record.ts';
import { findLives, type Life } from './assign-processes.ts';
import { inOrder, type PlacedSnapshot } from './order-snapshots.ts';
import type { ReadSnapshot } from './read-member.ts';
import { type TimedSnapshot, withTimes } from './snapshot-time.ts';
import { groupByTarget, type TargetGroup } from './target-groups.ts';

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
