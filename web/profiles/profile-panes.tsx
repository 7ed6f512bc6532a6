/** One profile, or two compared: filters, the graph and the tables, which share one selection. */
import type { ComponentChildren } from 'preact';
import type { FamilyKind } from '../../src/profile/families/family.ts';
import type { ValueType } from '../../src/profile/profile.ts';
import { type CallTree, frameName, nameOf } from './call-tree.ts';
import { type ProfileReader, useReader } from '../reader/profile-reader.ts';
import type { TreeOptions } from '../reader/filters.ts';
import { functionTotals } from './function-totals.ts';
import { unitOf } from '../reader/open-profile.ts';
import { status } from '../state/live.ts';
import { changeText, shareText, unitAs, unitChoices, valueText } from '../widgets/value-text.ts';
import { commandLine } from './command-line.ts';
import { FilterBar } from './filter-bar.tsx';
import { GraphPane } from './graph-pane.tsx';
import { useKeys } from '../state/keys.ts';
import { useProfileView, useSearch } from './use-profile-view.ts';
import {
  type ChangeAddress,
  GRAPH_TABS,
  type GraphTab,
  NEW_TREE,
  samePair,
  type TableTab,
  toggled,
  type ViewAddress,
} from './view-address.ts';
import { TreeTable } from './tree-table.tsx';
import { windowOf } from './view-window.ts';
import { Tabs } from '../widgets/tabs.tsx';
import type { LabelPair, LabelSummary, LabelTotal } from '../reader/sample-labels.ts';
import { FunctionTable } from './function-table.tsx';
import { useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import { type Column, VirtualTable } from '../widgets/virtual-table.tsx';

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
  const reader = useReader();
  const { labels, roots, widthOf, filters } = address;
  const options: TreeOptions = { sampleType, filters, labels, roots, widthOf };
  const { value: view, error } = useProfileView(props.after, props.before, options);
  const search = useSearch(view?.tree, address.search);
  const ownUnit = unitOf(props.sampleTypes, sampleType);
  const unit = unitAs(ownUnit, unitChoices(ownUnit).includes(address.unit) ? address.unit : '');
  const selected = view === undefined || address.node >= view.tree.length ? -1 : address.node;
  const command = commandLine(address, {
    sources: sourcesOf(reader, props.after),
    base: props.before === undefined ? undefined : sourcesOf(reader, props.before),
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

/** The lower half of a profile's page: families, functions, the call tree or labels as a table. */
interface TablePaneProps {
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

function TablePane(props: TablePaneProps) {
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

/** Every label of a profile with its values: how much each covers, and how that has changed. */
interface LabelTableProps {
  readonly labels: readonly LabelSummary[];
  readonly unit: string;
  /** What shares refer to. */
  readonly whole: number;
  readonly isCompared: boolean;
  readonly chosen: readonly LabelPair[];
  readonly roots: readonly string[];
  readonly onChosen: (chosen: readonly LabelPair[]) => void;
  readonly onRoots: (roots: readonly string[]) => void;
}

interface Row extends LabelPair, LabelTotal {}

function LabelTable(props: LabelTableProps) {
  const { labels, chosen, roots } = props;
  const [selected, setSelected] = useState<LabelPair | undefined>(undefined);
  const rows: readonly Row[] = labels.flatMap(({ key, values }) => values.map(value => ({ key, ...value })));
  const at = selected === undefined ? -1 : rows.findIndex(row => samePair(row, selected));
  const row = rows[at];
  const choose = ({ key, value }: Row): void => props.onChosen(toggled(chosen, { key, value }, samePair));
  return (
    <>
      <VirtualTable
        label="Labels"
        columns={columnsOf(props)}
        rows={rows}
        rowKey={({ key, value }) => `${key}=${value}`}
        selected={at}
        onSelect={setSelected}
        onOpen={choose}
        empty="No sample of this type has a label."
      />
      {row === undefined ? (
        rows.length > 0 && <p class="muted">Select a value to filter by it or to put its label at the root.</p>
      ) : (
        <p class="label-actions">
          <button type="button" aria-pressed={chosen.some(pair => samePair(pair, row))} onClick={() => choose(row)}>
            Only {visible(row.key)}={visible(row.value)}
          </button>
          <button
            type="button"
            aria-pressed={roots.includes(row.key)}
            onClick={() => props.onRoots(toggled(roots, row.key))}
          >
            {visible(row.key)} as root
          </button>
        </p>
      )}
      {labels.map(
        ({ key, values, valueCount }) =>
          valueCount > values.length && (
            <p key={key} class="muted">
              {visible(key)} has {(valueCount - values.length).toLocaleString()} more values, each smaller.
            </p>
          ),
      )}
    </>
  );
}

function columnsOf({ unit, whole, isCompared, chosen }: LabelTableProps): readonly Column<Row>[] {
  const isChosen = (row: Row): boolean => chosen.some(pair => samePair(pair, row));
  const names: readonly Column<Row>[] = [
    { key: 'key', head: 'Label', isMinor: true, cell: ({ key }) => visible(key) },
    {
      key: 'value',
      head: 'Value',
      cell: row => (
        <>
          <span class="label-key muted">{visible(row.key)}=</span>
          {visible(row.value)}
          {isChosen(row) && <span class="muted"> (filter)</span>}
        </>
      ),
    },
  ];
  if (isCompared) {
    return [
      { key: 'change', head: 'Change', isNumber: true, cell: row => changeText(row.total - row.before, unit) },
      { key: 'before', head: 'Before', isNumber: true, isMinor: true, cell: row => valueText(row.before, unit) },
      { key: 'after', head: 'After', isNumber: true, isMinor: true, cell: row => valueText(row.total, unit) },
      ...names,
    ];
  }
  return [
    { key: 'total', head: 'Total', isNumber: true, cell: ({ total }) => valueText(total, unit) },
    { key: 'share', head: '%', isNumber: true, isNarrow: true, cell: ({ total }) => shareText(total, whole) },
    ...names,
  ];
}

/**
 * What to type as the source of a profile that a page shows: the file's name, what `oakum pprof -http` was given, or the
 * address of a stored profile.
 */
function sourcesOf(reader: ProfileReader, profileKey: string): readonly string[] {
  const file = reader.localFile(profileKey);
  if (file !== undefined) return [file.name];
  const served = status.value?.files?.find(({ sha256 }) => sha256 === profileKey);
  return served?.sources ?? [`${location.origin}/api/v1/profiles/${profileKey}`];
}
