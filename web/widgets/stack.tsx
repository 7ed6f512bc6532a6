/** A stack to read, leaf first, with a menu of forms to take it away in. */
import { packageOf } from '../../src/model/go-name/normalise.ts';
import { visible } from '../../src/base/visible-text.ts';
import { CopyMenu, type CopyItem } from './copy-menu.tsx';
import { stackFolded, stackText, type StackFrame } from '../text/stack-text.ts';

export interface StackProps {
  readonly frames: readonly StackFrame[];
  /** What stands behind the folded form. */
  readonly value: number;
  /** '' when it is not known. */
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
                {visible(frame.place.split('/').slice(-2).join('/'))}
              </span>
            )}
          </li>
        ))}
      </ol>
      <StackCopy {...props} />
    </div>
  );
}

/** The package in grey, so that the eye finds the function. */
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
