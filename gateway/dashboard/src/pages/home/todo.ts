import { cardText } from '@billing/gateway/card-text';
import type { Today } from '@billing/gateway/operator/today-routes';
import { moneyText, pluralText } from '../../parts/text/text';
import { expiryText, instantText } from '../../parts/text/time-text';
import type { Phrase } from '../../resources/audit-sentence';

/** Something that an operator should do. */
export interface Todo {
  readonly id: string;
  readonly sentence: readonly Phrase[];
  /** Page on which it is done, and the label of the link. */
  readonly href: string;
  readonly action: string;
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
    href: '/dunning',
    action: 'Collect',
  }));
  const endpoints = failingEndpoints.map(({ id, url, active, failingSince }) => ({
    id,
    sentence: [
      active ? 'Webhooks fail at ' : 'Webhooks were disabled after failures at ',
      { text: url, href: `/developers/webhooks/${id}` },
      failingSince === null ? '' : ` since ${instantText(failingSince)}`,
    ],
    href: `/developers/webhooks/${id}`,
    action: active ? 'Review' : 'Enable',
  }));
  const urgent = [...failed, ...parkedTodos(parkedSubscriptions), ...endpoints];
  const [first] = expiringCards.cards;
  if (first === undefined) return urgent;
  const { count, isMore } = expiringCards;
  const cards = {
    id: 'cards',
    sentence: [
      `${String(count)}${isMore ? '+' : ''} default ${count === 1 ? 'card expires' : 'cards expire'} by the end of next month: `,
      ...expiringCards.cards.flatMap(cardPhrases),
      ...(count > expiringCards.cards.length ? [' and others'] : []),
    ],
    href: `/customers/${first.customerId}`,
    action: 'Open customer',
  };
  return [...urgent, cards];
}

type Parked = Today['parkedSubscriptions'];

const parkedTexts: Readonly<Record<Parked['subscriptions'][number]['reason'], string>> = {
  OPEN_INVOICES: 'is not renewed: too many of its invoices are open',
  INVOICES_A_DAY: 'is not renewed: more invoices would begin within a day than its price allows',
  USAGE_TOO_LARGE: 'is not billed: a usage bill is over the largest invoice amount',
};

function parkedTodos({ subscriptions, count, isMore }: Parked): Todo[] {
  const others = count - subscriptions.length;
  return subscriptions.map(({ subscriptionId, productName, customerName, reason }, index) => ({
    id: `parked ${subscriptionId}`,
    sentence: [
      {
        text: `${productName}${customerName === null ? '' : ` of ${customerName}`}`,
        href: `/subscriptions/${subscriptionId}`,
      },
      ` ${parkedTexts[reason]}`,
      index === subscriptions.length - 1 && (others > 0 || isMore)
        ? ` (${String(others)}${isMore ? '+' : ''} more)`
        : '',
    ],
    href: `/subscriptions/${subscriptionId}`,
    action: 'Open subscription',
  }));
}

type ExpiringCard = Today['expiringCards']['cards'][number];

function cardPhrases(card: ExpiringCard, index: number): readonly Phrase[] {
  const { customerId, customerName, brand, last4, expiry } = card;
  const name = customerName ?? customerId.slice(0, 8);
  return [
    index === 0 ? '' : ', ',
    { text: name, href: `/customers/${customerId}` },
    ` (${cardText(brand, last4)}, ${expiryText(expiry)})`,
  ];
}

/** Change of an amount since yesterday: “+25%”, “−40%”, “Same as yesterday”. */
export function changeText(today: number | string, yesterday: number | string): string {
  const [now, before] = [Number(today), Number(yesterday)];
  if (now === before) return 'Same as yesterday';
  if (before === 0) return 'None yesterday';
  const percent = Math.round(((now - before) / before) * 100);
  return `${percent > 0 ? '+' : '−'}${String(Math.abs(percent))}% against yesterday`;
}
