/** The facts for a report: the analysis of a pile of evidence, and what its files say about captures and machines. */
import { FileContent } from '../../evidence/formats/file-content.ts';
import { FORMATS, recogniseFormat } from '../../evidence/formats/registry.ts';
import type { CaptureManifest } from '../../evidence/capture.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { IssueFacts, IssueTarget, Life, Measured, Environment } from './issue-facts.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { type Pile, readPile } from '../../evidence/snapshots/read-pile.ts';
import { type MetricSeries, type Snapshot, isOfProcess } from '../../evidence/snapshots/snapshot.ts';
import { SERIES_COUNT } from '../../evidence/metric-names.ts';
import { firstSampleSeconds, seriesOfProcess } from '../../evidence/snapshots/process-series.ts';
import { labelOf } from '../../evidence/snapshots/read-metrics.ts';
import { targetFacts } from '../../judge/process/target-facts.ts';
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';

/** In the order of importance; the first name that exists counts. */
const METRICS: readonly (readonly [what: string, unit: Measured['unit'], ...names: string[]])[] = [
  ['resident memory', 'bytes', 'process_resident_memory_bytes'],
  ['live heap', 'bytes', 'go_gc_heap_live_bytes'],
  ['heap objects', 'bytes', 'go_memory_classes_heap_objects_bytes', 'go_memstats_heap_alloc_bytes'],
  ['heap unused', 'bytes', 'go_memory_classes_heap_unused_bytes'],
  ['heap free, not returned', 'bytes', 'go_memory_classes_heap_free_bytes'],
  ['stacks', 'bytes', 'go_memory_classes_heap_stacks_bytes', 'go_memstats_stack_inuse_bytes'],
  ['profiler buckets', 'bytes', 'go_memory_classes_profiling_buckets_bytes', 'go_memstats_buck_hash_sys_bytes'],
  ['goroutines', 'count', 'go_goroutines'],
  ['threads', 'count', 'go_threads'],
  ['file descriptors', 'count', 'process_open_fds'],
  ['running pods', 'count', 'kubelet_running_pods'],
  ['pods started', 'count', 'kubelet_started_pods_total'],
  ['metric series', 'count', SERIES_COUNT],
];

interface GatherOptions {
  readonly catalogue: readonly KnownLeak[];
  readonly operations: number | undefined;
  readonly oakumVersion: string;
  readonly redacted: boolean;
}

/** A pile with what a report needs besides its analysis. */
export interface IssuePile {
  readonly pile: Pile;
  readonly captures: readonly CaptureManifest[];
  readonly environment: IssueFacts['environment'];
}

export async function readIssuePile(items: AsyncIterable<PileItem>): Promise<IssuePile> {
  const captures: CaptureManifest[] = [];
  const environment = new EnvironmentReader();
  const seen = async function* (): AsyncGenerator<PileItem> {
    for await (const item of items) {
      if (item.kind === 'member') {
        const file = new FileContent(item.bytes);
        const format = recogniseFormat(file);
        if (format === 'capture-manifest') captures.push(FORMATS[format].read(file));
        else if (format === 'kubectl-json' && file.json !== undefined) environment.add(file.json);
      }
      yield item;
    }
  };
  const pile = await readPile(seen(), { families: familiesOf, keepStacks: false });
  return { pile, captures, environment: environment.finish() };
}

export function gatherFacts({ pile, captures, environment }: IssuePile, options: GatherOptions): IssueFacts {
  return {
    analysis: analyzePile(pile, { catalogue: options.catalogue, operations: options.operations }),
    targets: issueTargets(pile.snapshots),
    environment,
    captures,
    catalogueEntries: options.catalogue.length,
    oakumVersion: options.oakumVersion,
    redacted: options.redacted,
  };
}

/** What the snapshots say about each target: build, lives, and its metrics at the beginning and at the end. */
function issueTargets(snapshots: readonly Snapshot[]): IssueTarget[] {
  const observed = snapshots.filter(isOfProcess);
  const names = [...new Set(observed.map(({ process }) => process.target))];
  return names.map(name => {
    const own = observed.filter(({ process }) => process.target === name);
    const facts = targetFacts(own);
    const series = own.find(
      ({ series }) => series !== undefined && labelOf(series, 'kubernetes_build_info', 'platform'),
    );
    return {
      name,
      component: facts.component,
      version: facts.version,
      goVersion: facts.goVersion,
      buildId: own.map(({ process }) => process.buildId).findLast(id => id !== ''),
      platform: series?.series === undefined ? undefined : labelOf(series.series, 'kubernetes_build_info', 'platform'),
      cgroupVersion: facts.cgroupVersion,
      unusualGates: unusualGates(own),
      lives: lives(own),
    };
  });
}

