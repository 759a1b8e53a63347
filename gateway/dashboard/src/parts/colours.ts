import { useSyncExternalStore } from 'react';

/** The colours that canvases and drawings take from the stylesheet. */
export interface Colours {
  readonly faint: string;
  readonly line: string;
  readonly fill: string;
  readonly series: readonly string[];
}

/** Names of the stylesheet's colours for lines and bars, in their order. */
const seriesNames = ['--series-1', '--series-2', '--series-3', '--series-4'] as const;

let known: Colours | undefined;

/** The colours as they are now: other ones when the theme changes. */
export function useColours(): Colours {
  return useSyncExternalStore(subscribe, read);
}

function subscribe(tell: () => void): () => void {
  const changed = () => {
    known = undefined;
    tell();
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

function read(): Colours {
  if (known !== undefined) return known;
  // A canvas knows no names of colours and no light-dark(): an element says what they come to.
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
