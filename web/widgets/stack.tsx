/** A stack, innermost call first, with a menu to copy it. */
import { packageOf } from '../../src/profile/families/normalise.ts';
import { visible } from '../../src/base/visible-text.ts';
import { shortPath, stackFolded, stackText, type StackFrame } from './short-names.ts';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { copyText } from './copy-text.ts';
import { menuItems, onMenuKey } from './context-menu.tsx';

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
function SymbolName({ name }: { readonly name: string }) {
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

/** A button with a menu of formats to copy something in, and a short confirmation. */
interface CopyItem {
  readonly name: string;
  /** Called on copy; undefined disables the item. */
  readonly text: (() => string) | undefined;
}

function CopyMenu({ label, items }: { readonly label: string; readonly items: readonly CopyItem[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const [message, setMessage] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();

  useEffect(() => {
    if (!isOpen) return;
    menuItems(box.current)[0]?.focus();
    const onPointerDown = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) setIsOpen(false);
    };
    addEventListener('pointerdown', onPointerDown);
    return () => removeEventListener('pointerdown', onPointerDown);
  }, [isOpen]);
  useEffect(() => {
    if (message === '') return;
    const timer = setTimeout(() => setMessage(''), 2500);
    return () => clearTimeout(timer);
  }, [message]);

  const close = (): void => {
    setIsOpen(false);
    button.current?.focus();
  };
  const copy = async (item: CopyItem): Promise<void> => {
    close();
    const text = item.text?.() ?? '';
    setMessage((await copyText(text)) ? `Copied: ${item.name}` : 'This browser does not allow copying');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    onMenuKey(event, box.current, byTab => (byTab ? setIsOpen(false) : close()));
  };

  return (
    <div class="copy" ref={box}>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && (
        <div id={id} class="copy-menu" role="menu" aria-label={label} onKeyDown={onKeyDown}>
          {items.map(item => (
            <button
              key={item.name}
              type="button"
              role="menuitem"
              tabIndex={-1}
              disabled={item.text === undefined}
              onClick={() => void copy(item)}
            >
              {item.name}
            </button>
          ))}
        </div>
      )}
      <span class="copy-message muted" role="status">
        {message}
      </span>
    </div>
  );
}
