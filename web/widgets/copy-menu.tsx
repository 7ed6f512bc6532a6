/** A button with a menu of formats to copy something in, and a short confirmation. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';

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
    setMessage((await copied(text)) ? `Copied: ${item.name}` : 'This browser does not allow copying');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = menuItems(box.current);
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (event.key === 'ArrowUp') all[(at - 1 + all.length) % all.length]?.focus();
    else if (event.key === 'Tab') setIsOpen(false);
    else return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
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

function menuItems(box: HTMLElement | null): HTMLButtonElement[] {
  return [...(box?.querySelectorAll<HTMLButtonElement>('[role=menuitem]:not(:disabled)') ?? [])];
}

/** The clipboard API needs HTTPS or localhost; elsewhere the old copy command still works. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'sr-only';
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
