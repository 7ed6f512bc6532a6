/**
 * The call graph: functions as boxes, calls as lines, drawn from the nodes and edges of pprof's -dot report. A drag
 * pans; Ctrl+wheel and + - 0 zoom; the arrow keys follow calls. The tables show the same for screen readers.
 */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import type { GraphView } from '../reader/report-views.ts';
import { shortSymbol } from '../widgets/short-names.ts';
import { shareText, valueText } from '../widgets/value-text.ts';
import { ContextMenu, type MenuEntry, type OpenMenu } from '../widgets/context-menu.tsx';
import { drawGraph, type Drawing, type NodeSize, pathText, type Point } from './place-nodes.ts';
import { type GraphViewControl, useGraphView } from './use-graph-view.ts';

type GraphEdge = GraphView['edges'][number];

interface NodeColours {
  readonly fill: string;
  readonly ink: string;
}

export interface CallGraphProps {
  readonly graph: GraphView;
  readonly unit: string;
  /** The colours of a node's box and text. */
  readonly colourOf: (node: GraphView['nodes'][number]) => NodeColours;
  /** The name of the selected function; '' for none. */
  readonly selected: string;
  readonly onSelect: (name: string) => void;
  readonly menu: (name: string) => readonly MenuEntry[];
}

export function CallGraph({ graph, unit, colourOf, selected, onSelect, menu }: CallGraphProps) {
  const svg = useRef<SVGSVGElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const keysId = useId();
  const [openMenu, setOpenMenu] = useState<OpenMenu | undefined>(undefined);
  const boxes = useMemo(() => nodeBoxes(graph, unit), [graph, unit]);
  const drawing = useMemo(() => drawGraph(boxes, graph.edges.map(weighed)), [boxes, graph]);
  const view = useGraphView(svg, drawing);
  const chosen = graph.nodes.findIndex(({ name }) => name === selected);
  useEffect(() => {
    const point = drawing.nodes[chosen];
    if (point !== undefined) view.reveal(point);
  }, [chosen, drawing]);

  const showMenu = (node: number, x: number, y: number): void => {
    const { name } = graph.nodes[node] ?? { name: '' };
    onSelect(name);
    setOpenMenu({ x, y, label: visible(name), entries: menu(name) });
  };
  const closeMenu = (): void => {
    setOpenMenu(undefined);
    box.current?.focus({ preventScroll: true });
  };
  const menuAt = (node: number): void => {
    const place = svg.current?.querySelector(`[data-node="${node}"]`)?.getBoundingClientRect();
    showMenu(node, place?.left ?? 0, place?.bottom ?? 0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) onSelect(graph.nodes[stepFrom(graph, drawing, chosen, event.key)]?.name ?? '');
    else if (event.key === '+' || event.key === '=') view.zoom(0.8);
    else if (event.key === '-') view.zoom(1.25);
    else if (event.key === '0') view.fit();
    else if (/^(?:m|ContextMenu|Enter)$/.test(event.key) && chosen >= 0) menuAt(chosen);
    else return;
    event.preventDefault();
  };
  if (graph.nodes.length === 0) return <p class="muted">No stack is left to draw.</p>;
  return (
    <div class="call-graph">
      <div
        ref={box}
        class="call-graph-box"
        role="application"
        aria-label="Call graph"
        aria-describedby={keysId}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <svg ref={svg} class="call-graph-svg" viewBox={view.viewBox} aria-hidden="true" {...view.handlers}>
          <Edges graph={graph} drawing={drawing} unit={unit} chosen={chosen} />
          {graph.nodes.map((node, i) => (
            <Node
              key={i}
              index={i}
              name={node.name}
              box={boxes[i]}
              at={drawing.nodes[i]}
              colours={colourOf(node)}
              isChosen={i === chosen}
              onClick={() => !view.wasDragged() && onSelect(node.name)}
              onMenu={(x, y) => showMenu(i, x, y)}
            />
          ))}
        </svg>
        <Tools view={view} />
      </div>
      <p id={keysId} class="flame-keys muted">
        Arrow keys follow calls, Enter opens the menu of a function, + and − zoom, 0 shows all. The tables show the
        same.
      </p>
      <p class="sr-only" aria-live="polite">
        {chosen < 0 ? '' : sentence(graph, chosen, unit)}
      </p>
      {openMenu !== undefined && <ContextMenu {...openMenu} onClose={closeMenu} />}
    </div>
  );
}

