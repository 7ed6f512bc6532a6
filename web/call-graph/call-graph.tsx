/**
 * The call graph: functions as boxes, calls as lines, drawn from the nodes and edges of pprof's -dot report. A drag
 * pans; Ctrl+wheel and + - 0 zoom; the arrow keys follow calls. The tables show the same for screen readers.
 */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import type { GraphView } from '../reader/report-views.ts';
import { shareText, valueText } from '../text/value-text.ts';
import { ContextMenu, type MenuEntry, type OpenMenu } from '../widgets/context-menu.tsx';
import { nodeBox } from './node-box.ts';
import { drawGraph, pathText } from './place-nodes.ts';
import { useGraphView } from './use-graph-view.ts';

export interface CallGraphProps {
  readonly graph: GraphView;
  readonly unit: string;
  /** The colours of a node's box and text. */
  readonly colourOf: (node: GraphView['nodes'][number]) => { readonly fill: string; readonly ink: string };
  /** The name of the selected function; '' for none. */
  readonly selected: string;
  readonly onSelect: (name: string) => void;
  readonly menu: (name: string) => readonly MenuEntry[];
}

export function CallGraph({ graph, unit, colourOf, selected, onSelect, menu }: CallGraphProps) {
  const svg = useRef<SVGSVGElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const keysId = useId();
  const arrowId = useId();
  const [openMenu, setOpenMenu] = useState<OpenMenu | undefined>(undefined);
  const maxFlat = graph.nodes.reduce((max, { flat }) => Math.max(max, Math.abs(flat)), 0);
  const boxes = useMemo(
    () => graph.nodes.map(node => nodeBox(node, maxFlat, graph.total, unit)),
    [graph, maxFlat, unit],
  );
  const drawing = useMemo(
    () =>
      drawGraph(
        boxes,
        graph.edges.map(({ from, to, value }) => ({ from, to, weight: Math.abs(value) })),
      ),
    [boxes, graph],
  );
  const view = useGraphView(svg, drawing);
  const chosen = graph.nodes.findIndex(({ name }) => name === selected);
  useEffect(() => {
    const point = drawing.nodes[chosen];
    if (point !== undefined) view.reveal(point);
  }, [chosen, drawing]);
  const heaviest = graph.edges.reduce((max, { value }) => Math.max(max, Math.abs(value)), 0);

  const showMenu = (node: number, x: number, y: number): void => {
    const { name } = graph.nodes[node] ?? { name: '' };
    onSelect(name);
    setOpenMenu({ x, y, label: visible(name), entries: menu(name) });
  };
  const step = (key: string): number => {
    const from = chosen < 0 ? 0 : chosen;
    if (chosen < 0) return 0;
    const along = graph.edges
      .filter(edge => (key === 'ArrowUp' ? edge.to : edge.from) === from && edge.from !== edge.to)
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))[0];
    if (key === 'ArrowUp') return along?.from ?? from;
    if (key === 'ArrowDown') return along?.to ?? from;
    const { layer, at } = drawing.cells[from] ?? { layer: 0, at: 0 };
    const beside = at + (key === 'ArrowLeft' ? -1 : 1);
    const next = drawing.cells.findIndex(cell => cell.layer === layer && cell.at === beside);
    return next < 0 ? from : next;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) onSelect(graph.nodes[step(event.key)]?.name ?? '');
    else if (event.key === '+' || event.key === '=') view.zoom(0.8);
    else if (event.key === '-') view.zoom(1.25);
    else if (event.key === '0') view.fit();
    else if ((event.key === 'm' || event.key === 'ContextMenu' || event.key === 'Enter') && chosen >= 0) {
      const place = svg.current?.querySelector(`[data-node="${chosen}"]`)?.getBoundingClientRect();
      showMenu(chosen, place?.left ?? 0, place?.bottom ?? 0);
    } else return;
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
          <defs>
            <marker
              id={arrowId}
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
          {graph.edges.map(({ from, to, value, isResidual }, i) => {
            const points = drawing.edges[i] ?? [];
            if (points.length === 0) return null;
            const width = 1 + 4 * Math.sqrt(heaviest === 0 ? 0 : Math.abs(value) / heaviest);
            const middle = points[Math.floor((points.length - 1) / 2)] ?? { x: 0, y: 0 };
            const next = points[Math.floor((points.length - 1) / 2) + 1] ?? middle;
            const isNear = chosen === from || chosen === to;
            return (
              <g key={i} class={isNear ? 'call-graph-near' : undefined}>
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
          })}
          {graph.nodes.map((node, i) => {
            const { x, y } = drawing.nodes[i] ?? { x: 0, y: 0 };
            const { width, height, lines, fontSize } = boxes[i] ?? { width: 0, height: 0, lines: [], fontSize: 10 };
            const { fill, ink } = colourOf(node);
            return (
              <g
                key={i}
                data-node={i}
                class={`call-graph-node${i === chosen ? ' call-graph-chosen' : ''}`}
                transform={`translate(${(x - width / 2).toFixed(1)} ${(y - height / 2).toFixed(1)})`}
                onClick={() => !view.wasDragged() && onSelect(node.name)}
                onContextMenu={event => {
                  event.preventDefault();
                  showMenu(i, event.clientX, event.clientY);
                }}
              >
                <title>{visible(node.name)}</title>
                <rect width={width} height={height} rx="3" fill={fill} />
                {lines.map((line, at) => (
                  <text key={at} x={width / 2} y={4 + fontSize * (1 + at * 1.3)} font-size={fontSize} fill={ink}>
                    {line}
                  </text>
                ))}
              </g>
            );
          })}
        </svg>
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
      </div>
      <p id={keysId} class="flame-keys muted">
        Arrow keys follow calls, Enter opens the menu of a function, + and − zoom, 0 shows all. The tables show the
        same.
      </p>
      <p class="sr-only" aria-live="polite">
        {chosen < 0 ? '' : sentence(graph, chosen, unit)}
      </p>
      {openMenu !== undefined && (
        <ContextMenu
          {...openMenu}
          onClose={() => {
            setOpenMenu(undefined);
            box.current?.focus({ preventScroll: true });
          }}
        />
      )}
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
