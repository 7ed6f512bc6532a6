/** Coordinates for the layers of a call graph: nodes near what they are connected with, none on another. */
import { layersOf, neighbours, type LayerEdge, type Neighbour } from './layers.ts';

export interface NodeSize {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Coordinates of centres, in pixels. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Point[];
  /** By node: its layer, and its place in it. */
  readonly cells: readonly { readonly layer: number; readonly at: number }[];
  /** By edge: from the lower border of its source to the upper border of its target. */
  readonly edges: readonly (readonly Point[])[];
}

const GAP_X = 18;
const GAP_Y = 46;
const LANE = 10;
const PASSES = 8;

export function drawGraph(sizes: readonly NodeSize[], edges: readonly LayerEdge[]): Drawing {
  const { places, order, links, paths } = layersOf(sizes.length, edges);
  const widthOf = (place: number): number => sizes[places[place].node]?.width ?? LANE;
  const heightOf = (place: number): number => sizes[places[place].node]?.height ?? 0;
  const x = new Float64Array(places.length);
  for (const layer of order) {
    let left = 0;
    for (const place of layer) {
      x[place] = left + widthOf(place) / 2;
      left += widthOf(place) + GAP_X;
    }
  }
  const above = neighbours(places.length, links, 'lower');
  const below = neighbours(places.length, links, 'upper');
  for (let pass = 0; pass < PASSES; pass++) {
    const isDown = pass % 2 === 0;
    for (const layer of isDown ? order : order.toReversed()) settle(layer, x, isDown ? above : below, widthOf);
  }
  const left = Math.min(0, ...places.map((_, place) => x[place] - widthOf(place) / 2));
  for (let place = 0; place < x.length; place++) x[place] -= left;

  const tops: number[] = [];
  let height = 0;
  for (const layer of order) {
    tops.push(height);
    height += Math.max(...layer.map(heightOf)) + GAP_Y;
  }
  const layerHeights = order.map(layer => Math.max(...layer.map(heightOf)));
  const centre = (place: number): Point => ({
    x: x[place],
    y: tops[places[place].layer] + layerHeights[places[place].layer] / 2,
  });
  const cells: { layer: number; at: number }[] = [];
  order.forEach((layer, i) =>
    layer
      .filter(place => places[place].node >= 0)
      .forEach((place, at) => void (cells[places[place].node] = { layer: i, at })),
  );
  return {
    width: Math.max(1, ...places.map((_, place) => x[place] + widthOf(place) / 2)),
    height: Math.max(1, height - GAP_Y),
    nodes: sizes.map((_, node) => centre(node)),
    cells,
    edges: paths.map(path => path.map((place, i) => borderPoint(path, i, place))),
  };

  function borderPoint(path: readonly number[], i: number, place: number): Point {
    const point = centre(place);
    const isEnd = i === 0 || i === path.length - 1;
    if (!isEnd) return point;
    const other = centre(path[i === 0 ? 1 : path.length - 2]);
    return { x: point.x, y: point.y + (other.y > point.y ? 1 : -1) * (heightOf(place) / 2) };
  }
}

/**
 * Moves the places of a layer to the mean of their neighbours, as far as their order and their widths allow: the least
 * squares solution, by merging neighbours that would overlap into blocks.
 */
function settle(
  layer: readonly number[],
  x: Float64Array,
  neighboursOf: readonly (readonly Neighbour[])[],
  widthOf: (place: number) => number,
): void {
  const blocks: { sum: number; weight: number; count: number }[] = [];
  /** Where each place would be if all were packed from 0. */
  const packed: number[] = [];
  let edge = 0;
  for (const place of layer) {
    packed.push(edge + widthOf(place) / 2);
    edge += widthOf(place) + GAP_X;
  }
  layer.forEach((place, i) => {
    const list = neighboursOf[place];
    const total = list.reduce((sum, { weight }) => sum + weight, 0);
    const wanted =
      total > 0 ? list.reduce((sum, { place: other, weight }) => sum + x[other] * weight, 0) / total : x[place];
    // A place without neighbours follows the others.
    const weight = total > 0 ? 1 : 0.1;
    blocks.push({ sum: (wanted - packed[i]) * weight, weight, count: 1 });
    while (blocks.length > 1) {
      const [a, b] = [blocks[blocks.length - 2], blocks[blocks.length - 1]];
      if (a.sum / a.weight <= b.sum / b.weight) break;
      blocks.splice(-2, 2, { sum: a.sum + b.sum, weight: a.weight + b.weight, count: a.count + b.count });
    }
  });
  let at = 0;
  for (const { sum, weight, count } of blocks) {
    for (let i = 0; i < count; i++, at++) x[layer[at]] = packed[at] + sum / weight;
  }
}

/** A smooth line through points, vertical at its ends, as the `d` of an SVG path. */
export function pathText(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  let text = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
  let from = first;
  for (const to of rest) {
    const middle = (from.y + to.y) / 2;
    text += `C${from.x.toFixed(1)} ${middle.toFixed(1)} ${to.x.toFixed(1)} ${middle.toFixed(1)} ${to.x.toFixed(1)} ${to.y.toFixed(1)}`;
    from = to;
  }
  return text;
}
