import type { LucideIcon } from 'lucide-react';
import { refusalOf } from '../../api/environment';
import type { Environment, Operator } from '../../api/session';

/** Entry of the palette that opens a page, or a dialog on it. */
export interface Action {
  readonly id: string;
  readonly label: string;
  /** Words that also find it. */
  readonly also: string;
  /** Path below the environment. */
  readonly path: string;
  readonly Icon?: LucideIcon;
}

/** A page that can be opened. */
interface GoTarget {
  readonly path: string;
  readonly label: string;
  readonly Icon: LucideIcon;
}

interface Creation {
  readonly what: string;
  /** Path of the list. */
  readonly list: string;
  /** Label of the button that opens the dialog there. */
  readonly button: string;
  /** Segment of the API that the operator must be allowed to write. */
  readonly segment: string;
}

/** Dialogs of the lists. */
export const creations: readonly Creation[] = [
  { what: 'customer', list: '/customers', button: 'New customer', segment: 'customers' },
  {
    what: 'subscription',
    list: '/subscriptions',
    button: 'New subscription',
    segment: 'subscriptions',
  },
  { what: 'invoice', list: '/invoices', button: 'New invoice', segment: 'invoices' },
  { what: 'product', list: '/products', button: 'New product', segment: 'products' },
  { what: 'discount', list: '/discounts', button: 'New discount', segment: 'discounts' },
  { what: 'checkout link', list: '/checkout', button: 'New link', segment: 'checkout-links' },
  { what: 'meter', list: '/usage', button: 'New meter', segment: 'meters' },
  { what: 'API key', list: '/developers/api-keys', button: 'New key', segment: 'api-keys' },
  {
    what: 'webhook endpoint',
    list: '/developers/webhooks',
    button: 'New endpoint',
    segment: 'webhook-endpoints',
  },
  { what: 'sandbox', list: '/developers/sandboxes', button: 'New sandbox', segment: 'sandboxes' },
];

/** Actions that the operator may take in the environment: create, advance the clock, go to. */
export function actionsOf(
  { role }: Pick<Operator, 'role'>,
  environment: Pick<Environment, 'kind' | 'id' | 'clock'>,
  pages: readonly GoTarget[],
): readonly Action[] {
  const isLive = environment.kind === 'LIVE';
  const allowed = creations.filter(
    ({ segment }) => refusalOf(role, { isLive, segment }) === undefined,
  );
  const clock = {
    id: 'clock',
    label: 'Advance clock',
    also: 'sandbox time',
    path: `/developers/sandboxes/${environment.id}`,
  };
  return [
    ...allowed.map(({ what, list, button }) => ({
      id: `create ${what}`,
      label: `Create ${what}`,
      also: `new add ${button}`,
      path: `${list}?open=${encodeURIComponent(button)}`,
    })),
    ...(environment.clock === 'MANUAL' ? [clock] : []),
    ...pages.map(({ path, label, Icon }) => ({
      id: `go ${path}`,
      label: `Go to ${label}`,
      also: 'open page',
      path,
      Icon,
    })),
  ];
}

/**
 * Actions that have, for each word of the text as typed, a word that begins with it. Actions whose
 * label begins with the text come first; the order of the others stays.
 */
export function matchingActions(actions: readonly Action[], text: string): readonly Action[] {
  const typed = wordsOf(text);
  const matching = actions.filter(({ label, also }) => {
    const words = wordsOf(`${label} ${also}`);
    return typed.every((begun) => words.some((word) => word.startsWith(begun)));
  });
  const begins = ({ label }: Action) => label.toLowerCase().startsWith(text.trim().toLowerCase());
  return [...matching.filter(begins), ...matching.filter((action) => !begins(action))];
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** Path of a found resource below the environment. */
export function pathOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${folders[type] ?? ''}/${id}`;
}

const folders: Readonly<Record<string, string>> = {
  CUSTOMER: '/customers',
  INVOICE: '/invoices',
  SUBSCRIPTION: '/subscriptions',
  PRODUCT: '/products',
  DISCOUNT: '/discounts',
  WEBHOOK_ENDPOINT: '/developers/webhooks',
};