function weighed({ from, to, value }: GraphEdge): { from: number; to: number; weight: number } {
  return { from, to, weight: Math.abs(value) };
}

/** Up to the heaviest caller, down to the heaviest callee, or to the neighbour in the row. */
function stepFrom(graph: GraphView, drawing: Drawing, from: number, key: string): number {
  if (from < 0) return 0;
  const along = graph.edges
    .filter(edge => (key === 'ArrowUp' ? edge.to : edge.from) === from && edge.from !== edge.to)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))[0];
  if (key === 'ArrowUp') return along?.from ?? from;
  if (key === 'ArrowDown') return along?.to ?? from;
  const { layer, at } = drawing.cells[from] ?? { layer: 0, at: 0 };
  const neighbour = at + (key === 'ArrowLeft' ? -1 : 1);
  const next = drawing.cells.findIndex(cell => cell.layer === layer && cell.at === neighbour);
  return next < 0 ? from : next;
}

function ArrowHead({ id }: { readonly id: string }) {
  return (
    <defs>
      <marker
        id={id}
        viewBox="0 0 8 8"
        refX="7"
        refY="4"
        markerWidth="9"
        markerHeight="9"
        orient="auto"
        markerUnits="userSpaceOnUse"
      >
        <path d="M0 0L8 4L0 8z" class="call-graph-arrow" />
      </marker>
    </defs>
  );
}

interface EdgesProps {
  readonly graph: GraphView;
  readonly drawing: Drawing;
  readonly unit: string;
  readonly chosen: number;
}

function Edges({ graph: { edges }, drawing, unit, chosen }: EdgesProps) {
  const arrowId = useId();
  const heaviest = edges.reduce((max, { value }) => Math.max(max, Math.abs(value)), 0);
  return (
    <>
      <ArrowHead id={arrowId} />
      {edges.map((edge, i) => (
        <Edge
          key={i}
          edge={edge}
          points={drawing.edges[i] ?? []}
          share={heaviest === 0 ? 0 : Math.abs(edge.value) / heaviest}
          unit={unit}
          arrowId={arrowId}
          isNear={chosen === edge.from || chosen === edge.to}
        />
      ))}
    </>
  );
}

interface EdgeProps {
  readonly edge: GraphEdge;
  readonly points: readonly Point[];
  /** Of the heaviest edge. */
  readonly share: number;
  readonly unit: string;
  readonly arrowId: string;
  /** At the chosen node. */
  readonly isNear: boolean;
}

function Edge({ edge: { value, isResidual }, points, share, unit, arrowId, isNear }: EdgeProps) {
  if (points.length === 0) return null;
  const width = 1 + 4 * Math.sqrt(share);
  const middle = points[Math.floor((points.length - 1) / 2)] ?? { x: 0, y: 0 };
  const next = points[Math.floor((points.length - 1) / 2) + 1] ?? middle;
  return (
    <g class={isNear ? 'call-graph-near' : undefined}>
      <path
        class="call-graph-edge"
        d={pathText(points)}
        stroke-width={width.toFixed(1)}
        stroke-dasharray={isResidual ? '4 4' : undefined}
        marker-end={`url(#${arrowId})`}
      />
      <text class="call-graph-value" x={(middle.x + next.x) / 2 + 4} y={(middle.y + next.y) / 2 + 3}>
        {valueText(value, unit)}
      </text>
    </g>
  );
}

interface NodeProps {
  readonly index: number;
  readonly name: string;
  readonly box: NodeBox | undefined;
  /** Its middle. */
  readonly at: Point | undefined;
  readonly colours: NodeColours;
  readonly isChosen: boolean;
  readonly onClick: () => void;
  readonly onMenu: (x: number, y: number) => void;
}

