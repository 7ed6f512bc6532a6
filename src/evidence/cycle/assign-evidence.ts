/**
 * Which target each piece of evidence is about, and when it was.
 *
 *     worker-17/kern.log      no host in it    beside worker-17/metrics.prom, which names its node   ->  worker-17
 *     dmesg.txt               no host in it    one node in the whole pile                            ->  that node
 *     Nov 15 07:12:25         no year          the last such day before the latest time in the pile
 *     [12345.678901]          since boot       the log's own clock line, or node_boot_time_seconds
 */
import { resolveStamp } from '../formats/log-stamp.ts';
import type { CycleObservation, Evidence } from './cycle.ts';
import { groupBy } from '../../base/group-by.ts';
import { fileName, timeInPath, targetInPath } from '../path-parts.ts';
import { nameOf, type ReadEvidence } from './read-evidence.ts';

export interface ClockOptions {
  /** How far local time is ahead of UTC in logs without a time zone; 0 by default. */
  readonly utcOffsetSeconds?: number;
  /** The present, for a log without a year in a pile without dates. */
  readonly nowSeconds: number;
}

export interface TargetObservations {
  readonly name: string;
  /** A node with its kubelet; else another process. */
  readonly isNode: boolean;
  readonly observations: readonly CycleObservation[];
}

export interface AssignedEvidence {
  readonly targets: readonly TargetObservations[];
  readonly notes: readonly string[];
}

export function assignEvidence(read: ReadEvidence, options: ClockOptions): AssignedEvidence {
  const targetOf = targets(read.evidence);
  const bootSeconds = bootTimes(read, targetOf);
  const latest = read.evidence.reduce<number | undefined>(
    (most, { stamp }) =>
      stamp.kind === 'instant' && !(most !== undefined && most >= stamp.seconds) ? stamp.seconds : most,
    undefined,
  );
  const byTarget = new Map<string, { isNode: boolean; observations: CycleObservation[] }>();
  const sourceName = shortNames(new Set(read.evidence.map(({ path }) => path)));
  let isZoneGuessed = false;
  for (const one of read.evidence) {
    const { path, line, stamp, body } = one;
    const target = targetOf(one);
    const atSeconds = resolveStamp(stamp, {
      referenceSeconds: latest ?? timeInPath(path) ?? read.fileSeconds.get(path) ?? options.nowSeconds,
      bootSeconds: bootSeconds(one),
      utcOffsetSeconds: options.utcOffsetSeconds ?? 0,
    });
    if (stamp.kind === 'local' || stamp.kind === 'yearless') isZoneGuessed = true;
    const source = line === 0 ? sourceName(path) : `${sourceName(path)}:${line}`;
    const observation = { ...body, atSeconds, source } as CycleObservation;
    let known = byTarget.get(target);
    if (known === undefined) byTarget.set(target, (known = { isNode: false, observations: [] }));
    known.isNode ||= one.isOfNode;
    known.observations.push(observation);
  }
  const guessed = isZoneGuessed && options.utcOffsetSeconds === undefined;
  const note = 'log lines without a time zone were read as UTC; --zone +02:00 reads them otherwise';
  return {
    targets: [...byTarget].map(([name, { isNode, observations }]) => ({
      name,
      isNode,
      observations: latestOf(observations),
    })),
    notes: guessed ? [...read.notes, note] : read.notes,
  };
}

/** How much is kept of one target besides its scrapes. */
const MAX_OBSERVATIONS = 50_000;

function latestOf(observations: readonly CycleObservation[]): readonly CycleObservation[] {
  if (observations.length <= MAX_OBSERVATIONS) return observations;
  const scrapes = observations.filter(({ kind }) => kind === 'metrics');
  const others = observations.filter(({ kind }) => kind !== 'metrics');
  others.sort((a, b) => (a.atSeconds ?? Infinity) - (b.atSeconds ?? Infinity));
  return [...scrapes, ...others.slice(-MAX_OBSERVATIONS)];
}

/** The file's name if no other file has the same; else with its folder. */
function shortNames(paths: Iterable<string>): (path: string) => string {
  const byName = groupBy(paths, fileName);
  return path => (byName.get(fileName(path))?.length === 1 ? fileName(path) : nameOf(path));
}

/** Named by host; evidence without a host is named by its path. */
function targets(evidence: readonly Evidence[]): (one: Evidence) => string {
  const hosts = new Set(evidence.map(({ host }) => host).filter(host => host !== ''));
  const nodes = new Set(evidence.flatMap(({ host, isOfNode }) => (host !== '' && isOfNode ? [host] : [])));
  // `worker-17.example.com` in a log is the node `worker-17`, if there is one.
  const short = (host: string): string => {
    const [first = ''] = host.split('.', 1);
    return /^\d+$/.test(first) || !hosts.has(first) ? host : first;
  };
  const named = new Set([...nodes].map(short));
  const byFolder = new Map<string, Set<string>>();
  for (const { path, host, isOfNode } of evidence) {
    if (host === '' || !isOfNode) continue;
    const { folder } = targetInPath(path);
    const known = byFolder.get(folder);
    if (known === undefined) byFolder.set(folder, new Set([short(host)]));
    else known.add(short(host));
  }
  return ({ path, host, isOfNode }) => {
    if (host !== '') return short(host);
    const { folder, prefix } = targetInPath(path);
    if (!isOfNode) return prefix || fileName(folder) || 'process';
    const own = nodeInName(path) || fileName(folder) || 'node';
    const inFolder = onlyOf(byFolder.get(folder));
    if (inFolder !== undefined || named.has(own)) return inFolder ?? own;
    return onlyOf(named) ?? own;
  };
}

/** Undefined unless there is exactly one. */
function onlyOf<T>(set: ReadonlySet<T> | undefined): T | undefined {
  const [only] = set?.size === 1 ? set : [];
  return only;
}

/** Words in the names of logs and scrapes that do not name a node. */
const KIND_WORD =
  /^(?:kern|kernel|kubelet|syslog|journal|journald|journalctl|dmesg|messages|system|systemd|node|metrics|cadvisor|probes|resource|scrape|logs?|txt|json|jsonl|prom|out|gz|stdin|\d{8,}\w*)$/i;

/** `worker-17-dmesg.txt` names a node, `kern.log.1` does not. */
function nodeInName(path: string): string {
  const words = fileName(path).split(/[-_.]/);
  const rest = words.filter(word => !KIND_WORD.test(word)).join('-');
  return /[a-z]/i.test(rest) ? rest : '';
}

function bootTimes(
  { evidence, clocks }: ReadEvidence,
  targetOf: (one: Evidence) => string,
): (one: Evidence) => number | undefined {
  const ofLog = new Map<string, number>();
  for (const { path, host, bootSeconds } of clocks)
    if (!ofLog.has(`${path}\0${host}`)) ofLog.set(`${path}\0${host}`, bootSeconds);
  const ofTarget = new Map<string, number>();
  for (const one of evidence) {
    const boot = one.body.kind === 'metrics' ? one.body.values.bootSeconds : undefined;
    if (boot !== undefined) ofTarget.set(targetOf(one), Math.max(boot, ofTarget.get(targetOf(one)) ?? boot));
  }
  return one => {
    if (one.stamp.kind !== 'since-boot') return undefined;
    return ofLog.get(`${one.path}\0${one.host}`) ?? ofTarget.get(targetOf(one));
  };
}
