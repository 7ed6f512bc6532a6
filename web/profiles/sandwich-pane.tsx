/** One function: its callers above, its callees below. */
import { useMemo, useState } from 'preact/hooks';
import { frameName, type CallTree } from '../call-tree/call-tree.ts';
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
  /** The user chose another function in one of the halves. */
  readonly onFrame: (frame: number) => void;
}

export function SandwichPane(props: SandwichPaneProps) {
  const { tree, frame, widthOf } = props;
  const halves = useMemo(() => sandwichOf(tree, frame, widthOf), [tree, frame, widthOf]);
  const name = shortSymbol(frameName(tree, frame));
  return (
    <div class="sandwich">
      <p class="sandwich-head">
        Callers of <span class="mono">{name}</span>
      </p>
      <Half key={`callers ${frame}`} {...props} half={halves.callers} flipped label={`Callers of ${name}`} />
      <p class="sandwich-head">
        What <span class="mono">{name}</span> calls
      </p>
      <Half key={`callees ${frame}`} {...props} half={halves.callees} flipped={false} label={`What ${name} calls`} />
    </div>
  );
}

interface HalfProps extends SandwichPaneProps {
  readonly half: CallTree;
  readonly flipped: boolean;
  readonly label: string;
}

function Half({ half, flipped, label, unit, colouring, matched, onFrame }: HalfProps) {
  const [window, setWindow] = useState(WHOLE);
  const [selected, setSelected] = useState(-1);
  return (
    <FlameGraph
      label={label}
      tree={half}
      unit={unit}
      colouring={colouring}
      flipped={flipped}
      rootless
      window={window}
      selected={selected < half.length ? selected : -1}
      matched={matched}
      onSelect={setSelected}
      onWindow={setWindow}
      onOpen={node => {
        const frame = half.frame[node];
        if (frame !== undefined && frame >= 0) onFrame(frame);
      }}
    />
  );
}
