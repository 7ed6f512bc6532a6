/** A button with a menu of formats to copy something in, and a short confirmation. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { copyText } from './copy-text.ts';
import { menuItems, onMenuKey } from './menu-keys.ts';

export interface CopyItem {
  readonly name: string;
  /** Called on copy; undefined disables the item. */
  readonly text: (() => string) | undefined;
}

export function CopyMenu({ label, items }: { readonly label: string; readonly items: readonly CopyItem[] }) {
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
