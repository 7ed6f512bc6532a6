/** Each part of the program reads exactly the metrics that the table in src/evidence/metric-names.ts lists for it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { metricGrowth } from '../../src/judge/growth/metric-growth.ts';
import { CYCLE_METRICS, KEPT_CYCLE_METRICS } from '../../src/evidence/cycle/metrics-evidence.ts';
import {
  canonicalName,
  isUsedFor,
  metricOf,
  METRICS,
  namesFor,
  NATIVE_MEMORY,
  PLEG_AGE,
} from '../../src/evidence/metric-names.ts';
import { RESIDENT_METRICS, RESOURCES } from '../../src/evidence/resource.ts';
import { dashboardOf } from '../../src/report/rules/dashboard.ts';
import { ruleGroups } from '../../src/report/rules/rule-set.ts';
import { ROOT } from '../places.ts';
import { NEEDED_SERIES } from '../../src/live/doctor/examine.ts';
import { memorySplit } from '../../src/live/triage/triage-scrape.ts';

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/** Has no data, and records the queries. */
class AskedMap extends Map<string, never> {
  readonly names = new Set<string>();
  readonly #present: string;

  constructor(present = '') {
    super();
    this.#present = present;
  }

  override get(name: string): undefined {
    this.names.add(name);
    return undefined;
  }

  override has(name: string): boolean {
    this.names.add(name);
    return name === this.#present;
  }
}

describe('the metrics', () => {
  it('have each name once, aliases included', () => {
    const names = METRICS.flatMap(({ name, aliases }) => [name, ...aliases]);
    assert.deepEqual(sorted(names), [...names].sort());
    for (const { name, uses } of METRICS) assert.ok(uses.length > 0, name);
  });

  it('of every resource are read by the detector', () => {
    // Computed of others, which the next test covers.
    const read = RESOURCES.flatMap(({ metrics }) => metrics).filter(name => name !== NATIVE_MEMORY);
    for (const name of [...read, ...RESIDENT_METRICS]) assert.ok(isUsedFor(name, 'detection'), name);
  });

  it('of the detector are those it reads from a sample', () => {
    const names = new Set<string>();
    const sample = new Proxy({}, { get: (_, name) => (names.add(String(name)), undefined) });
    createFleetDetector().observe('node', 1_794_772_000, sample);
    assert.deepEqual(sorted([...names].map(canonicalName)), sorted(namesFor('detection')));
  });

  it('of growth are among those of an analysis', () => {
    const series = new AskedMap();
    metricGrowth(series);
    assert.ok(series.names.size > 8);
    // Prometheus counts the series of a scrape, which the scrape itself does not contain.
    const read = [...series.names].filter(name => name !== 'scrape_samples_scraped');
    for (const name of read) assert.ok(isUsedFor(name, 'analysis'), name);
  });

  it('of the memory breakdown are among those of a triage', () => {
    for (const present of ['go_memory_classes_heap_objects_bytes', 'go_memstats_heap_inuse_bytes']) {
      const values = new AskedMap(present);
      memorySplit(values);
      assert.ok(values.names.size > 5);
      for (const name of values.names) assert.ok(isUsedFor(name, 'triage'), name);
    }
  });

  it('of the OOM cycle are those with a meaning there, and the name of the node', () => {
    assert.deepEqual(sorted([...CYCLE_METRICS.keys(), 'kubelet_node_name']), sorted(namesFor('cycle')));
    const kept = KEPT_CYCLE_METRICS.filter(name => !name.startsWith('oakum_'));
    for (const name of kept) assert.ok(isUsedFor(name, 'cycle'), name);
  });

  it('of doctor are those that its proofs need', () => {
    assert.deepEqual(NEEDED_SERIES, namesFor('doctor'));
  });

  it('of the rules and the dashboard are those in their queries', () => {
    const text = (['kubelet', 'any'] as const).map(component => {
      const options = { component, matchers: [], nodeLabel: 'node', holdFor: '6h', docsUrl: '' };
      return JSON.stringify([ruleGroups(options), dashboardOf(options)]);
    });
    const used = METRICS.filter(({ name }) => new RegExp(`(?<![\\w:])${name}(?!\\w)`).test(text.join('\n')));
    assert.deepEqual(sorted(used.map(({ name }) => name)), sorted(namesFor('rules')));
  });

  it('in the source are all in the table', () => {
    const unknown = new Set<string>();
    for (const [file, text] of sources()) {
      for (const [, name] of text.matchAll(
        /'((?:go|process|kubelet|kubernetes|rest_client|container|pod|node|prober|scrape|etcd|machine)_[a-z_]+_[a-z]+)'/g,
      ))
        if (!NO_METRICS.has(name ?? '') && metricOf(name ?? '') === undefined) unknown.add(`${file}: ${name}`);
    }
    assert.deepEqual([...unknown], []);
  });
});

/** Made by us, or a label that looks like one. */
const NO_METRICS = new Set([PLEG_AGE, 'kubernetes_io_hostname']);

/** Names of series that are not metrics of a target. */
const OWN = /report\/rules\/|own-metrics/;

function* sources(): Generator<readonly [file: string, text: string]> {
  for (const folder of ['src', 'web']) {
    for (const path of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(path) || /\.test\.tsx?$/.test(path) || OWN.test(path)) continue;
      yield [`${folder}/${path}`, readFileSync(join(ROOT, folder, path), 'utf8')];
    }
  }
}
