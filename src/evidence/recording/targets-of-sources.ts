/**
 * What the targets are, when everything is read.
 *
 *     go_goroutines{node="w1",job="kubelet"}, {node="w1",job="node-exporter"}     w1/kubelet, w1/node-exporter
 *     go_goroutines{instance="10.0.0.1:10250"}                                    10.0.0.1:10250
 *     cluster/w1/metrics.prom, cluster/w1/metrics-probes.prom                     w1
 */
import { isOfProcess } from '../../model/metric-names.ts';
import { type LabelSource, type FileSource, type Source, TARGET_LABELS } from './source.ts';
import type { SampleTable } from './sample-table.ts';

/** Everything of one source. */
export interface SourceTables<S extends Source = Source> {
  readonly source: S;
  readonly tables: readonly SampleTable[];
}

export interface TargetTables {
  readonly name: string;
  readonly tables: readonly SampleTable[];
}

export interface TargetsFound {
  readonly targets: readonly TargetTables[];
  readonly notes: readonly string[];
}

export function targetsOfSources(all: readonly SourceTables[]): TargetsFound {
  const labelled = all.filter((one): one is SourceTables<LabelSource> => one.source.kind === 'labels');
  const plain = all.filter((one): one is SourceTables<FileSource> => one.source.kind === 'file');
  const { targets, notes } = labelledTargets(labelled);
  const found = withUniqueNames([...targets, ...fileTargets(plain)]);
  const strays = found.reduce((count, { tables }) => count + tables.length - withoutStrays(tables).length, 0);
  return {
    targets: found.map(({ name, tables }) => ({ name, tables: withoutStrays(tables) })),
    notes:
      strays === 0
        ? notes
        : [
            ...notes,
            `${strays} scrapes that only the date of their file puts in time, outside the record, are not used`,
          ],
  };
}

/** A file's date counts only where nothing better says when the target was recorded, or where it agrees. */
function withoutStrays(tables: readonly SampleTable[]): readonly SampleTable[] {
  const told = tables.filter(table => !table.isDated);
  if (told.length === 0) return tables;
  const [from, to] = span(told);
  return tables.filter(table => !table.isDated || table.times.every(time => time >= from && time <= to));
}

interface Draft {
  name: string;
  /** What to put before the name when another target has it too, the last first. */
  readonly more: string[];
  readonly tables: SampleTable[];
}

function labelledTargets(all: readonly SourceTables<LabelSource>[]): { targets: Draft[]; notes: string[] } {
  const isProcess = ({ tables }: SourceTables): boolean => tables.some(table => table.metrics.some(isOfProcess));
  const processes = all.filter(isProcess);
  const anchors = processes.length === 0 ? all : processes;
  const targets = anchors.map(({ source, tables }) => ({ source, draft: draftOf(source, tables) }));
  let lost = 0;
  for (const { source, tables } of all.filter(one => processes.length > 0 && !isProcess(one))) {
    const owners = targets.filter(target => isCompatible(target.source, source));
    if (owners.length === 1) owners[0].draft.tables.push(...tables);
    else lost++;
  }
  qualify(targets);
  const notes = lost === 0 ? [] : [`series of ${lost} sources belong to no one process and are not used`];
  return { targets: targets.map(({ draft }) => draft), notes };
}

function draftOf({ chosen, labels }: LabelSource, tables: readonly SampleTable[]): Draft {
  return { name: chosen || labels.node || labels.instance, more: [], tables: [...tables] };
}

/** Whether they may be of one process: no label says otherwise, and one that names a process or its node agrees. */
function isCompatible(a: LabelSource, b: LabelSource): boolean {
  const agrees = (x: string, y: string): boolean => x !== '' && x === y;
  const differs = (x: string, y: string): boolean => x !== '' && y !== '' && x !== y;
  if (differs(a.chosen, b.chosen) || TARGET_LABELS.some(label => differs(a.labels[label], b.labels[label])))
    return false;
  return (
    agrees(a.chosen, b.chosen) || agrees(a.labels.node, b.labels.node) || agrees(a.labels.instance, b.labels.instance)
  );
}

/** Adds the labels that tell targets of the same name apart. */
function qualify(targets: readonly { readonly source: LabelSource; readonly draft: Draft }[]): void {
  for (const label of ['cluster', 'job', 'instance'] as const) {
    for (const alike of groupBy(targets, ({ draft }) => draft.name).values()) {
      if (new Set(alike.map(({ source }) => source.labels[label])).size === 1) continue;
      for (const { source, draft } of alike) {
        const value = source.labels[label];
        if (value !== '') draft.name = label === 'cluster' ? `${value}/${draft.name}` : `${draft.name}/${value}`;
      }
    }
  }
}

function fileTargets(all: readonly SourceTables<FileSource>[]): Draft[] {
  const drafts: Draft[] = [];
  for (const ofPlace of groupBy(all, ({ source }) => `${source.folder}\0${source.name}`).values()) {
    const nodes = [...new Set(ofPlace.map(({ source }) => source.node))].filter(node => node !== '');
    for (const node of nodes.length === 0 ? [''] : nodes) {
      // What does not name its node lies beside what does.
      const own = ofPlace.filter(({ source }) => source.node === node || (source.node === '' && nodes.length === 1));
      const { folder, name } = own[0].source;
      const more = folder.split('/').filter(part => part !== '');
      const title = node || name || more.pop() || 'process';
      addPlain(drafts, { name: title, more, tables: own.flatMap(({ tables }) => tables) }, node !== '');
    }
  }
  return drafts;
}

/** A node that is told by name in several folders is one target, unless both were recorded at once. */
function addPlain(drafts: Draft[], draft: Draft, isNode: boolean): void {
  const same = isNode ? drafts.find(other => other.name === draft.name && !overlaps(other, draft)) : undefined;
  if (same === undefined) drafts.push(draft);
  else same.tables.push(...draft.tables);
}

function overlaps(a: Draft, b: Draft): boolean {
  const [from, to] = span(a.tables);
  const [start, end] = span(b.tables);
  return from <= end && start <= to;
}

function span(tables: readonly SampleTable[]): [number, number] {
  let [from, to] = [Infinity, -Infinity];
  for (const { times } of tables) {
    for (const time of times) {
      if (time < from) from = time;
      if (time > to) to = time;
    }
  }
  return [from, to];
}

/** Puts as much of the folder before equal names as tells them apart, and then a number. */
function withUniqueNames(drafts: readonly Draft[]): TargetTables[] {
  for (let again = true; again;) {
    again = false;
    for (const alike of groupBy(drafts, ({ name }) => name).values()) {
      if (alike.length === 1) continue;
      for (const draft of alike) {
        const part = draft.more.pop();
        if (part === undefined) continue;
        draft.name = `${part}/${draft.name}`;
        again = true;
      }
    }
  }
  const used = new Map<string, number>();
  return drafts.map(({ name, tables }) => {
    const number = (used.get(name) ?? 0) + 1;
    used.set(name, number);
    return { name: number === 1 ? name : `${name} (${number})`, tables };
  });
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
