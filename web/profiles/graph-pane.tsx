/** The upper half of a profile's page: flame graph or sandwich, with tools and a legend. */
import type { FamilyKind } from '../../src/profile/families/family.ts';
import { FlameGraph } from './flame-graph.tsx';
import { ChangeLegend, PackageLegend } from './flame-legend.tsx';
import { heaviestLeaf, frameName, type CallTree } from './call-tree.ts';
import { functionTotals, type FunctionTotal, type SandwichHalf } from './function-totals.ts';
import { biggestChange, type Colouring } from './palette.ts';
import { WHOLE, windowOf } from './view-window.ts';
import { StackCopy } from '../widgets/stack.tsx';
import { frameMenu, framesTo } from './frame-menu.ts';
import { GraphReportPane, PeekPane, SourcePane, type ReportPaneProps } from './report-panes.tsx';
import { Tabs } from '../widgets/tabs.tsx';
import { stackFamilyId } from './family-details.tsx';
import { NEW_TREE } from './view-address.ts';
import { useMemo, useState } from 'preact/hooks';
import type { MenuEntry } from '../widgets/context-menu.tsx';
import type { WidthOf } from './lay-out.ts';
import { sandwichOf } from './sandwich.ts';
import { shortSymbol } from '../widgets/short-names.ts';

export interface GraphPaneProps extends ReportPaneProps {
  readonly matched: Uint8Array | undefined;
  /** Undefined if the profile has no families. */
  readonly familyKind: FamilyKind | undefined;
}

export function GraphPane(props: GraphPaneProps) {
  const { tree, unit, address, change, matched } = props;
  const colouring: Colouring = tree.before === undefined ? 'package' : 'change';
  const selected = address.node < tree.length ? address.node : -1;
  const isZoomed = address.window !== WHOLE;
  const tools = (
    <div class="tools">
      {address.tab === 'flame' && (
        <>
          <button
            type="button"
            disabled={selected <= 0}
            onClick={() => change({ window: windowOf(tree, Math.max(selected, 0)) })}
          >
            Zoom in
          </button>
          <button type="button" disabled={!isZoomed} onClick={() => change({ window: WHOLE })}>
            Show all
          </button>
          <button type="button" aria-pressed={address.flipped} onClick={() => change({ flipped: !address.flipped })}>
            Root at the bottom
          </button>
        </>
      )}
      {tree.before !== undefined && (address.tab === 'flame' || address.tab === 'sandwich') && (
        <button
          type="button"
          aria-pressed={address.widthOf === 'larger'}
          onClick={() => change({ widthOf: address.widthOf === 'larger' ? 'after' : 'larger', ...NEW_TREE })}
        >
          Show what is gone
        </button>
      )}
      {selected > 0 && <CopySelected {...props} node={selected} />}
    </div>
  );
  return (
    <Tabs
      label="Graph"
      tabs={[
        ['flame', 'Flame graph'],
        ['sandwich', 'Sandwich'],
        ['graph', 'Call graph'],
        ['peek', 'Peek'],
        ['source', 'Source'],
      ]}
      chosen={address.tab}
      onChoose={tab => change({ tab })}
      aside={tools}
    >
      {address.tab === 'flame' && (
        <FlameGraph
          label="Flame graph"
          tree={tree}
          unit={unit}
          colouring={colouring}
          flipped={address.flipped}
          window={address.window}
          selected={selected}
          matched={matched}
          onSelect={node => change({ node })}
          onWindow={window => change({ window: window.right - window.left >= 1 ? WHOLE : window })}
          menu={node => frameMenu({ tree, address, change }, node)}
        />
      )}
      {address.tab === 'sandwich' && <SandwichOfSelected {...props} selected={selected} colouring={colouring} />}
      {address.tab === 'graph' && <GraphReportPane {...props} />}
      {address.tab === 'peek' && <PeekPane {...props} />}
      {address.tab === 'source' && <SourcePane {...props} />}
      {address.tab !== 'peek' && address.tab !== 'source' && <Legend {...props} colouring={colouring} />}
    </Tabs>
  );
}

