import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { arbitraryProfile } from '../../../test/fuzz/arbitrary-profile.ts';
import type { Profile } from '../../model/profile.ts';
import { ProfileBuilder } from '../../model/profile-builder.ts';
import { DEFAULT_CONFIG, type PprofConfig, type ReportName } from '../config.ts';
import type { ReportContext } from '../report-context.ts';
import { computeTotal } from '../total.ts';
import { aggregate } from '../transform/aggregate.ts';
import { trimmedGraph } from './trimmed-graph.ts';

const GRANULARITIES = ['functions', 'filefunctions', 'files', 'lines', 'addresses'] as const;
const UNTRIMMED = { nodecount: 0, nodefraction: 0, edgefraction: 0 };

function contextOf(source: Profile, report: ReportName, overrides: Partial<PprofConfig>): ReportContext {
  const config = { ...DEFAULT_CONFIG, ...overrides };
  const profile = aggregate(source, { granularity: config.granularity, inlines: !config.noinlines, columns: false });
  const weights = { value: profile.samples.values[0], divisor: undefined };
  return {
    report,
    profile,
    config,
    weights,
    total: computeTotal(profile, weights),
    sampleType: 'x',
    sampleUnit: 'count',
    labelUnits: new Map(),
    symbol: undefined,
  };
}

const sumOf = (values: Iterable<number | bigint>): bigint => {
  let sum = 0n;
  for (const value of values) sum += BigInt(value);
  return sum;
};

/** The values of samples that have a stack: a graph has no place for the others. */
const stackedValues = ({ samples }: Profile): bigint[] =>
  Array.from({ length: samples.length }, (_, s) =>
    samples.stackStart[s] === samples.stackStart[s + 1] ? 0n : BigInt(samples.values[0][s]),
  );

const positive = arbitraryProfile({ value: fc.bigInt({ min: 0n, max: 2n ** 40n }) });
const any = arbitraryProfile({ value: fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }) });
const granularity = fc.constantFrom(...GRANULARITIES);

describe('the graph of any profile', () => {
  it('has all of the values in its leaves, at every granularity', () => {
    fc.assert(
      fc.property(any, granularity, fc.boolean(), (profile, granularity, noinlines) => {
        const { nodes } = trimmedGraph(contextOf(profile, 'tree', { ...UNTRIMMED, granularity, noinlines }));
        assert.equal(sumOf(nodes.map(node => node.flat)), sumOf(stackedValues(profile)));
      }),
      { numRuns: 300 },
    );
  });

  it('has as much in the leaves of its call tree', () => {
    fc.assert(
      fc.property(any, granularity, (profile, granularity) => {
        const { nodes } = trimmedGraph(contextOf(profile, 'callgrind', { ...UNTRIMMED, granularity, call_tree: true }));
        assert.equal(sumOf(nodes.map(node => node.flat)), sumOf(stackedValues(profile)));
        for (const node of nodes) assert.ok(node.in.size <= 1);
      }),
    );
  });

  it('has cum at flat or above where no value is negative, and below the total', () => {
    fc.assert(
      fc.property(positive, granularity, (profile, granularity) => {
        const context = contextOf(profile, 'tree', { ...UNTRIMMED, granularity });
        for (const { flat, cum } of trimmedGraph(context).nodes) {
          assert.ok(cum >= flat && flat >= 0n && cum <= context.total);
        }
      }),
    );
  });

  it('brings into a node of a tree what it is worth, but for roots', () => {
    fc.assert(
      fc.property(positive, profile => {
        const { nodes } = trimmedGraph(
          contextOf(profile, 'callgrind', { ...UNTRIMMED, granularity: 'lines', call_tree: true }),
        );
        for (const node of nodes) {
          const into = sumOf([...node.in.values()].map(edge => edge.weight));
          const outOf = sumOf([...node.out.values()].map(edge => edge.weight));
          if (node.in.size > 0) assert.equal(into, node.cum);
          assert.equal(outOf, node.cum - node.flat);
        }
      }),
    );
  });

  it('has edges that are the same from both ends, and none to itself', () => {
    fc.assert(
      fc.property(positive, granularity, (profile, granularity) => {
        const { nodes } = trimmedGraph(contextOf(profile, 'tree', { ...UNTRIMMED, granularity }));
        for (const node of nodes) {
          for (const [source, edge] of node.in) {
            assert.equal(source.out.get(node), edge);
            assert.notEqual(source, node);
            assert.ok(edge.weight <= node.cum && edge.weight <= source.cum);
          }
        }
      }),
    );
  });

  it('keeps the values of the nodes that trimming leaves', () => {
    fc.assert(
      fc.property(
        any,
        granularity,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(0, 0.05, 0.3),
        (profile, granularity, nodecount, nodefraction) => {
          const whole = trimmedGraph(contextOf(profile, 'tree', { ...UNTRIMMED, granularity }));
          const values = new Map(whole.nodes.map(node => [JSON.stringify(node.info, text), [node.flat, node.cum]]));
          for (const report of ['text', 'tree', 'dot'] as const) {
            const trimmed = trimmedGraph(
              contextOf(profile, report, { granularity, nodecount, nodefraction, edgefraction: 0 }),
            );
            assert.ok(trimmed.nodes.length <= whole.nodes.length);
            if (report !== 'dot') assert.ok(trimmed.nodes.length <= nodecount);
            for (const node of trimmed.nodes) {
              assert.deepEqual([node.flat, node.cum], values.get(JSON.stringify(node.info, text)));
            }
          }
        },
      ),
    );
  });
});

