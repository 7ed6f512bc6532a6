/** Tabs, switched by a click or the arrow keys. */
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [name: Name, text: string])[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
  /** Beside the tabs. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, aside, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(([name]) => name === chosen);
    const next = (at + by + tabs.length) % tabs.length;
    const tab = tabs[next];
    if (tab !== undefined) onChoose(tab[0]);
    list.current?.querySelectorAll<HTMLButtonElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tabs-bar">
        <div ref={list} class="tabs-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
          {tabs.map(([name, text]) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={name === chosen ? 0 : -1}
              onClick={() => onChoose(name)}
            >
              {text}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}
