/** A stack, innermost call first, with a menu to copy it. */
import { packageOf } from '../../src/profile/go-name/normalise.ts';
import { visible } from '../../src/base/visible-text.ts';
import { shortPath } from '../text/short-names.ts';
import { CopyMenu, type CopyItem } from './copy-menu.tsx';
import { stackFolded, stackText, type StackFrame } from '../text/stack-text.ts';

export interface StackProps {
  readonly frames: readonly StackFrame[];
  /** The value in the folded form. */
  readonly value: number;
  /** '' when unknown. */
  readonly familyId: string;
}

export function Stack(props: StackProps) {
  return (
    <div class="stack">
      <ol class="stack-frames mono" aria-label="Stack, innermost call first">
        {props.frames.map((frame, i) => (
          <li key={i}>
            <SymbolName name={frame.name} />
            {frame.place !== '' && (
              <span class="stack-place muted" title={visible(frame.place)}>
                {visible(shortPath(frame.place))}
              </span>
            )}
          </li>
        ))}
      </ol>
      <StackCopy {...props} />
    </div>
  );
}

/** The path of the package is grey, so that the function stands out. */
export function SymbolName({ name }: { readonly name: string }) {
  const path = packageOf(name);
  const from = path.lastIndexOf('/') + 1;
  return (
    <span class="symbol">
      {from > 0 && <span class="muted">{visible(name.slice(0, from))}</span>}
      {visible(name.slice(from))}
    </span>
  );
}

export function StackCopy({ frames, value, familyId }: StackProps) {
  const items: readonly CopyItem[] = [
    { name: 'Text', text: () => stackText(frames) },
    { name: 'Folded', text: () => stackFolded(frames, value) },
    { name: 'Link', text: () => location.href },
    {
      name: familyId === '' ? 'Family id' : `Family id ${familyId}`,
      text: familyId === '' ? undefined : () => familyId,
    },
  ];
  return <CopyMenu label="Copy stack" items={items} />;
}
