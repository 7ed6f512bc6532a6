/** A profile, or two compared, to look into: filters, graph above, tables below, all of one selection. */
import type { ComponentChildren } from 'preact';
import type { FamilyKind } from '../../src/model/family.ts';
import type { ValueType } from '../../src/model/profile.ts';
import { TreeTable } from '../flame/tree-table.tsx';
import { windowOf } from '../flame/view-window.ts';
import type { FlameTree } from '../call-tree/call-tree.ts';
import { FilterBar } from './filter-bar.tsx';
import { FunctionTable } from './function-table.tsx';
import { GraphPane } from './graph-pane.tsx';
import { useKeys } from '../state/keys.ts';
import { Tabs } from '../widgets/tabs.tsx';
import { useSearch, useView, type ChangeAddress } from './use-view.ts';
import type { TableTab, ViewAddress } from './view-address.ts';

export interface ProfilePanesProps {
  readonly after: string;
  readonly before: string | undefined;
  readonly sampleTypes: readonly ValueType[];
  readonly sampleType: string;
  readonly address: ViewAddress;
  readonly change: ChangeAddress;
  readonly familyKind: FamilyKind | undefined;
  /** Above the panes, once there is a tree to speak of. */
  readonly answer: (tree: FlameTree) => ComponentChildren;
  /** The table of families; undefined where there are none. */
  readonly families: ((tree: FlameTree) => ComponentChildren) | undefined;
  readonly familiesTitle: string;
}

export function ProfilePanes(props: ProfilePanesProps) {
  const { address, change, sampleType } = props;
  const { labels, roots, widthOf } = address;
  const only = address.only ? address.search : '';
  const { value: view, error } = useView(props.after, props.before, { sampleType, only, labels, roots, widthOf });
  const search = useSearch(view?.tree, address.search);
  const unit = props.sampleTypes.find(({ type }) => type === sampleType)?.unit ?? '';
  useKeys('Profile', {
    f: ['find functions', () => document.querySelector<HTMLInputElement>('.regexp input')?.focus()],
    s: ['flame graph or sandwich', () => change({ tab: address.tab === 'flame' ? 'sandwich' : 'flame' })],
    i: ['root on top or at the bottom', () => change({ flipped: !address.flipped })],
  });
  return (
    <>
      {view !== undefined && props.answer(view.tree)}
      <FilterBar
        sampleTypes={props.sampleTypes}
        sampleType={sampleType}
        unit={unit}
        view={view}
        search={search}
        problem={error?.message ?? ''}
        address={address}
        change={change}
      />
      {view !== undefined && (
        <>
          {view.tree.droppedNodes > 0 && (
            <p class="muted">{view.tree.droppedNodes.toLocaleString()} of the narrowest frames are not drawn.</p>
          )}
          <GraphPane
            tree={view.tree}
            unit={unit}
            address={address}
            change={change}
            matched={search.matched}
            familyKind={props.familyKind}
          />
          <TablePane {...props} tree={view.tree} unit={unit} matched={search.matched} />
        </>
      )}
    </>
  );
}

interface TablePaneProps extends ProfilePanesProps {
  readonly tree: FlameTree;
  readonly unit: string;
  readonly matched: Uint8Array | undefined;
}

function TablePane(props: TablePaneProps) {
  const { tree, unit, address, change, families } = props;
  const tabs: (readonly [TableTab, string])[] = [
    ['top', 'Functions'],
    ['tree', 'Call tree'],
  ];
  if (families !== undefined) tabs.unshift(['families', props.familiesTitle]);
  const chosen = tabs.some(([name]) => name === address.table) ? address.table! : tabs[0][0];
  const selected = address.node < tree.length ? address.node : -1;
  const zoom = (node: number): void => change({ node, window: windowOf(tree, node) });
  return (
    <Tabs label="Table" tabs={tabs} chosen={chosen} onChoose={table => change({ table })}>
      {chosen === 'families' && families?.(tree)}
      {chosen === 'top' && (
        <FunctionTable
          tree={tree}
          unit={unit}
          matched={props.matched}
          selectedFrame={selected > 0 ? tree.frame[selected] : -1}
          sort={address.sort}
          onSort={sort => change({ sort })}
          onSelect={node => change({ node })}
          onOpen={zoom}
        />
      )}
      {chosen === 'tree' && (
        <TreeTable tree={tree} unit={unit} selected={selected} onSelect={node => change({ node })} onZoom={zoom} />
      )}
    </Tabs>
  );
}
