/** Light or dark: the system's choice until the user makes one. Canvases ask here for the colours of the style sheet. */
import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'oakum.theme';
const CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

const systemDark = signal(false);
export const themeChoice = signal<ThemeChoice>('system');
export const theme: ReadonlySignal<'light' | 'dark'> = computed(() => {
  if (themeChoice.value !== 'system') return themeChoice.value;
  return systemDark.value ? 'dark' : 'light';
});

export function cycleTheme(): void {
  themeChoice.value = CHOICES[(CHOICES.indexOf(themeChoice.value) + 1) % CHOICES.length];
}

export function startTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  systemDark.value = system.matches;
  system.addEventListener('change', event => void (systemDark.value = event.matches));
  const kept = localStorage.getItem(KEY);
  themeChoice.value = CHOICES.find(choice => choice === kept) ?? 'system';
  effect(() => {
    const choice = themeChoice.value;
    if (choice === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = choice;
    localStorage.setItem(KEY, choice);
  });
}

let probe: HTMLElement | undefined;
let known = new Map<string, string>();
let knownFor = '';

/** What a colour token is now, as `rgb(...)`: `colour('--leak')`. Reading it in an effect follows the theme. */
export function colour(token: string): string {
  if (knownFor !== theme.value) {
    known = new Map();
    knownFor = theme.value;
  }
  const cached = known.get(token);
  if (cached !== undefined) return cached;
  // Custom properties hold light-dark(...) as it is written; only a real property of an element resolves it.
  if (probe === undefined) {
    probe = document.createElement('span');
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(${token})`;
  const value = getComputedStyle(probe).color;
  known.set(token, value);
  return value;
}
