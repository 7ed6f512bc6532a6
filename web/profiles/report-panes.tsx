/** Peek, call graph and source lines of a profile, or of the difference of two. */
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../src/base/say.ts';
import { CallGraph } from './call-graph.tsx';
import { frameName, type CallTree } from './call-tree.ts';
import { functionTotals } from './function-totals.ts';
import { CHANGE_STEPS, changeStep, packageColour, paletteOf } from './palette.ts';
import { type TreeOptions, exactly } from '../reader/filters.ts';
import { useReader } from '../reader/profile-reader.ts';
import { theme } from '../state/theme.ts';
import { useAsync } from '../state/use-api.ts';
import { frameMenu } from './frame-menu.ts';
import type { ChangeAddress, ViewAddress } from './view-address.ts';
import { visible, visibleLines } from '../../src/base/visible-text.ts';
import type { PeekEdge, PeekNode, SourceFunction } from '../reader/report-views.ts';
import { shortSymbol, shortPath } from '../widgets/short-names.ts';
import { changeText, shareText, valueText } from '../widgets/value-text.ts';
import { api } from '../state/api.ts';
import { status } from '../state/live.ts';

export interface ReportPaneProps {
  readonly tree: CallTree;
  readonly unit: string;
  readonly address: ViewAddress;
  readonly change: ChangeAddress;
  /** The keys of the profiles; `before` is undefined unless two are compared. */
  readonly after: string;
  readonly before: string | undefined;
  readonly options: TreeOptions;
}

/** The function that peek and source show: the search, else the selected function, else the largest. */
function shownSymbol(tree: CallTree, { search, node }: ViewAddress): string {
  if (search !== '') return search;
  const selected = node > 0 && node < tree.length ? (tree.frame[node] ?? -1) : -1;
  const isFunction = selected >= 0 && tree.frames.isLabel[selected] === 0;
  const frame = isFunction ? selected : functionTotals(tree)[0]?.frame;
  return frame === undefined ? '' : exactly(frameName(tree, frame));
}

/** Selects a function by name, in the tree and so in every view. */
function selectFunction({ tree, change }: Pick<ReportPaneProps, 'tree' | 'change'>, name: string): void {
  const found = functionTotals(tree).find(({ frame }) => frameName(tree, frame) === name);
  change(found === undefined ? { search: exactly(name) } : { node: found.node, search: '' });
}

export function PeekPane(props: ReportPaneProps) {
  const { value, error, symbol } = useReport('peek', props);
  if (error !== undefined) return <p class="muted">{sentence(error.message)}</p>;
  if (value === undefined || symbol === '') return null;
  return (
    <>
      {value.nodes.map(node => (
        <PeekTable
          key={node.name}
          node={node}
          total={value.total}
          unit={props.unit}
          isChange={props.before !== undefined}
          onName={name => selectFunction(props, name)}
        />
      ))}
      <More count={value.more} />
    </>
  );
}

export function SourcePane(props: ReportPaneProps) {
  const { value, error } = useReport('source', props);
  if (error !== undefined) return <p class="muted">{sentence(error.message)}</p>;
  if (value === undefined) return null;
  if (value.functions.length === 0) return <p class="muted">The profile does not say where this function is.</p>;
  return (
    <>
      {value.functions.map(listed => (
        <SourceLines
          key={`${listed.name} ${listed.file}`}
          listed={listed}
          total={value.total}
          unit={props.unit}
          isChange={props.before !== undefined}
        />
      ))}
      <More count={value.more} />
    </>
  );
}

const DRAWN_NODES = 60;

export function GraphReportPane(props: ReportPaneProps) {
  const { tree, address, change, before } = props;
  const { value, error } = useReport('graph', props);
  const shownTheme = theme.value;
  const palette = useMemo(() => paletteOf(before === undefined ? 'package' : 'change'), [before, shownTheme]);
  if (error !== undefined) return <p class="muted">{sentence(error.message)}</p>;
  if (value === undefined) return null;
  const biggest = value.nodes.reduce((max, { cum }) => Math.max(max, Math.abs(cum)), 0);
  const bucketOf = ({ name, cum }: { readonly name: string; readonly cum: number }): number =>
    before === undefined ? packageColour(name) : changeStep(cum, biggest) + CHANGE_STEPS;
  const selected = address.node > 0 && address.node < tree.length ? (tree.frame[address.node] ?? -1) : -1;
  return (
    <CallGraph
      graph={value}
      unit={props.unit}
      colourOf={node => ({
        fill: palette.fills[bucketOf(node)] ?? palette.ground,
        ink: palette.inks[bucketOf(node)] ?? palette.ink,
      })}
      selected={selected < 0 ? '' : frameName(tree, selected)}
      onSelect={name => selectFunction(props, name)}
      menu={name => {
        const found = functionTotals(tree).find(({ frame }) => frameName(tree, frame) === name);
        return found === undefined ? [] : frameMenu({ tree, address, change, isPartial: true }, found.node);
      }}
    />
  );
}