function Node({ index, name, box, at, colours: { fill, ink }, isChosen, onClick, onMenu }: NodeProps) {
  const { x, y } = at ?? { x: 0, y: 0 };
  const { width, height, lines, fontSize } = box ?? { width: 0, height: 0, lines: [], fontSize: 10 };
  return (
    <g
      data-node={index}
      class={`call-graph-node${isChosen ? ' call-graph-chosen' : ''}`}
      transform={`translate(${(x - width / 2).toFixed(1)} ${(y - height / 2).toFixed(1)})`}
      onClick={onClick}
      onContextMenu={event => {
        event.preventDefault();
        onMenu(event.clientX, event.clientY);
      }}
    >
      <title>{visible(name)}</title>
      <rect width={width} height={height} rx="3" fill={fill} />
      {lines.map((line, row) => (
        <text key={row} x={width / 2} y={4 + fontSize * (1 + row * 1.3)} font-size={fontSize} fill={ink}>
          {line}
        </text>
      ))}
    </g>
  );
}

function Tools({ view }: { readonly view: GraphViewControl }) {
  return (
    <div class="call-graph-tools">
      <button type="button" onClick={() => view.zoom(0.8)} aria-label="Zoom in">
        +
      </button>
      <button type="button" onClick={() => view.zoom(1.25)} aria-label="Zoom out">
        −
      </button>
      <button type="button" onClick={view.fit}>
        Fit
      </button>
    </div>
  );
}

function sentence({ nodes, edges, total }: GraphView, node: number, unit: string): string {
  const { name, flat, cum } = nodes[node] ?? { name: '', flat: 0, cum: 0 };
  const callers = edges.filter(({ to }) => to === node).length;
  const callees = edges.filter(({ from }) => from === node).length;
  const share = shareText(cum, total);
  return `${visible(name)}: flat ${valueText(flat, unit)}, cum ${valueText(cum, unit)} (${share}), ${callers} callers, ${callees} callees`;
}

interface NodeValues {
  readonly name: string;
  readonly flat: number;
  readonly cum: number;
}

interface NodeBox extends NodeSize {
  readonly lines: readonly string[];
  readonly fontSize: number;
}

/** The width of a letter in a monospaced font, per pixel of its size. */
const CHARACTER = 0.61;
const LINE = 1.3;
const PADDING = 8;
const MAX_CHARACTERS = 34;

function nodeBoxes({ nodes, total }: GraphView, unit: string): NodeBox[] {
  const maxFlat = nodes.reduce((max, { flat }) => Math.max(max, Math.abs(flat)), 0);
  return nodes.map(node => nodeBox(node, maxFlat, total, unit));
}

/** The text and size of a node: its name in lines, its values, larger the more it holds itself. */
function nodeBox(node: NodeValues, maxFlat: number, total: number, unit: string): NodeBox {
  // From 10 to 20 pixels; the square root keeps small nodes readable.
  const share = maxFlat === 0 ? 0 : Math.abs(node.flat) / maxFlat;
  const fontSize = 10 + Math.round(10 * Math.sqrt(share));
  const lines = [...nameLines(node.name), ...valueLines(node, total, unit)];
  const longest = Math.max(...lines.map(({ length }) => length));
  return {
    lines,
    fontSize,
    width: Math.ceil(longest * fontSize * CHARACTER + 2 * PADDING),
    height: Math.ceil(lines.length * fontSize * LINE + PADDING),
  };
}

/** `kubelet`, `(*podWorkers)`, `startPodSync`: at its dots, as pprof does. */
function nameLines(name: string): string[] {
  const parts = shortSymbol(name).split(/\.(?=[^.\]]*(?:\[|$|\.|\())/);
  return parts.filter(part => part !== '').map(part => cut(part));
}

function cut(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`;
}

function valueLines({ flat, cum }: NodeValues, total: number, unit: string): string[] {
  const text = (value: number): string => `${valueText(value, unit)} (${shareText(value, total) || '0 %'})`;
  if (flat === cum) return [text(flat)];
  return flat === 0 ? [`0 of ${text(cum)}`] : [text(flat), `of ${text(cum)}`];
}
