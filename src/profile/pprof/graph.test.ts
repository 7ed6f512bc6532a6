import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { arbitraryProfile } from '../../../test/fuzz/arbitrary-profile.ts';
import { ProfileBuilder } from '../profile-builder.ts';
import type { Profile } from '../profile.ts';
import { aggregate, type Granularity } from './transform/aggregate.ts';
import { type GraphOptions, trimmedGraph } from './trimmed-graph.ts';

const GRANULARITIES = ['functions', 'filefunctions', 'files', 'lines', 'addresses'] as const;
const UNTRIMMED = { nodeCount: 0, nodeFraction: 0, edgeFraction: 0 };

type Kind = 'top' | 'tree' | 'call tree' | 'drawing';

function optionsOf(source: Profile, kind: Kind, overrides: Overrides): GraphOptions {
  const { granularity = '', inlines = true, ...options } = overrides;
  const profile = aggregate(source, { granularity, inlines, columns: false });
  return {
    profile,
    weights: { value: profile.samples.values[0], divisor: undefined },
    drawing: kind === 'drawing',
    callTree: kind === 'call tree',
    edges: kind === 'top' ? 'inlined' : 'all',
    objectNames: false,
    sort: 'flat',
    nodeCount: 80,
    nodeFraction: 0.005,
    edgeFraction: 0.001,
    dropNegative: false,
    labelUnits: new Map(),
    outputUnit: 'minimum',
    ...options,
  };
}

interface Overrides extends Partial<GraphOptions> {
  readonly granularity?: Granularity;
  readonly inlines?: boolean;
}

const sumOf = (values: Iterable<number | bigint>): bigint => {
  let sum = 0n;
  for (const value of values) sum += BigInt(value);
  return sum;
};

/** The values of samples with a stack; a graph does not show the others. */
const stackedValues = ({ samples }: Profile): bigint[] =>
  Array.from({ length: samples.length }, (_, s) =>
    samples.stackStart[s] === samples.stackStart[s + 1] ? 0n : BigInt(samples.values[0][s]),
  );

const positive = arbitraryProfile({ value: fc.bigInt({ min: 0n, max: 2n ** 40n }) });
const any = arbitraryProfile({ value: fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }) });
const granularity = fc.constantFrom(...GRANULARITIES);

describe('the graph of any profile', () => {
  it('has all values in its leaves, at every granularity', () => {
    fc.assert(
      fc.property(any, granularity, fc.boolean(), (profile, granularity, inlines) => {
        const { nodes } = trimmedGraph(optionsOf(profile, 'tree', { ...UNTRIMMED, granularity, inlines }));
        assert.equal(sumOf(nodes.map(node => node.flat)), sumOf(stackedValues(profile)));
      }),
      { numRuns: 300 },
    );
  });

  it('has the same sum in the leaves of its call tree', () => {
    fc.assert(
      fc.property(any, granularity, (profile, granularity) => {
        const { nodes } = trimmedGraph(optionsOf(profile, 'call tree', { ...UNTRIMMED, granularity }));
        assert.equal(sumOf(nodes.map(node => node.flat)), sumOf(stackedValues(profile)));
        for (const node of nodes) assert.ok(node.in.size <= 1);
      }),
    );
  });

  it('has cum between flat and the total if no value is negative', () => {
    fc.assert(
      fc.property(positive, granularity, (profile, granularity) => {
        const options = optionsOf(profile, 'tree', { ...UNTRIMMED, granularity });
        const total = sumOf(options.weights.value);
        for (const { flat, cum } of trimmedGraph(options).nodes) {
          assert.ok(cum >= flat && flat >= 0n && cum <= total);
        }
      }),
    );
  });

  it('has incoming edges that add up to the cum of each tree node, except for roots', () => {
    fc.assert(
      fc.property(positive, profile => {
        const { nodes } = trimmedGraph(optionsOf(profile, 'call tree', { ...UNTRIMMED, granularity: 'lines' }));
        for (const node of nodes) {
          const into = sumOf([...node.in.values()].map(edge => edge.weight));
          const outOf = sumOf([...node.out.values()].map(edge => edge.weight));
          if (node.in.size > 0) assert.equal(into, node.cum);
          assert.equal(outOf, node.cum - node.flat);
        }
      }),
    );
  });

  it('has edges that look the same from both ends, and none from a node to itself', () => {
    fc.assert(
      fc.property(positive, granularity, (profile, granularity) => {
        const { nodes } = trimmedGraph(optionsOf(profile, 'tree', { ...UNTRIMMED, granularity }));
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

  it('keeps the values of the nodes that survive trimming', () => {
    fc.assert(
      fc.property(
        any,
        granularity,
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(0, 0.05, 0.3),
        (profile, granularity, nodeCount, nodeFraction) => {
          const whole = trimmedGraph(optionsOf(profile, 'tree', { ...UNTRIMMED, granularity }));
          const values = new Map(whole.nodes.map(node => [JSON.stringify(node.info, text), [node.flat, node.cum]]));
          for (const kind of ['top', 'tree', 'drawing'] as const) {
            const trimmed = trimmedGraph(
              optionsOf(profile, kind, { granularity, nodeCount, nodeFraction, edgeFraction: 0 }),
            );
            assert.ok(trimmed.nodes.length <= whole.nodes.length);
            if (kind !== 'drawing') assert.ok(trimmed.nodes.length <= nodeCount);
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
  const edges = (profile: Profile, overrides: Overrides): string[] =>
    trimmedGraph(optionsOf(profile, 'tree', { ...UNTRIMMED, ...overrides }))
      .nodes.flatMap(node => [...node.out.values()])
      .map(
        ({ source, target, weight, residual, inline }) =>
          `${source.name}>${target.name} ${weight}${residual ? ' residual' : ''}${inline ? ' inline' : ''}`,
      )
      .sort();

  it('count once per sample, however often a stack takes them', () => {
    assert.deepEqual(edges(profileOf([['a;b;a;b;main', 5]]), {}), ['a>b 5', 'b>a 5', 'main>b 5']);
    assert.deepEqual(edges(profileOf([['f;f;f;main', 5]]), {}), ['main>f 5']);
  });

  it('are inline only if every call is', () => {
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

  it('are residual if they skip nodes', () => {
    const profile = profileOf([
      ['leaf;thin;main', 100],
      ['other;main', 100],
      ['leaf;main', 100],
    ]);
    assert.deepEqual(edges(profile, { nodeFraction: 0.5 }), ['main>leaf 200 residual']);
  });
});

// A quadratic walk would take hours here.
it('handles a stack of a million frames in linear time', () => {
  const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
  const locations = Array.from({ length: 1000 }, (_, i) =>
    b.addLocation({ lines: [{ fn: b.internFunction(`f${i}`, '') }] }),
  );
  b.addSample(
    Array.from({ length: 1_000_000 }, (_, i) => locations[(i * 7) % 1000]),
    [1],
  );
  const profile = b.finish();
  for (const kind of ['top', 'tree', 'drawing'] as const) {
    const { nodes } = trimmedGraph(optionsOf(profile, kind, { ...UNTRIMMED }));
    assert.equal(nodes.length, 1000);
  }
});
