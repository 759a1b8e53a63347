import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const key = 'theme';

/** Applies the chosen theme; the default follows the system setting. */
export function showTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The chosen theme and its setter. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (next: Theme) => {
    try {
      localStorage.setItem(key, next);
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
    showTheme(next);
    setTheme(next);
  };
  return [theme, choose];
}

function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(key);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}
