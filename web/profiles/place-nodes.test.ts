import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { layersOf, type LayerEdge } from './layers.ts';
import { drawGraph, pathText } from './place-nodes.ts';

const edge = (from: number, to: number, weight = 1): LayerEdge => ({ from, to, weight });
const SIZE = { width: 80, height: 40 };

describe('layersOf', () => {
  it('puts callers above callees, and lets long edges pass between', () => {
    const { places, order, paths } = layersOf(4, [edge(0, 1), edge(1, 2), edge(0, 2), edge(3, 2)]);
    assert.deepEqual(
      places.slice(0, 4).map(({ layer }) => layer),
      [0, 1, 2, 1],
      'a root is right above what it calls',
    );
    assert.deepEqual(paths[2], [0, 4, 2]);
    assert.equal(order[1]?.length, 3);
  });

  it('draws a cycle with one edge upwards', () => {
    const { places, paths } = layersOf(3, [edge(0, 1), edge(1, 2), edge(2, 1), edge(1, 1)]);
    assert.deepEqual(
      places.slice(0, 3).map(({ layer }) => layer),
      [0, 1, 2],
    );
    assert.deepEqual(paths[2], [2, 1]);
    assert.deepEqual(paths[3], [], 'recursion is no line');
  });

  it('orders layers so that few edges cross', () => {
    // 0 calls 2, 1 calls 3; the nodes of the second layer come in the wrong order.
    const { order } = layersOf(4, [edge(0, 3), edge(1, 2)]);
    assert.deepEqual(order[1], order[0]?.[0] === 0 ? [3, 2] : [2, 3]);
  });
});

describe('drawGraph', () => {
  const graphs = fc.integer({ min: 1, max: 25 }).chain(count =>
    fc.record({
      sizes: fc.array(
        fc.record({ width: fc.integer({ min: 20, max: 200 }), height: fc.integer({ min: 20, max: 90 }) }),
        {
          minLength: count,
          maxLength: count,
        },
      ),
      edges: fc.array(
        fc
          .tuple(fc.nat(count - 1), fc.nat(count - 1), fc.integer({ min: 1, max: 100 }))
          .map(([from, to, weight]): LayerEdge => ({ from, to, weight })),
        { maxLength: 60 },
      ),
    }),
  );

  it('never puts a node on another, and keeps all inside', () => {
    fc.assert(
      fc.property(graphs, ({ sizes, edges }) => {
        const drawing = drawGraph(sizes, edges);
        drawing.nodes.forEach((a, i) => {
          const own = sizes[i]!;
          assert.ok(a.x - own.width / 2 >= -0.01 && a.x + own.width / 2 <= drawing.width + 0.01);
          assert.ok(a.y - own.height / 2 >= -0.01 && a.y + own.height / 2 <= drawing.height + 0.01);
          drawing.nodes.forEach((b, j) => {
            if (j <= i) return;
            const other = sizes[j]!;
            const apartX = Math.abs(a.x - b.x) >= (own.width + other.width) / 2 - 0.01;
            const apartY = Math.abs(a.y - b.y) >= (own.height + other.height) / 2 - 0.01;
            assert.ok(apartX || apartY, `${i} and ${j} overlap`);
          });
        });
      }),
    );
  });

  it('puts one callee under its caller', () => {
    const { nodes, edges } = drawGraph([SIZE, SIZE], [edge(0, 1)]);
    assert.equal(nodes[0]?.x, nodes[1]?.x);
    assert.equal(pathText(edges[0] ?? []), 'M40.0 40.0C40.0 63.0 40.0 63.0 40.0 86.0');
  });
});
