import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CohortVerdict } from './cohort-model.ts';
import type { FleetDetector } from '../detect/detection.ts';
import { createFleetDetector } from '../detect/fleet-detector.ts';

const START = 1_790_000_000 - (1_790_000_000 % 3600);
const MIB = 1024 * 1024;
const ROLLOUT = 48;

interface Node {
  readonly attributes: Record<string, string>;
  readonly changesTo?: Record<string, string>;
  /** Bytes on top of 80 MiB, by hours since the rollout. */
  readonly heap?: (sinceHours: number) => number;
  readonly pods?: (hour: number) => number;
  readonly restartsAt?: number;
}

/** Deterministic noise: slow waves with a phase of each node's own. */
function wave(node: number, hour: number): number {
  return 0.6 * Math.sin(hour / 7 + node * 1.7) + 0.3 * Math.sin(hour / 1.3 + node * 2.9);
}

function cohortsAt(
  nodes: readonly Node[],
  hours: number,
  detector: FleetDetector = createFleetDetector(),
): readonly CohortVerdict[] {
  nodes.forEach((node, i) => {
    const name = `node-${i}`;
    detector.describe(name, node.attributes, START);
    const restart = node.restartsAt ?? (node.changesTo === undefined ? -100 : ROLLOUT);
    let isDescribed = node.changesTo === undefined;
    for (let minute = 0; minute < (ROLLOUT + hours) * 60; minute += 20) {
      const hour = minute / 60;
      const at = START + minute * 60;
      if (!isDescribed && hour >= ROLLOUT) {
        detector.describe(name, node.changesTo ?? {}, at);
        isDescribed = true;
      }
      const born = hour >= restart ? restart : -100;
      const pods = node.pods?.(hour) ?? 30;
      const warm = 1 - 0.4 * Math.exp(-(hour - born) / 0.7);
      const grown = hour >= ROLLOUT ? (node.heap?.(hour - ROLLOUT) ?? 0) : 0;
      detector.observe(name, at, {
        go_gc_heap_live_bytes: 80 * MIB * warm + grown + wave(i, hour) * MIB + 0.3 * MIB * (pods - 30),
        kubelet_running_pods: pods,
        process_start_time_seconds: START + born * 3600,
        process_cpu_seconds_total: (hour - born) * 100,
      });
    }
  });
  return detector.evaluateCohorts(START + (ROLLOUT + hours) * 3600);
}

const OLD = { version: 'v1.35.7', kernel: '6.8.0-45' };

function fleet(size: number, of: (i: number) => Partial<Node>): Node[] {
  return Array.from({ length: size }, (_, i) => ({ attributes: { ...OLD, zone: 'abc'[i % 3] }, ...of(i) }));
}

const leakOf = (perHour: number) => (sinceHours: number) => perHour * MIB * sinceHours;

function heapOf(verdicts: readonly CohortVerdict[], attribute: string, value: string): CohortVerdict {
  const found = verdicts.find(
    one => one.attribute === attribute && one.value === value && one.resource === 'live heap',
  );
  assert.ok(found !== undefined, `${attribute} ${value}`);
  return found;
}

const blamed = (verdicts: readonly CohortVerdict[]): string[] =>
  verdicts.filter(({ verdict }) => verdict === 'leak').map(({ attribute, value }) => `${attribute} ${value}`);