function Legend({ tree, unit, address, colouring }: GraphPaneProps & { readonly colouring: Colouring }) {
  return (
    <>
      {colouring === 'change' ? (
        <ChangeLegend tree={tree} unit={unit} widthOf={address.widthOf} />
      ) : (
        <PackageLegend tree={tree} />
      )}
    </>
  );
}

function SandwichOfSelected(props: GraphPaneProps & { readonly selected: number; readonly colouring: Colouring }) {
  const { tree, address, change } = props;
  const totals = functionTotals(tree);
  const frame = props.selected > 0 ? tree.frame[props.selected] : totals[0]?.frame;
  if (frame === undefined) return <p class="muted">No stack has a value of this type.</p>;
  return (
    <SandwichPane
      tree={tree}
      frame={frame}
      unit={props.unit}
      colouring={props.colouring}
      widthOf={props.address.widthOf}
      matched={props.matched}
      menu={(half, node) => frameMenu({ tree: half, whole: tree, address, change, isPartial: true }, node)}
    />
  );
}

/** Copies the stack down to the selected frame; the family is that of the largest stack through it. */
function CopySelected({ tree, node, familyKind }: GraphPaneProps & { readonly node: number }) {
  const frames = framesTo(tree, node);
  const family = familyKind === undefined ? '' : stackFamilyId(familyKind, framesTo(tree, heaviestLeaf(tree, node)));
  return <StackCopy frames={frames} value={tree.total[node] ?? 0} familyId={family} />;
}

/** One function: its callers above, its callees below. */
interface SandwichPaneProps {
  readonly tree: CallTree;
  readonly frame: number;
  readonly unit: string;
  readonly colouring: Colouring;
  readonly widthOf: WidthOf;
  readonly matched: Uint8Array | undefined;
  /** What a right click on a frame of a half offers. */
  readonly menu: (half: CallTree, node: number) => readonly MenuEntry[];
}

function SandwichPane(props: SandwichPaneProps) {
  const { tree, frame, widthOf } = props;
  const halves = useMemo(() => sandwichOf(tree, frame, widthOf), [tree, frame, widthOf]);
  const name = shortSymbol(frameName(tree, frame));
  // One scale for both halves and for the legend: the whole tree's.
  const biggest = useMemo(() => biggestChange(tree), [tree]);
  return (
    <div class="sandwich">
      <p class="sandwich-head">
        Callers of <span class="mono">{name}</span>
      </p>
      <Half
        key={`callers ${frame}`}
        {...props}
        tree={halves.callers}
        side="callers"
        own={halves.own}
        biggest={biggest}
        label={`Callers of ${name}`}
      />
      <p class="sandwich-head">
        What <span class="mono">{name}</span> calls
      </p>
      <Half
        key={`callees ${frame}`}
        {...props}
        tree={halves.callees}
        side="callees"
        own={halves.own}
        biggest={biggest}
        label={`What ${name} calls`}
      />
    </div>
  );
}

interface HalfProps extends SandwichPaneProps {
  readonly side: SandwichHalf['side'];
  readonly own: FunctionTotal | undefined;
  readonly biggest: number;
  readonly label: string;
}

function Half({ tree, side, own, biggest, label, unit, colouring, matched, menu }: HalfProps) {
  const [window, setWindow] = useState(WHOLE);
  const [selected, setSelected] = useState(-1);
  return (
    <FlameGraph
      label={label}
      tree={tree}
      unit={unit}
      colouring={colouring}
      flipped={side === 'callers'}
      biggestChange={biggest}
      half={own === undefined ? undefined : { side, own }}
      rootless
      window={window}
      selected={selected < tree.length ? selected : -1}
      matched={matched}
      onSelect={setSelected}
      onWindow={setWindow}
      menu={node => menu(tree, node)}
    />
  );
}