function lives(snapshots: readonly Snapshot[]): Life[] {
  const keys = [...new Set(snapshots.map(({ process }) => process.key))];
  return keys.map(key => {
    const own = snapshots.filter(({ process }) => process.key === key);
    const times = own.flatMap(({ takenAtSeconds, takenAtFrom, series }) =>
      takenAtSeconds === undefined || takenAtFrom === 'file'
        ? []
        : [firstSampleSeconds(series) ?? takenAtSeconds, takenAtSeconds],
    );
    return {
      startedAtSeconds: own.map(({ process }) => process.startTimeSeconds).find(start => start !== undefined),
      fromSeconds: times.length === 0 ? undefined : Math.min(...times),
      toSeconds: times.length === 0 ? undefined : Math.max(...times),
      measured: measuredOf(seriesOfProcess(own, key)),
    };
  });
}

function measuredOf(series: ReadonlyMap<string, MetricSeries>): Measured[] {
  return METRICS.flatMap(([what, unit, ...names]) => {
    const found = names.map(name => series.get(name)).find(one => one !== undefined);
    const [from, to] = [found?.values.at(0), found?.values.at(-1)];
    if (found === undefined || from === undefined || to === undefined) return [];
    return [{ what, unit, from, to, fromSeconds: known(found.times.at(0)), toSeconds: known(found.times.at(-1)) }];
  });
}

function known(seconds: number | undefined): number | undefined {
  return Number.isNaN(seconds) ? undefined : seconds;
}

function unusualGates(snapshots: readonly Snapshot[]): string[] {
  const gates = new Set<string>();
  for (const { series } of snapshots) {
    for (const { name, labels, values } of series?.values() ?? []) {
      if (name !== 'kubernetes_feature_enabled') continue;
      const isOn = values[values.length - 1] === 1;
      if (labels['stage'] === 'ALPHA' && isOn) gates.add(`${labels['name']}=true`);
      if (labels['stage'] === 'BETA' && !isOn) gates.add(`${labels['name']}=false`);
    }
  }
  return [...gates].sort();
}

/** The machines, from kubectl's nodes: system, kernel, runtime, size. */
export class EnvironmentReader {
  private nodeCount = 0;
  private readonly osImages = new Set<string>();
  private readonly kernels = new Set<string>();
  private readonly runtimes = new Set<string>();
  private readonly architectures = new Set<string>();
  private readonly providers = new Set<string>();
  private readonly capacities = new Set<string>();

  /** Adds a parsed JSON document; anything but nodes is ignored. */
  add(value: unknown): void {
    const root = recordOf(value);
    const items = Array.isArray(root['items']) ? listOf(root['items']).map(recordOf) : [root];
    for (const item of items) this.node(item);
  }

  finish(): Environment {
    return {
      nodeCount: this.nodeCount,
      osImages: [...this.osImages],
      kernels: [...this.kernels],
      runtimes: [...this.runtimes],
      architectures: [...this.architectures],
      providers: [...this.providers],
      capacities: [...this.capacities],
    };
  }

  private node(item: JsonRecord): void {
    const status = recordOf(item['status']);
    const info = recordOf(status['nodeInfo']);
    if (typeof info['kubeletVersion'] !== 'string') return;
    this.nodeCount++;
    keep(this.osImages, info['osImage']);
    keep(this.kernels, info['kernelVersion']);
    keep(this.runtimes, info['containerRuntimeVersion']);
    keep(this.architectures, info['architecture']);
    const provider = /^([a-z][a-z0-9]*):\/\//.exec(textOf(recordOf(item['spec'])['providerID']))?.[1];
    keep(this.providers, provider);
    const { cpu, memory } = recordOf(status['capacity']);
    if (textOf(cpu) !== '' && textOf(memory) !== '') keep(this.capacities, `${textOf(cpu)} CPUs, ${textOf(memory)}`);
  }
}

function keep(values: Set<string>, value: unknown): void {
  if (typeof value === 'string' && value !== '') values.add(value);
}
