import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const key = 'theme';

/** Shows what was chosen before; without a choice the reader's own setting counts. */
export function showTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The chosen theme, and the way to choose another. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (next: Theme) => {
    try {
      localStorage.setItem(key, next);
    } catch {
      // A browser that keeps nothing shows the choice until it is closed.
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
