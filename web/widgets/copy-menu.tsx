/** A button that opens a list of forms to copy something in; it says what it did. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';

export interface CopyItem {
  readonly name: string;
  /** Made when it is asked for; undefined where there is none. */
  readonly text: (() => string) | undefined;
}

export function CopyMenu({ label, items }: { readonly label: string; readonly items: readonly CopyItem[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const [said, setSaid] = useState('');
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
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), 2500);
    return () => clearTimeout(timer);
  }, [said]);

  const close = (): void => {
    setIsOpen(false);
    button.current?.focus();
  };
  const copy = async (item: CopyItem): Promise<void> => {
    close();
    const text = item.text?.() ?? '';
    setSaid((await copied(text)) ? `Copied: ${item.name}` : 'The browser does not let this page copy');
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
      <span class="copy-said muted" role="status">
        {said}
      </span>
    </div>
  );
}

function menuItems(box: HTMLElement | null): HTMLButtonElement[] {
  return [...(box?.querySelectorAll<HTMLButtonElement>('[role=menuitem]:not(:disabled)') ?? [])];
}

/** Pages that were not loaded over HTTPS or from this machine have no clipboard; selecting text still works there. */
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
