import { useSyncExternalStore } from 'react';

/** Colors of the stylesheet for canvases. */
export interface Colors {
  readonly faint: string;
  readonly line: string;
  readonly fill: string;
  readonly series: readonly string[];
}

/** Stylesheet variables of the series colors, in order. */
const seriesNames = ['--series-1', '--series-2', '--series-3', '--series-4'] as const;

let known: Colors | undefined;

/** Current colors, updated when the theme changes. */
export function useColors(): Colors {
  return useSyncExternalStore(subscribe, read);
}

function subscribe(notify: () => void): () => void {
  const changed = () => {
    known = undefined;
    notify();
  };
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', changed);
  const chosen = new MutationObserver(changed);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    dark.removeEventListener('change', changed);
    chosen.disconnect();
  };
}

function read(): Colors {
  if (known !== undefined) return known;
  // A canvas cannot resolve CSS variables or light-dark(), so a probe element does.
  const probe = document.body.appendChild(document.createElement('span'));
  const value = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  known = {
    faint: value('--faint'),
    line: value('--line'),
    fill: value('--series-fill'),
    series: seriesNames.map(value),
  };
  probe.remove();
  return known;
}
