/** Everything that was read, with its time and its process: the last step before families are compared. */
import type { ProcessIdentity, Snapshot } from '../../model/snapshot.ts';
import { groupByTarget, isOfProcess, type TargetGroup } from './target-groups.ts';
import { findLives, type Life } from './assign-processes.ts';
import { withManifests } from './apply-capture-record.ts';
import { snapshotTimes } from './snapshot-time.ts';
import type { ReadSnapshot } from './read-member.ts';

export interface AssignOptions {
  /** Used where nothing in the pile tells it. */
  readonly version?: string;
  readonly goVersion?: string;
  /** What to call the target when the pile has only one. */
  readonly target?: string;
}

/** In time order within each process; processes in the order of their targets. */
export function assignSnapshots(read: readonly ReadSnapshot[], options: AssignOptions = {}): Snapshot[] {
  const all = withManifests(read);
  const times = snapshotTimes(all);
  const seconds = times.map(time => time.seconds);
  // A file's own time may be that of its copy: good enough to order by, not to decide between lives.
  const told = times.map(time => (time.from === 'file' ? undefined : time.seconds));
  const assigned: Snapshot[] = [];
  const groups = groupByTarget(all);
  const observed = groups.filter(group => group.members.some(index => isOfProcess(all[index])));
  for (const group of groups) {
    const inProcess = group.members.filter(index => isOfProcess(all[index]));
    const name = observed.length === 1 && observed[0] === group && options.target ? options.target : group.name;
    const lives = findLives(all, told, inProcess);
    const several = new Set(lives.map(life => life.binary)).size > 1;
    lives.forEach((life, number) => {
      const target = several && life.binary !== '' ? `${name}/${life.binary.replace(/^.*\//, '')}` : name;
      const process = identityOf(target, number, life, lives, all, group, options);
      assigned.push(...inTimeOrder(life.members, seconds).map(index => toSnapshot(all[index], times[index], process)));
    });
    const context: ProcessIdentity = {
      key: `${name}|context`,
      target: name,
      buildId: '',
      startTimeSeconds: undefined,
      version: '',
      goVersion: '',
    };
    const beside = group.members.filter(index => !isOfProcess(all[index]));
    assigned.push(...inTimeOrder(beside, seconds).map(index => toSnapshot(all[index], times[index], context)));
  }
  return assigned;
}

function inTimeOrder(members: readonly number[], seconds: readonly (number | undefined)[]): number[] {
  return [...members].sort((a, b) => (seconds[a] ?? Infinity) - (seconds[b] ?? Infinity) || a - b);
}

function toSnapshot(
  one: ReadSnapshot,
  time: ReturnType<typeof snapshotTimes>[number],
  process: ProcessIdentity,
): Snapshot {
  return {
    path: one.path,
    kind: one.kind,
    format: one.format,
    process,
    takenAtSeconds: time.seconds,
    takenAtFrom: time.from,
    isDelta: one.isDelta,
    truncated: one.truncated,
    notes: time.note === undefined ? one.notes : [...one.notes, time.note],
    families: one.families,
    profile: one.profile,
    dump: one.dump,
    memStats: one.memStats,
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
  options: AssignOptions,
): ProcessIdentity {
  // A restart of the same build is the same version.
  const akin = [
    life,
    ...lives.filter(other => other !== life && other.buildId === life.buildId && life.buildId !== ''),
  ];
  const told = akin.flatMap(one => one.members).map(index => all[index]);
  const context = contextVersion(all, target, life, group);
  const fromMetrics = told.find(one => one.kind === 'metrics' && one.origin.goVersion !== '')?.origin.goVersion;
  return {
    key: `${target}|${life.buildId.slice(0, 12) || life.binary}|${number}`,
    target,
    buildId: life.buildId,
    startTimeSeconds: life.startTimeSeconds,
    version: told.find(one => one.version !== '')?.version || context.version || (options.version ?? ''),
    goVersion:
      fromMetrics ||
      told.find(one => one.origin.goVersion !== '')?.origin.goVersion ||
      context.goVersion ||
      (options.goVersion ?? ''),
  };
}

const KUBERNETES = /^(?:kube|hyperkube|cloud-controller|$)/;

/** What a list of nodes says of this one, or else a version file in a folder above. */
function contextVersion(
  all: readonly ReadSnapshot[],
  target: string,
  life: Life,
  group: TargetGroup,
): { version: string; goVersion: string } {
  let beside = { version: '', goVersion: '' };
  for (const { context, path } of all) {
    if (context === undefined) continue;
    const ofNode = context.versions.get(target);
    if (ofNode !== undefined) return { version: ofNode, goVersion: '' };
    const version = context.versions.get('');
    const folder = path.slice(0, path.lastIndexOf('/'));
    const isAbove =
      group.folder === folder || group.folder.startsWith(`${folder}/`) || folder.startsWith(`${group.folder}/`);
    if (version !== undefined && isAbove && KUBERNETES.test(life.binary))
      beside = { version, goVersion: context.goVersion };
  }
  return beside;
}
