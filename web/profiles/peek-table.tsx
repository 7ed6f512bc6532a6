/** One function between its callers and its callees, as `oakum pprof -peek` prints it. */
import { visible } from '../../src/base/visible-text.ts';
import type { PeekEdge, PeekNode } from '../reader/report-views.ts';
import { shortSymbol } from '../text/short-names.ts';
import { changeText, shareText, valueText } from '../text/value-text.ts';

export interface PeekTableProps {
  readonly node: PeekNode;
  readonly total: number;
  readonly unit: string;
  readonly isChange: boolean;
  /** Another function was chosen. */
  readonly onName: (name: string) => void;
}

export function PeekTable({ node, total, unit, isChange, onName }: PeekTableProps) {
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