describe('cohort verdicts', () => {
  it('prove a version that leaks on every canary within 12 hours, and blame nothing else', () => {
    const nodes = fleet(40, i =>
      i < 10 ? { changesTo: { version: 'v1.36.0' }, heap: leakOf(2.4 + 0.2 * Math.sin(i)) } : {},
    );
    const verdicts = cohortsAt(nodes, 12);
    assert.deepEqual(blamed(verdicts), ['version v1.36.0']);
    const version = heapOf(verdicts, 'version', 'v1.36.0');
    assert.equal(version.leaking.length, 10);
    assert.equal(version.controls, 30);
    assert.equal(version.controlsLeaking, 0);
    assert.deepEqual(version.against, []);
    assert.equal(version.sinceSeconds, START + ROLLOUT * 3600);
    const [low, middle, high] = version.ratePerHour;
    assert.ok(low < middle && middle < high && Math.abs(middle / MIB - 2.44) < 0.2, version.sentence);
    assert.match(
      version.sentence,
      /^version v1\.36\.0: live heap grows 2\.\d+ MiB\/h \(.*\) on 10 of 10 targets with it, and on 0 of 30 without it$/,
    );
    assert.ok(version.chance < 1e-4);
    const [onset] = version.onset;
    assert.match(
      onset.sentence,
      /^began within \d+m of the change to version v1\.36\.0 on (?:9|10) of (?:9|10) targets; no other target/,
    );
    assert.ok(version.hoursForOne >= 8 && version.hoursForOne < 40, `${version.hoursForOne}`);
    assert.notEqual(heapOf(verdicts, 'version', 'v1.35.7').verdict, 'leak');
  });

  it('do not blame an upgrade whose warm-up is longer and whose level is higher', () => {
    const settle = (sinceHours: number): number => 12 * MIB + 20 * MIB * (1 - Math.exp(-sinceHours / 6));
    const nodes = fleet(40, i => (i < 10 ? { changesTo: { version: 'v1.36.0' }, heap: settle } : {}));
    for (const hours of [8, 12, 18, 30]) assert.deepEqual(blamed(cohortsAt(nodes, hours)), [], `after ${hours} h`);
  });

  it('say that two attributes which changed together cannot be told apart', () => {
    const changesTo = { version: 'v1.36.0', kernel: '6.8.0-51' };
    const verdicts = cohortsAt(
      fleet(40, i => (i < 10 ? { changesTo, heap: leakOf(2.4) } : {})),
      16,
    );
    assert.deepEqual(blamed(verdicts), ['version v1.36.0']);
    const [alias] = heapOf(verdicts, 'version', 'v1.36.0').alternatives;
    assert.equal(alias.relation, 'alias');
    assert.match(
      alias.sentence,
      /^version v1\.36\.0 and kernel 6\.8\.0-51 go together on all 10 targets: they cannot be told apart/,
    );
    assert.equal(heapOf(verdicts, 'kernel', '6.8.0-51').verdict, 'unknown');
  });

  it('name the feature gate, not the hash of the configuration that it changes', () => {
    const changesTo = { config: '5f3e9a', 'gate/WatchListClient': 'true' };
    const nodes = fleet(40, i => ({
      attributes: { ...OLD, config: 'd41d8c', 'gate/WatchListClient': 'false' },
      ...(i < 10 ? { changesTo, heap: leakOf(2.4) } : {}),
    }));
    const verdicts = cohortsAt(nodes, 16);
    assert.deepEqual(blamed(verdicts), ['gate/WatchListClient true']);
    const { alternatives } = heapOf(verdicts, 'gate/WatchListClient', 'true');
    assert.deepEqual(
      alternatives.map(({ attribute, relation }) => [attribute, relation]),
      [['config', 'alias']],
    );
  });

  it('name the attribute that separates, not the pool that holds most of the canaries', () => {
    const nodes = fleet(40, i => ({
      attributes: { ...OLD, pool: i < 14 ? 'a' : 'b' },
      ...(i < 10 ? { changesTo: { version: 'v1.36.0' }, heap: leakOf(2.4) } : {}),
    }));
    const verdicts = cohortsAt(nodes, 30);
    assert.deepEqual(blamed(verdicts), ['version v1.36.0']);
    assert.equal(heapOf(verdicts, 'pool', 'a').alternatives[0]?.relation ?? 'explained', 'explained');
  });

  it('name members that do not leak, with what they have different', () => {
    const nodes = fleet(40, i => ({
      attributes: { ...OLD, runtime: i === 3 || i === 7 ? 'cri-o' : 'containerd' },
      ...(i < 10 ? { changesTo: { version: 'v1.36.0' }, heap: i === 3 || i === 7 ? () => 0 : leakOf(2.4) } : {}),
    }));
    const version = heapOf(cohortsAt(nodes, 20), 'version', 'v1.36.0');
    assert.equal(version.leaking.length, 8);
    assert.deepEqual(
      version.against.map(({ target, differs }) => [target, ...differs]),
      [
        ['node-3', 'runtime cri-o, not containerd'],
        ['node-7', 'runtime cri-o, not containerd'],
      ],
    );
  });

  it('give the rate since it began, where a pool began to grow within the hours compared', () => {
    const nodes = fleet(40, i => ({
      attributes: { ...OLD, pool: i < 12 ? 'a' : 'b' },
      heap: i < 12 ? leakOf(2.4) : () => 0,
    }));
    const pool = heapOf(cohortsAt(nodes, 10), 'pool', 'a');
    assert.equal(pool.verdict, 'leak');
    const [low, middle, high] = pool.ratePerHour;
    assert.ok(low < 2.4 * MIB && high > 2.4 * MIB && Math.abs(middle / MIB - 2.4) < 0.3, pool.sentence);
    assert.ok(pool.windowHours >= 24, `${pool.windowHours}`);
    const beganHours = ((pool.growsSinceSeconds ?? NaN) - START) / 3600;
    assert.ok(Math.abs(beganHours - ROLLOUT) <= 2, `${beganHours}`);
    assert.match(pool.sentence, /MiB\) since 2026-09-2\dT\d\d:00Z on 12 of 12 targets/);
  });

  it('do not blame a version when the whole fleet grows', () => {
    const nodes = fleet(40, i => ({
      heap: leakOf(i < 10 ? 2.4 : 1.6),
      ...(i < 10 ? { changesTo: { version: 'v1.36.0' } } : {}),
    }));
    const verdicts = cohortsAt(nodes, 24);
    assert.deepEqual(blamed(verdicts), []);
    const version = heapOf(verdicts, 'version', 'v1.36.0');
    assert.deepEqual(
      version.vetoes.map(({ kind }) => kind),
      ['controls grow'],
    );
    assert.match(version.sentence, /; but the targets without version v1\.36\.0 grow as well/);
  });

  it('do not blame a version when pods moved to its targets', () => {
    const nodes = fleet(40, i => ({
      pods: hour => (hour < ROLLOUT ? 30 : i < 10 ? 30 + 2 * (hour - ROLLOUT) : 30 - 0.6 * (hour - ROLLOUT)),
      ...(i < 10 ? { changesTo: { version: 'v1.36.0' } } : {}),
    }));
    assert.deepEqual(blamed(cohortsAt(nodes, 20)), []);
  });

  it('do not blame a change for what grew before it', () => {
    const leak = (hour: number): number => 1.5 * MIB * hour;
    const nodes = fleet(40, i => (i < 10 ? { changesTo: { label: 'x' }, restartsAt: -100, heap: leak } : {})).map(
      (node, i) => ({ ...node, attributes: { ...node.attributes, label: 'y' }, isOld: i < 10 }),
    );
    const detector = createFleetDetector();
    nodes.forEach((node, i) => {
      const name = `node-${i}`;
      detector.describe(name, node.attributes, START);
      for (let hour = 0; hour < 84; hour += 0.5) {
        if (hour === ROLLOUT && node.isOld) detector.describe(name, { label: 'x' }, START + hour * 3600);
        detector.observe(name, START + hour * 3600, {
          go_gc_heap_live_bytes: (80 + wave(i, hour)) * MIB + (node.isOld ? leak(hour) : 0),
          process_start_time_seconds: START - 1e6,
          process_cpu_seconds_total: hour,
        });
      }
    });
    const label = heapOf(detector.evaluateCohorts(START + 84 * 3600), 'label', 'x');
    assert.equal(label.verdict, 'watch');
    assert.ok(
      label.vetoes.some(({ kind }) => kind === 'grew before'),
      label.sentence,
    );
  });

  it('say how little so few targets can prove', () => {
    const nodes = fleet(6, i => (i < 3 ? { changesTo: { version: 'v1.36.0' }, heap: leakOf(2.4) } : {}));
    const version = heapOf(cohortsAt(nodes, 24), 'version', 'v1.36.0');
    assert.equal(version.verdict, 'unknown');
    assert.ok(Math.abs(version.leastChance - 0.05) < 1e-9);
    assert.equal(version.leaking.length, 3, 'who to look at');
    assert.match(
      version.sentence,
      /live heap grows 2\.\d+ MiB\/h more than elsewhere, on 3 of 3 targets with it and 0 of 3 without it; too few to prove it by numbers: it takes 6 more with it and 6 more without it$/,
    );
  });

  it('are healthy for a version that grows as others do, after a day', () => {
    const nodes = fleet(40, i => (i < 10 ? { changesTo: { version: 'v1.36.0' } } : {}));
    const verdicts = cohortsAt(nodes, 44);
    assert.deepEqual(
      verdicts.filter(({ verdict }) => verdict === 'leak' || verdict === 'watch'),
      [],
    );
    assert.equal(heapOf(verdicts, 'version', 'v1.36.0').verdict, 'healthy');
  });

  it('blame a version whose targets were proved one by one, before there are hours to compare', () => {
    const detector = createFleetDetector();
    for (let i = 0; i < 40; i++) {
      const name = `node-${i}`;
      detector.describe(name, OLD, START);
      for (let minute = 0; minute < 300; minute += 5) {
        if (minute === 240 && i < 6) detector.describe(name, { version: 'v1.36.0' }, START + minute * 60);
        detector.observe(name, START + minute * 60, { go_goroutines: 300 + (i % 7) });
      }
    }
    const verdicts = detector.evaluateCohorts(
      START + 5 * 3600,
      (target, resource) => resource === 'goroutines' && Number(target.slice(5)) < 6,
    );
    assert.deepEqual(blamed(verdicts), ['version v1.36.0']);
    assert.equal(
      verdicts[0].sentence,
      'version v1.36.0: goroutines leak on 6 of 6 targets with it, each proved by itself, and on 0 of 34 without it',
    );
    assert.deepEqual(blamed(detector.evaluateCohorts(START + 5 * 3600)), []);
  });

  it('compare like with like', () => {
    const nodes = fleet(40, i => (i < 10 ? { changesTo: { version: 'v1.36.0' }, heap: leakOf(2.4) } : {}));
    const detector = createFleetDetector();
    // Another program of the same version, without pods, does not speak against the kubelets.
    for (let i = 0; i < 8; i++) {
      detector.describe(`apiserver-${i}`, { version: 'v1.36.0' }, START);
      for (let hour = 0; hour < 60; hour += 0.5)
        detector.observe(`apiserver-${i}`, START + hour * 3600, { go_gc_heap_live_bytes: 9e8 + wave(i, hour) * MIB });
    }
    const verdicts = cohortsAt(nodes, 12, detector);
    const versions = verdicts.filter(
      one => one.attribute === 'version' && one.value === 'v1.36.0' && one.resource === 'live heap',
    );
    assert.deepEqual(
      versions.map(({ verdict, targets, controls }) => [verdict, targets, controls]),
      [['leak', 10, 30]],
    );
  });

  it('are none without attributes', () => {
    const detector = createFleetDetector();
    detector.observe('a', START, { go_goroutines: 5 });
    assert.deepEqual(detector.evaluateCohorts(START + 3600), []);
  });

  it('say in how many clusters a version leaks, of those that have it', () => {
    const nodes = fleet(64, i => {
      const cluster = `cluster-${i % 8}`;
      const attributes = { ...OLD, cluster };
      // One cluster has no canaries.
      return i < 16 && i % 8 !== 7
        ? { attributes, changesTo: { version: 'v1.36.0' }, heap: leakOf(2.4 + 0.2 * Math.sin(i)) }
        : { attributes };
    });
    const verdicts = cohortsAt(nodes, 12);
    assert.deepEqual(blamed(verdicts), ['version v1.36.0']);
    const found = heapOf(verdicts, 'version', 'v1.36.0');
    assert.equal(found.clusters?.withIt, 7);
    assert.equal(found.clusters.leaking.length, 7);
    assert.match(
      found.sentence,
      /on 14 of 14 targets with it, in 7 of 7 clusters that have it, and on 0 of \d+ without/,
    );
    assert.equal(heapOf(verdicts, 'cluster', 'cluster-0').clusters, undefined);
  });

  it('have the cluster in which it does not leak as counter-examples', () => {
    const nodes = fleet(64, i => {
      const attributes = { ...OLD, cluster: `cluster-${i % 4}` };
      if (i >= 32) return { attributes };
      return { attributes, changesTo: { version: 'v1.36.0' }, ...(i % 4 === 3 ? {} : { heap: leakOf(2.4) }) };
    });
    const found = heapOf(cohortsAt(nodes, 24), 'version', 'v1.36.0');
    assert.equal(found.verdict, 'leak');
    assert.deepEqual(found.clusters, { leaking: ['cluster-0', 'cluster-1', 'cluster-2'], withIt: 4 });
    assert.match(found.sentence, /on 24 of 32 targets with it, in 3 of 4 clusters that have it/);
    assert.deepEqual(
      found.against.map(({ target }) => target),
      [3, 7, 11, 15, 19, 23, 27, 31].map(i => `node-${i}`),
    );
  });

  it('blame the cluster, not the version, if the version leaks in one of two that have it', () => {
    const nodes = fleet(64, i => {
      const attributes = { ...OLD, cluster: `cluster-${i % 4}` };
      if (i % 4 > 1) return { attributes };
      return { attributes, changesTo: { version: 'v1.36.0' }, ...(i % 4 === 0 ? { heap: leakOf(2.4) } : {}) };
    });
    const verdicts = cohortsAt(nodes, 24);
    assert.deepEqual(blamed(verdicts), ['cluster cluster-0']);
    assert.notEqual(heapOf(verdicts, 'version', 'v1.36.0').verdict, 'leak');
  });
});
