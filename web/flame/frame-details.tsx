/** One frame as a line of text: its name, its values and its file. */
import { packageOf } from '../../src/model/go-name/normalise.ts';
import { visible } from '../../src/base/visible-text.ts';
import { shortPath } from '../text/short-names.ts';
import { changeText, shareText, valueText } from '../text/value-text.ts';
import { changeOf, nameOf, type CallTree } from '../call-tree/call-tree.ts';

export function FrameDetails(props: { readonly tree: CallTree; readonly node: number; readonly unit: string }) {
  const { tree, node, unit } = props;
  const frame = tree.frame[node];
  const name = nameOf(tree, node);
  const path = frame < 0 ? '' : packageOf(name);
  const file = frame < 0 ? '' : tree.frames.files[frame];
  return (
    <div class="frame-details">
      <p class="frame-name mono">
        {path === '' ? (
          visible(name)
        ) : (
          <>
            <span class="muted">{visible(name.slice(0, path.length + 1))}</span>
            {visible(name.slice(path.length + 1))}
          </>
        )}
      </p>
      <p class="frame-values">
        {figures(tree, node, unit).map(([label, text]) => (
          <span key={label} class="frame-value">
            <span class="muted">{label}</span> <span class="mono">{text}</span>
          </span>
        ))}
        {file !== '' && (
          <span class="frame-file muted mono" title={visible(file)}>
            {visible(shortPath(file))}
          </span>
        )}
      </p>
    </div>
  );
}

function figures(tree: CallTree, node: number, unit: string): (readonly [label: string, text: string])[] {
  const total = tree.total[node];
  const whole = tree.total[0];
  const out: (readonly [string, string])[] = [];
  if (tree.before !== undefined) {
    const was = tree.before.total[node];
    out.push(['change', changeText(changeOf(tree, node), unit)]);
    out.push(['before → after', `${valueText(was, unit)} → ${valueText(total, unit)}`]);
    const grown = changeOf(tree, 0);
    if (grown !== 0 && node > 0) out.push(['share of change', shareText(changeOf(tree, node), grown)]);
    return out;
  }
  out.push(['total', node === 0 ? valueText(total, unit) : `${valueText(total, unit)} (${shareText(total, whole)})`]);
  out.push(['self', valueText(tree.self[node], unit)]);
  const above = tree.parent[node];
  if (above > 0) out.push(['share of caller', shareText(total, tree.total[above])]);
  return out;
}

/** The same as one sentence, for screen readers. */
export function frameSentence(tree: CallTree, node: number, unit: string): string {
  const values = figures(tree, node, unit).map(([label, text]) => `${label} ${text}`);
  return `${visible(nameOf(tree, node))}: ${values.join(', ')}; row ${tree.depth[node] + 1}`;
}
