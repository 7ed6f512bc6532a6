/** One profile, or two compared: filters, the graph and the tables, which share one selection. */
import type { ComponentChildren } from 'preact';
import type { FamilyKind } from '../../src/profile/families/family.ts';
import type { ValueType } from '../../src/profile/profile.ts';
import { frameName, nameOf, type CallTree } from '../call-tree/call-tree.ts';
import type { TreeOptions } from '../reader/tree-options.ts';
import { functionTotals } from '../call-tree/function-totals.ts';
import { unitOf } from '../reader/open-profile.ts';
import { unitAs, unitChoices } from '../text/value-text.ts';
import { commandLine } from './command-line.ts';
import { FilterBar } from './filter-bar.tsx';
import { GraphPane } from './graph-pane.tsx';
import { useKeys } from '../state/keys.ts';
import { TablePane } from './table-pane.tsx';
import { sourcesOf } from './shown-sources.ts';
import { useProfileView, useSearch } from './use-profile-view.ts';
import type { ChangeAddress } from './use-view-address.ts';
import { GRAPH_TABS, type GraphTab, type ViewAddress } from './view-address.ts';

export interface ProfilePanesProps {
  readonly after: string;
  readonly before: string | undefined;
  readonly sampleTypes: readonly ValueType[];
  readonly sampleType: string;
  readonly address: ViewAddress;
  readonly change: ChangeAddress;
  readonly familyKind: FamilyKind | undefined;
  /** Above the panes. */
  readonly answer: (tree: CallTree) => ComponentChildren;
  /** The table of families; undefined if there are none. */
  readonly families: ((tree: CallTree) => ComponentChildren) | undefined;
  readonly familiesTitle: string;
}

export function ProfilePanes(props: ProfilePanesProps) {
  const { address, change, sampleType } = props;
  const { labels, roots, widthOf, filters } = address;
  const options: TreeOptions = { sampleType, filters, labels, roots, widthOf };
  const { value: view, error } = useProfileView(props.after, props.before, options);
  const search = useSearch(view?.tree, address.search);
  const ownUnit = unitOf(props.sampleTypes, sampleType);
  const unit = unitAs(ownUnit, unitChoices(ownUnit).includes(address.unit) ? address.unit : '');
  const selected = view === undefined || address.node >= view.tree.length ? -1 : address.node;
  const command = commandLine(address, {
    sources: sourcesOf(props.after),
    base: props.before === undefined ? undefined : sourcesOf(props.before),
    sampleType: address.sampleType,
    symbol: view === undefined ? '' : selected > 0 ? nameOf(view.tree, selected) : largestFunction(view.tree),
  });
  useKeys('Profile', {
    f: ['find functions', () => document.querySelector<HTMLInputElement>('.regexp input')?.focus()],
    s: ['next view: flame graph, sandwich, call graph, peek, source', () => change({ tab: nextTab(address.tab) })],
    i: ['flip the flame graph', () => change({ flipped: !address.flipped })],
  });
  return (
    <>
      {view !== undefined && props.answer(view.tree)}
      <FilterBar
        sampleTypes={props.sampleTypes}
        sampleType={sampleType}
        unit={ownUnit}
        view={view}
        search={search}
        problem={error?.message ?? ''}
        command={command}
        address={address}
        change={change}
      />
      {view !== undefined && (
        <>
          {view.tree.droppedNodes > 0 && (
            <p class="muted">The {view.tree.droppedNodes.toLocaleString()} narrowest frames are not drawn.</p>
          )}
          <GraphPane
            tree={view.tree}
            unit={unit}
            address={address}
            change={change}
            matched={search.matched}
            familyKind={props.familyKind}
            after={props.after}
            before={props.before}
            options={options}
          />
          <TablePane
            tree={view.tree}
            labels={view.labels}
            unit={unit}
            address={address}
            change={change}
            matched={search.matched}
            families={props.families?.(view.tree)}
            familiesTitle={props.familiesTitle}
          />
        </>
      )}
    </>
  );
}

function largestFunction(tree: CallTree): string {
  const [largest] = functionTotals(tree);
  return largest === undefined ? '' : frameName(tree, largest.frame);
}

function nextTab(tab: GraphTab): GraphTab {
  return GRAPH_TABS[(GRAPH_TABS.indexOf(tab) + 1) % GRAPH_TABS.length] ?? 'flame';
}
