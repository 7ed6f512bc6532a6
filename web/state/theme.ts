/** Light or dark: as the system has it, unless the user chooses. Canvases get the style sheet's colours here. */
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
  themeChoice.value = CHOICES[(CHOICES.indexOf(themeChoice.value) + 1) % CHOICES.length] ?? 'system';
}

export function startTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  systemDark.value = system.matches;
  system.addEventListener('change', event => void (systemDark.value = event.matches));
  const stored = localStorage.getItem(KEY);
  themeChoice.value = CHOICES.find(choice => choice === stored) ?? 'system';
  effect(() => {
    const choice = themeChoice.value;
    if (choice === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = choice;
    localStorage.setItem(KEY, choice);
  });
}

/** A custom property holds light-dark(...) unresolved; only a real property of an element resolves it. */
const probe: ReadonlySignal<HTMLElement> = computed(() => {
  const element = document.createElement('span');
  element.hidden = true;
  document.body.append(element);
  return element;
});

/** What the tokens are in the current theme, by name, as far as they were asked for. */
const coloursOfTheme: ReadonlySignal<Map<string, string>> = computed(() => {
  void theme.value;
  return new Map();
});

/** The current value of a colour token, as `rgb(...)`: `colour('--leak')`. Follows the theme in an effect. */
export function colour(token: string): string {
  const colours = coloursOfTheme.value;
  const known = colours.get(token);
  if (known !== undefined) return known;
  const { style } = probe.value;
  style.color = `var(${token})`;
  const value = getComputedStyle(probe.value).color;
  colours.set(token, value);
  return value;
}
