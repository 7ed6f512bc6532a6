/** What one row of `oakum top` holds: its stack with file:line, who started it, its labels, what it means. */
import { formatCount } from '../../base/quantities.ts';
import { visible } from '../../base/visible-text.ts';
import { cut, shortenedTo } from './cells.ts';
import { labelText, type Row } from './view.ts';

const MOST_LABELS = 5;

export function detailLines(one: Row, width: number, ascii: boolean): string[] {
  const at = (text: string, indent: number): string =>
    ' '.repeat(indent) + shortenedTo(visible(text), width - indent, ascii);
  if (one.pane === 'labels') return [at(one.key, 4)];
  const { row } = one;
  const lines = row.cause === null ? [] : [at(row.cause, 4)];
  row.frames.forEach((frame, i) => lines.push(at(withPlace(frame, row.places[i]), 4)));
  if (one.pane === 'heap') return lines;
  const { createdBy, createdAt, owner, labels, family } = one.row;
  if (createdBy !== null) lines.push(at(`created by ${withPlace(createdBy, createdAt)}`, 4));
  const shown = labels.filter(set => Object.keys(set.labels).length > 0).slice(0, MOST_LABELS);
  for (const set of shown) lines.push(at(`${formatCount(set.count)} with ${labelText(set.labels)}`, 4));
  return [...lines, cut(`    ${family}${owner === null ? '' : `, of ${visible(owner)}`}`, width)];
}

function withPlace(name: string, place: string | null | undefined): string {
  return place == null ? name : `${name}  ${place}`;
}
