/** One function: its callers above, its callees below. */
import { useMemo, useState } from 'preact/hooks';
import { frameName, type CallTree } from '../call-tree/call-tree.ts';
import type { FunctionTotal } from '../call-tree/function-totals.ts';
import { biggestChange } from '../flame/frame-colours.ts';
import type { SandwichHalf } from '../flame/frame-figures.ts';
import type { MenuEntry } from '../widgets/context-menu.tsx';
import { FlameGraph } from '../flame/flame-graph.tsx';
import type { WidthOf } from '../call-tree/lay-out.ts';
import type { Colouring } from '../flame/palette.ts';
import { sandwichOf } from '../call-tree/sandwich.ts';
import { shortSymbol } from '../text/short-names.ts';
import { WHOLE } from '../flame/view-window.ts';

export interface SandwichPaneProps {
  readonly tree: CallTree;
  readonly frame: number;
  readonly unit: string;
  readonly colouring: Colouring;
  readonly widthOf: WidthOf;
  readonly matched: Uint8Array | undefined;
  /** What a right click on a frame of a half offers. */
  readonly menu: (half: CallTree, node: number) => readonly MenuEntry[];
}

export function SandwichPane(props: SandwichPaneProps) {
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
