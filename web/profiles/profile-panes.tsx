/** One profile, or two compared: filters, the graph and the tables, which share one selection. */
import type { ComponentChildren } from 'preact';
import type { FamilyKind } from '../../src/model/family.ts';
import type { ValueType } from '../../src/model/profile.ts';
import type { CallTree } from '../call-tree/call-tree.ts';
import { unitOf } from '../reader/open-profile.ts';
import { FilterBar } from './filter-bar.tsx';
import { GraphPane } from './graph-pane.tsx';
import { useKeys } from '../state/keys.ts';
import { TablePane } from './table-pane.tsx';
import { useProfileView, useSearch } from './use-profile-view.ts';
import type { ChangeAddress } from './use-view-address.ts';
import type { ViewAddress } from './view-address.ts';

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
  const { labels, roots, widthOf } = address;
  const only = address.only ? address.search : '';
  const { value: view, error } = useProfileView(props.after, props.before, {
    sampleType,
    only,
    labels,
    roots,
    widthOf,
  });
  const search = useSearch(view?.tree, address.search);
  const unit = unitOf(props.sampleTypes, sampleType);
  useKeys('Profile', {
    f: ['find functions', () => document.querySelector<HTMLInputElement>('.regexp input')?.focus()],
    s: [
      'switch between flame graph and sandwich',
      () => change({ tab: address.tab === 'flame' ? 'sandwich' : 'flame' }),
    ],
    i: ['flip the flame graph', () => change({ flipped: !address.flipped })],
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
            <p class="muted">The {view.tree.droppedNodes.toLocaleString()} narrowest frames are not drawn.</p>
          )}
          <GraphPane
            tree={view.tree}
            unit={unit}
            address={address}
            change={change}
            matched={search.matched}
            familyKind={props.familyKind}
          />
          <TablePane
            tree={view.tree}
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
