/**
 * The targets of all sources, once everything is read.
 *
 *     go_goroutines{node="w1",job="kubelet"}, {node="w1",job="node-exporter"}     w1/kubelet, w1/node-exporter
 *     go_goroutines{instance="10.0.0.1:10250"}                                    10.0.0.1:10250
 *     cluster/w1/metrics.prom, cluster/w1/metrics-probes.prom                     w1
 */
import { groupBy } from '../../base/group-by.ts';
import { isOfProcess } from '../metric-names.ts';
import { type FileSource, type LabelSource, type Source, sourceKey, TARGET_LABELS } from './source.ts';
import type { SampleTable } from './sample-table.ts';
import { elementAt } from '../../base/errors.ts';

/** Everything from one source. */
export interface SourceTables<S extends Source = Source> {
  readonly source: S;
  readonly tables: readonly SampleTable[];
}

export interface TargetTables {
  readonly name: string;
  readonly tables: readonly SampleTable[];
}

export interface AssignedTargets {
  readonly targets: readonly TargetTables[];
  readonly notes: readonly string[];
}

/** `known`: processes that exist, of which there may be nothing here. */
export function assignTargets(all: readonly SourceTables[], known: readonly LabelSource[] = []): AssignedTargets {
  const labelled = all.filter((one): one is SourceTables<LabelSource> => one.source.kind === 'labels');
  const plain = all.filter((one): one is SourceTables<FileSource> => one.source.kind === 'file');
  const { targets, notes } = targetsOfLabels(labelled, known);
  const named = withUniqueNames([...targets, ...targetsOfFiles(plain)]);
  const strays = named.reduce((count, { tables }) => count + tables.length - withoutStrays(tables).length, 0);
  return {
    targets: named.map(({ name, tables }) => ({ name, tables: withoutStrays(tables) })),
    notes:
      strays === 0
        ? notes
        : [
            ...notes,
            `${strays} scrapes are not used: their only time is the date of their file, which is outside the recording`,
          ],
  };
}

/** A file's date counts only if no other time of the target is known, or if it lies among those. */
function withoutStrays(tables: readonly SampleTable[]): readonly SampleTable[] {
  const timed = tables.filter(table => !table.isDated);
  if (timed.length === 0) return tables;
  const [from, to] = span(timed);
  return tables.filter(table => !table.isDated || table.times.every(time => time >= from && time <= to));
}

interface Draft {
  name: string;
  /** What to put before the name if another target has the same one; the last comes first. */
  readonly more: string[];
  readonly tables: SampleTable[];
}

function targetsOfLabels(
  all: readonly SourceTables<LabelSource>[],
  known: readonly LabelSource[],
): { targets: Draft[]; notes: string[] } {
  const isProcess = ({ tables }: SourceTables): boolean => tables.some(table => table.metrics.some(isOfProcess));
  const processes = all.filter(isProcess);
  const anchors = processes.length === 0 ? all : processes;
  const found = anchors.map(({ source, tables }) => ({ source, draft: draftOf(source, tables) }));
  const foundKeys = new Set(found.map(({ source }) => sourceKey(source)));
  const absent = known.filter(source => !foundKeys.has(sourceKey(source)));
  const targets = [...found, ...absent.map(source => ({ source, draft: draftOf(source, []) }))];
  let lost = 0;
  for (const { source, tables } of all.filter(one => processes.length > 0 && !isProcess(one))) {
    const [owner, ...others] = targets.filter(target => isCompatible(target.source, source));
    if (owner !== undefined && others.length === 0) owner.draft.tables.push(...tables);
    else lost++;
  }
  qualify(targets);
  const notes = lost === 0 ? [] : [`series of ${lost} sources are not used: they fit no process, or more than one`];
  return { targets: found.map(({ draft }) => draft), notes };
}

function draftOf({ chosen, labels }: LabelSource, tables: readonly SampleTable[]): Draft {
  return { name: chosen || labels.node || labels.instance, more: [], tables: [...tables] };
}

/** Whether both may be one process: no label differs, and one that names a process or its node is the same. */
function isCompatible(a: LabelSource, b: LabelSource): boolean {
  const agrees = (x: string, y: string): boolean => x !== '' && x === y;
  const differs = (x: string, y: string): boolean => x !== '' && y !== '' && x !== y;
  if (differs(a.chosen, b.chosen) || TARGET_LABELS.some(label => differs(a.labels[label], b.labels[label])))
    return false;
  return (
    agrees(a.chosen, b.chosen) || agrees(a.labels.node, b.labels.node) || agrees(a.labels.instance, b.labels.instance)
  );
}

/** Adds the labels in which targets of the same name differ. */
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

function targetsOfFiles(all: readonly SourceTables<FileSource>[]): Draft[] {
  const drafts: Draft[] = [];
  for (const group of groupBy(all, ({ source }) => `${source.folder}\0${source.name}`).values()) {
    const { source: first } = elementAt(group, 0);
    const nodes = [...new Set(group.map(({ source }) => source.node))].filter(node => node !== '');
    for (const node of nodes.length === 0 ? [''] : nodes) {
      // A file that does not name its node is of the one node that the files beside it name.
      const own = group.filter(({ source }) => source.node === node || (source.node === '' && nodes.length === 1));
      const more = first.folder.split('/').filter(part => part !== '');
      const name = node || first.name || more.pop() || 'process';
      addDraft(drafts, { name, more, tables: own.flatMap(({ tables }) => tables) }, node !== '');
    }
  }
  return drafts;
}

/** A node that is named in several folders is one target, unless the recordings overlap in time. */
function addDraft(drafts: Draft[], draft: Draft, isNode: boolean): void {
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

/** Prefixes equal names with as much of the folder as makes them different, then adds a number. */
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
