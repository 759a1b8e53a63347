/** Effect of a shortcut. */
export type Command =
  | { readonly kind: 'PALETTE' | 'SHORTCUTS' | 'FILTER' }
  /** Opens a page of the environment. */
  | { readonly kind: 'GO'; readonly path: string }
  /** Moves the focus to another row of the list. */
  | { readonly kind: 'MOVE'; readonly by: 1 | -1 };

/** A pressed key and the place of the focus. */
export interface KeyPress {
  readonly key: string;
  /** Control, or Command on a Mac. */
  readonly isControl: boolean;
  readonly isAlt: boolean;
  readonly focus: 'PAGE' | 'FIELD' | 'DIALOG';
  readonly atMs: number;
  /** False if the operator turned off shortcuts of single keys. */
  readonly hasSingleKeys: boolean;
}

/** Result of a key; `goSinceMs` is the time of a `g` that waits for the next key. */
export interface KeyResult {
  readonly command?: Command;
  readonly goSinceMs?: number;
}

/** Pages by the key after `g`. */
export const goKeys: Readonly<Record<string, { readonly path: string; readonly label: string }>> = {
  h: { path: '/', label: 'Home' },
  c: { path: '/customers', label: 'Customers' },
  s: { path: '/subscriptions', label: 'Subscriptions' },
  i: { path: '/invoices', label: 'Invoices' },
  p: { path: '/products', label: 'Products' },
  d: { path: '/discounts', label: 'Discounts' },
  u: { path: '/usage', label: 'Usage' },
  r: { path: '/revenue', label: 'Revenue' },
  k: { path: '/developers/api-keys', label: 'API keys' },
  w: { path: '/developers/webhooks', label: 'Webhooks' },
};

// A later key begins something else.
const sequenceMs = 1_500;

/** Returns the command of a key. Typing into a field or a dialog is never a command. */
export function resultOf(press: KeyPress, goSinceMs: number | undefined): KeyResult {
  const { key, isControl, isAlt, focus, atMs, hasSingleKeys } = press;
  if (isControl) {
    const isPalette = key.toLowerCase() === 'k' && !isAlt && focus !== 'DIALOG';
    return isPalette ? { command: { kind: 'PALETTE' } } : {};
  }
  if (isAlt || focus !== 'PAGE') return {};
  if (key === 'ArrowDown') return { command: { kind: 'MOVE', by: 1 } };
  if (key === 'ArrowUp') return { command: { kind: 'MOVE', by: -1 } };
  if (!hasSingleKeys) return {};
  if (goSinceMs !== undefined && atMs - goSinceMs <= sequenceMs) {
    const page = Object.hasOwn(goKeys, key) ? goKeys[key] : undefined;
    return page === undefined ? {} : { command: { kind: 'GO', path: page.path } };
  }
  switch (key) {
    case 'g':
      return { goSinceMs: atMs };
    case '/':
      return { command: { kind: 'FILTER' } };
    case '?':
      return { command: { kind: 'SHORTCUTS' } };
    default:
      return {};
  }
}