function useReport<Kind extends 'peek' | 'graph' | 'source'>(kind: Kind, props: ReportPaneProps) {
  const { tree, after, before, options, address } = props;
  const symbol = kind === 'graph' ? '' : shownSymbol(tree, address);
  const reader = useReader();
  const found = useAsync(
    () =>
      kind !== 'graph' && symbol === ''
        ? undefined
        : reader.ask(kind, { after, before, options, symbol, ...(kind === 'graph' ? { nodeCount: DRAWN_NODES } : {}) }),
    [kind, after, before, JSON.stringify(options), symbol],
  );
  return { ...found, symbol };
}

function More({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return <p class="muted">{formatCount(count)} more functions match; find fewer to see them.</p>;
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

/** One function between its callers and its callees, as `oakum pprof -peek` prints it. */
interface PeekTableProps {
  readonly node: PeekNode;
  readonly total: number;
  readonly unit: string;
  readonly isChange: boolean;
  /** Another function was chosen. */
  readonly onName: (name: string) => void;
}

function PeekTable({ node, total, unit, isChange, onName }: PeekTableProps) {
  const text = (value: number): string => (isChange ? changeText(value, unit) : valueText(value, unit));
  const rows = (edges: readonly PeekEdge[], what: string) =>
    edges.map(({ name, value, isInline }) => (
      <tr key={name}>
        <td class="num muted">{what}</td>
        <td class="num mono">{text(value)}</td>
        <td class="num mono muted">{shareText(value, node.cum)}</td>
        <td>
          <button type="button" class="peek-name mono" title={visible(name)} onClick={() => onName(name)}>
            {shortSymbol(name)}
          </button>
          {isInline && <span class="muted"> (inline)</span>}
        </td>
      </tr>
    ));
  return (
    <table class="peek" aria-label={`Callers and callees of ${shortSymbol(node.name)}`}>
      <thead>
        <tr>
          <th class="num">Call</th>
          <th class="num">{isChange ? 'Change' : 'Value'}</th>
          <th class="num">%</th>
          <th>Function</th>
        </tr>
      </thead>
      <tbody>
        {rows(node.callers, 'caller')}
        <tr class="peek-own">
          <td class="num muted">itself</td>
          <td class="num mono">
            {text(node.flat)} of {text(node.cum)}
          </td>
          <td class="num mono muted" title={isChange ? 'of the base' : undefined}>
            {shareText(node.cum, total)}
          </td>
          <td class="mono">
            <strong title={visible(node.name)}>{shortSymbol(node.name)}</strong>
          </td>
        </tr>
        {rows(node.callees, 'callee')}
      </tbody>
    </table>
  );
}

/** The lines of a function with their values; with the text of the source where the server can read it. */
interface SourceLinesProps {
  readonly listed: SourceFunction;
  readonly total: number;
  readonly unit: string;
  readonly isChange: boolean;
}

interface SourceText {
  readonly lines: readonly string[];
}

function SourceLines({ listed, total, unit, isChange }: SourceLinesProps) {
  const { file, firstLine, lastLine } = listed;
  const canRead = status.value?.mode === 'files';
  const { value: source } = useAsync(
    () =>
      canRead
        ? api<SourceText>(
            `/source?${new URLSearchParams({ file, from: String(firstLine), to: String(lastLine) })}`,
          ).catch(() => undefined)
        : undefined,
    [canRead, file, firstLine, lastLine],
  );
  const text = (value: number): string => (isChange ? changeText(value, unit) : valueText(value, unit));
  const byLine = new Map(listed.lines.map(line => [line.line, line]));
  const numbers =
    source === undefined ? listed.lines.map(({ line }) => line) : Array.from(source.lines, (_, i) => firstLine + i);
  return (
    <section class="source" aria-label={`Lines of ${shortSymbol(listed.name)}`}>
      <p>
        <strong class="mono">{shortSymbol(listed.name)}</strong> <span class="mono muted">{visible(file)}</span>{' '}
        <span class="muted">
          flat {text(listed.flat)}, cum {text(listed.cum)} ({shareText(listed.cum, total) || '0 %'}
          {isChange ? ' of the base' : ''})
        </span>
      </p>
      <table class="source-lines mono">
        <thead>
          <tr>
            <th class="num">Flat</th>
            <th class="num">Cum</th>
            <th class="num">Line</th>
            <th>{source === undefined ? 'Place' : 'Source'}</th>
          </tr>
        </thead>
        <tbody>
          {numbers.map(line => {
            const values = byLine.get(line);
            return (
              <tr key={line} class={values === undefined ? undefined : 'source-hot'}>
                <td class="num">{values === undefined || values.flat === 0 ? '.' : text(values.flat)}</td>
                <td class="num">{values === undefined || values.cum === 0 ? '.' : text(values.cum)}</td>
                <td class="num muted">{line}</td>
                {source === undefined ? (
                  <td class="muted">
                    {visible(shortPath(file))}:{line}
                  </td>
                ) : (
                  <td class="source-text">{visibleLines(source.lines[line - firstLine] ?? '')}</td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {source === undefined && (
        <p class="muted">
          The text of the source is not here
          {canRead ? '; oakum pprof -http -source_path=DIR finds it.' : '.'}
        </p>
      )}
    </section>
  );
}
