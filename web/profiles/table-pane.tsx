/** The lower half of a profile's page: families, functions, the call tree or labels as a table. */
import type { ComponentChildren } from 'preact';
import type { CallTree } from '../call-tree/call-tree.ts';
import { TreeTable } from '../flame/tree-table.tsx';
import { windowOf } from '../flame/view-window.ts';
import { Tabs } from '../widgets/tabs.tsx';
import type { LabelSummary } from '../reader/sample-labels.ts';
import { FunctionTable } from './function-table.tsx';
import { LabelTable } from './label-table.tsx';
import type { ChangeAddress } from './use-view-address.ts';
import { NEW_TREE, type TableTab, type ViewAddress } from './view-address.ts';

export interface TablePaneProps {
  readonly tree: CallTree;
  readonly labels: readonly LabelSummary[];
  readonly unit: string;
  readonly address: ViewAddress;
  readonly change: ChangeAddress;
  readonly matched: Uint8Array | undefined;
  /** The table of families; undefined if there are none. */
  readonly families: ComponentChildren;
  readonly familiesTitle: string;
}

export function TablePane(props: TablePaneProps) {
  const { tree, unit, address, change, families } = props;
  const hasFamilies = families !== undefined;
  const tabs: readonly (readonly [TableTab, string])[] = [
    ...(hasFamilies ? [['families', props.familiesTitle] as const] : []),
    ['top', 'Functions'],
    ['tree', 'Call tree'],
    ...(props.labels.length > 0 ? [['labels', 'Labels'] as const] : []),
  ];
  const chosen = tabs.find(([name]) => name === address.table)?.[0] ?? (hasFamilies ? 'families' : 'top');
  const selected = address.node < tree.length ? address.node : -1;
  const zoom = (node: number): void => change({ node, window: windowOf(tree, node) });
  return (
    <Tabs label="Table" tabs={tabs} chosen={chosen} onChoose={table => change({ table })}>
      {chosen === 'families' && families}
      {chosen === 'top' && (
        <FunctionTable
          tree={tree}
          unit={unit}
          matched={props.matched}
          selectedFrame={selected > 0 ? (tree.frame[selected] ?? -1) : -1}
          sort={address.sort}
          onSort={sort => change({ sort })}
          onSelect={node => change({ node })}
          onOpen={zoom}
        />
      )}
      {chosen === 'tree' && (
        <TreeTable tree={tree} unit={unit} selected={selected} onSelect={node => change({ node })} onZoom={zoom} />
      )}
      {chosen === 'labels' && (
        <LabelTable
          labels={props.labels}
          unit={unit}
          whole={tree.whole.after}
          isCompared={tree.before !== undefined}
          chosen={address.labels}
          roots={address.roots}
          onChosen={labels => change({ labels, ...NEW_TREE })}
          onRoots={roots => change({ roots, ...NEW_TREE })}
        />
      )}
    </Tabs>
  );
}