const text = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

describe('edges', () => {
  function profileOf(stacks: readonly (readonly [stack: string, value: number])[]): Profile {
    const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
    for (const [stack, value] of stacks) {
      const locations = stack
        .split(';')
        .map(names => b.addLocation({ lines: names.split('+').map(name => ({ fn: b.internFunction(name, '') })) }));
      b.addSample(locations, [value]);
    }
    return b.finish();
  }
  const edges = (profile: Profile, overrides: Partial<PprofConfig>): string[] =>
    trimmedGraph(contextOf(profile, 'tree', { ...UNTRIMMED, ...overrides }))
      .nodes.flatMap(node => [...node.out.values()])
      .map(
        ({ source, target, weight, residual, inline }) =>
          `${source.name}>${target.name} ${weight}${residual ? ' residual' : ''}${inline ? ' inline' : ''}`,
      )
      .sort();

  it('count once per sample, however often a stack goes along them', () => {
    assert.deepEqual(edges(profileOf([['a;b;a;b;main', 5]]), {}), ['a>b 5', 'b>a 5', 'main>b 5']);
    assert.deepEqual(edges(profileOf([['f;f;f;main', 5]]), {}), ['main>f 5']);
  });

  it('are inline only where every call is', () => {
    assert.deepEqual(edges(profileOf([['in+out;main', 1]]), {}), ['main>out 1', 'out>in 1 inline']);
    assert.deepEqual(
      edges(
        profileOf([
          ['in+out;main', 1],
          ['in;out;main', 2],
        ]),
        {},
      ),
      ['main>out 3', 'out>in 3'],
    );
  });

  it('go over what was left out as residual', () => {
    const profile = profileOf([
      ['leaf;thin;main', 100],
      ['other;main', 100],
      ['leaf;main', 100],
    ]);
    assert.deepEqual(edges(profile, { nodefraction: 0.5 }), ['main>leaf 200 residual']);
  });
});

it('deep recursion takes linear time', () => {
  const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
  const locations = Array.from({ length: 1000 }, (_, i) =>
    b.addLocation({ lines: [{ fn: b.internFunction(`f${i}`, '') }] }),
  );
  b.addSample(
    Array.from({ length: 1_000_000 }, (_, i) => locations[(i * 7) % 1000]),
    [1],
  );
  const profile = b.finish();
  const started = process.cpuUsage();
  for (const report of ['text', 'tree', 'dot'] as const) trimmedGraph(contextOf(profile, report, {}));
  assert.ok(process.cpuUsage(started).user < 10_000_000);
});
