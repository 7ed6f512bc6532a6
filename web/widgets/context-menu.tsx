/** A menu at a point of the page: opened by a right click or a key, left by Escape or a click elsewhere. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface MenuEntry {
  readonly name: string;
  readonly run: () => void;
  /** Starts a new group. */
  readonly startsGroup?: boolean;
}

export interface OpenMenu {
  readonly x: number;
  readonly y: number;
  /** What the menu is about; also its heading. */
  readonly label: string;
  readonly entries: readonly MenuEntry[];
}

export function ContextMenu({ x, y, label, entries, onClose }: OpenMenu & { readonly onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const menu = box.current!;
    // Inside the window, whatever corner it was opened in.
    menu.style.left = `${Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 4))}px`;
    menuItems(menu)[0]?.focus({ preventScroll: true });
  }, [x, y, label]);
  useEffect(() => {
    const onPointerDown = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) onClose();
    };
    addEventListener('pointerdown', onPointerDown);
    addEventListener('blur', onClose);
    return () => {
      removeEventListener('pointerdown', onPointerDown);
      removeEventListener('blur', onClose);
    };
  }, []);
  return (
    <div
      ref={box}
      class="context-menu"
      role="menu"
      aria-label={label}
      onKeyDown={event => onMenuKey(event, box.current, onClose)}
      onContextMenu={event => event.preventDefault()}
    >
      <p class="context-menu-head mono" aria-hidden="true">
        {label}
      </p>
      {entries.map(({ name, run, startsGroup }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={startsGroup === true ? 'context-menu-group' : undefined}
          onClick={() => {
            onClose();
            run();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** The keys of an open menu: arrows, Home and End move, Escape and Tab close. */
export function menuItems(box: HTMLElement | null): HTMLButtonElement[] {
  return [...(box?.querySelectorAll<HTMLButtonElement>('[role=menuitem]:not(:disabled)') ?? [])];
}

export function onMenuKey(event: KeyboardEvent, box: HTMLElement | null, close: (byTab: boolean) => void): void {
  const all = menuItems(box);
  const at = all.indexOf(document.activeElement as HTMLButtonElement);
  if (event.key === 'Escape' || event.key === 'Tab') close(event.key === 'Tab');
  else if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
  else if (event.key === 'ArrowUp') all[(at - 1 + all.length) % all.length]?.focus();
  else if (event.key === 'Home') all[0]?.focus();
  else if (event.key === 'End') all.at(-1)?.focus();
  else return;
  if (event.key !== 'Tab') event.preventDefault();
  event.stopPropagation();
}
