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
