import { cardText } from '@billing/gateway/card-text';
import type { Today } from '@billing/gateway/operator/today-routes';
import { moneyText, pluralText } from '../../parts/text/text';
import { expiryText, instantText } from '../../parts/text/time-text';
import type { Phrase } from '../../resources/audit-sentence';

/** Something that an operator should do. */
export interface Todo {
  readonly id: string;
  readonly sentence: readonly Phrase[];
  /** Page on which it is done, and the label of the link; undefined for tasks of several pages. */
  readonly link: { readonly href: string; readonly action: string } | undefined;
}

/** Returns the tasks of an operator, the most urgent first. */
export function todosOf({
  failedPayments,
  failingEndpoints,
  parkedSubscriptions,
  expiringCards,
}: Today): Todo[] {
  const failed = failedPayments.map(({ currency, count, amount }) => ({
    id: `failed ${currency}`,
    sentence: [
      `${pluralText(count, 'invoice')} with a failed payment: ${moneyText(amount, currency)} open`,
    ],
    link: { href: '/dunning', action: 'Collect' },
  }));
  const endpoints = failingEndpoints.map(({ id, url, active, failingSince }) => {
    const href = `/developers/webhooks/${id}`;
    return {
      id,
      sentence: [
        active ? 'Webhooks fail at ' : 'Webhooks were disabled after failures at ',
        { text: url, href },
        failingSince === null ? '' : ` since ${instantText(failingSince)}`,
      ],
      link: { href, action: active ? 'Review' : 'Enable' },
    };
  });
  return [
    ...failed,
    ...parkedTodos(parkedSubscriptions),
    ...endpoints,
    ...cardTodos(expiringCards),
  ];
}

type Parked = Today['parkedSubscriptions'];

const parkedTexts: Readonly<Record<Parked['subscriptions'][number]['reason'], string>> = {
  OPEN_INVOICES: 'is not renewed: too many of its invoices are open',
  INVOICES_A_DAY: 'is not renewed: more invoices would begin within a day than its price allows',
  USAGE_TOO_LARGE: 'is not billed: a usage bill is over the largest invoice amount',
};

function parkedTodos({ subscriptions, isMore }: Parked): Todo[] {
  const todos = subscriptions.map(({ subscriptionId, productName, customerName, reason }) => {
    const href = `/subscriptions/${subscriptionId}`;
    const text = `${productName}${customerName === null ? '' : ` of ${customerName}`}`;
    return {
      id: `parked ${subscriptionId}`,
      sentence: [{ text, href }, ` ${parkedTexts[reason]}`],
      link: { href, action: 'Open subscription' },
    };
  });
  if (!isMore) return todos;
  const text = 'More subscriptions are parked. Home lists them once these are resolved';
  return [...todos, { id: 'parked others', sentence: [text], link: undefined }];
}

function cardTodos({ cards, count, isMore }: Today['expiringCards']): Todo[] {
  const todos = cards.map(({ id, customerId, customerName, brand, last4, expiry }) => {
    const href = `/customers/${customerId}`;
    return {
      id: `card ${id}`,
      sentence: [
        'Card of ',
        { text: customerName ?? customerId.slice(0, 8), href },
        `: ${cardText(brand, last4)}, expiry ${expiryText(expiry)}`,
      ],
      link: { href, action: 'Open customer' },
    };
  });
  const others = count - cards.length;
  if (others === 0 && !isMore) return todos;
  const number = others === 0 ? 'More' : `${String(others)}${isMore ? '+' : ''} more`;
  const noun = others === 1 && !isMore ? 'card expires' : 'cards expire';
  const text = `${number} ${noun} by the end of next month`;
  return [...todos, { id: 'card others', sentence: [text], link: undefined }];
}

/** Whole sum of the day before, for a day that has not ended. */
export function yesterdayText(
  { count, amount }: { readonly count: number; readonly amount: number | string },
  currency: string,
): string {
  return count === 0 ? 'None yesterday' : `Yesterday ${moneyText(amount, currency)}`;
}
