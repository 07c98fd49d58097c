/* Light or dark: as the system says, until the reader says otherwise. */

export type Theme = 'light' | 'dark';

const system = window.matchMedia('(prefers-color-scheme: dark)');
const KEY = 'dalembert theme';

export function remember(key: string, value: string | null, store: () => Storage = () => localStorage): void {
  try {
    if (value === null) store().removeItem(key);
    else store().setItem(key, value);
  } catch { /* a page from disk may have no store */ }
}

export function recall(key: string, store: () => Storage = () => localStorage): string | null {
  try {
    return store().getItem(key);
  } catch {
    return null;
  }
}

export class ThemeSwitch {
  private chosen = recall(KEY) as Theme | null;
  changed: () => void = () => undefined;

  constructor() {
    this.apply();
    system.addEventListener('change', () => { this.apply(); this.changed(); });
  }

  get theme(): Theme {
    return this.chosen === 'light' || this.chosen === 'dark' ? this.chosen : system.matches ? 'dark' : 'light';
  }

  toggle(): void {
    this.chosen = this.theme === 'dark' ? 'light' : 'dark';
    remember(KEY, this.chosen);
    this.apply();
    this.changed();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
  }

  tones(): { back: string; grid: string } {
    const style = getComputedStyle(document.documentElement);
    return { back: style.getPropertyValue('--stage').trim(), grid: style.getPropertyValue('--grid').trim() };
  }
}
