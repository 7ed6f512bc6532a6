/**
 * Writes the record of a simulated fleet as OpenMetrics: parts for Oakum to read as files, and one file of the same
 * lines for promtool.
 *
 *     go_gc_heap_live_bytes{job="kubelet",instance="node-0001:10250",node="node-0001"} 41943040 1790000000
 *     kubernetes_build_info{git_version="v1.35.7",...,pool="a",zone="eu-1a"} 1 1790000000
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeRolloutFleet, type FleetNode } from '../detect/cohorts/simulate/fleet.ts';
import { LEAK_KINDS } from '../detect/cohorts/simulate/rollout-kinds.ts';
import { RECORD_START_SECONDS } from '../detect/simulate/simulated-node.ts';

export interface HistoryOptions {
  readonly nodes: number;
  readonly canaries: number;
  readonly hours: number;
  /** How long before the end of the record the canaries change. */
  readonly rolloutHoursAgo: number;
  readonly stepSeconds: number;
  readonly seed: number;
  /** The last sample is of this time. */
  readonly endSeconds: number;
}

export interface WrittenHistory {
  readonly samples: number;
  readonly partsFolder: string;
  readonly wholeFile: string;
  /** Names of the nodes that leak. */
  readonly leaking: ReadonlySet<string>;
}

/** What a kubelet exposes that is judged. */
const METRICS = [
  'go_gc_heap_live_bytes',
  'go_goroutines',
  'kubelet_running_pods',
  'kubelet_started_pods_total',
  'process_open_fds',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
];
const NODES_IN_PART = 200;
const GATE = 'gate/';
const END = '# EOF\n';

export function writeHistory(folder: string, options: HistoryOptions): WrittenHistory {
  const { nodes, canaries, hours, stepSeconds, seed, endSeconds, rolloutHoursAgo } = options;
  const kind = { ...LEAK_KINDS[0], canaries };
  const fleet = makeRolloutFleet(kind, seed, nodes, stepSeconds, hours - rolloutHoursAgo);
  const partsFolder = join(folder, 'parts');
  mkdirSync(partsFolder, { recursive: true });
  const wholeFile = join(folder, 'history.om');
  const whole = openSync(wholeFile, 'w');
  let samples = 0;
  for (let first = 0; first < nodes; first += NODES_IN_PART) {
    const part = openSync(join(partsFolder, `nodes-${String(first).padStart(5, '0')}.om`), 'w');
    for (const node of fleet.nodes.slice(first, first + NODES_IN_PART)) {
      const lines = linesOf(node, hours, endSeconds);
      samples += lines.length;
      const text = `${lines.join('\n')}\n`;
      writeSync(part, text);
      writeSync(whole, text);
    }
    writeSync(part, END);
    closeSync(part);
  }
  writeSync(whole, END);
  closeSync(whole);
  const leaking = new Set(fleet.nodes.filter(({ leaks }) => leaks).map(({ node }) => node.name));
  return { samples, partsFolder, wholeFile, leaking };
}

/** Each series in time order. */
function linesOf({ node, attributes, changes }: FleetNode, hours: number, endSeconds: number): string[] {
  const shift = endSeconds - (RECORD_START_SECONDS + hours * 3600);
  const target = `job="kubelet",instance="${node.name}:10250",node="${node.name}"`;
  const lines: string[] = [];
  let due = 0;
  let now = attributes;
  node.advance(hours, (_, atSeconds, values) => {
    const elapsed = (atSeconds - RECORD_START_SECONDS) / 3600;
    for (; due < changes.length && changes[due].atHours <= elapsed; due++) now = { ...now, ...changes[due].attributes };
    const at = Math.round(atSeconds + shift);
    for (const metric of METRICS) {
      const value = values[metric];
      if (value === undefined) continue;
      const real = metric === 'process_start_time_seconds' ? value + shift : value;
      lines.push(`${metric}{${target}} ${real} ${at}`);
    }
    const build = `git_version="${now['version']}",go_version="${now['go']}",platform="linux/${now['arch']}"`;
    lines.push(`kubernetes_build_info{${target},pool="${now['pool']}",zone="${now['zone']}",${build}} 1 ${at}`);
    for (const [attribute, value] of Object.entries(now)) {
      if (!attribute.startsWith(GATE)) continue;
      const name = attribute.slice(GATE.length);
      lines.push(`kubernetes_feature_enabled{${target},name="${name}",stage="BETA"} ${value === 'true' ? 1 : 0} ${at}`);
    }
  });
  return lines;
}
