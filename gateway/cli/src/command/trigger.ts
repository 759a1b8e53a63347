import type { Billing } from '@billing/client';
import { parse } from 'node-html-parser';
import { CommandFailure, wrongUsage } from '../terminal/failure';
import { readInstant } from '../terminal/instant';
import { printFields } from '../terminal/output';
import { openSession, type SharedFlags } from '../session/session';
import type { Terminal } from '../terminal/terminal';

/** The ids of what a trigger made. */
type Made = Readonly<Record<string, string>>;

interface Shop {
  readonly customerId: string;
  readonly productId: string;
}

// Cards of the sandbox's payment provider.
const goodCard = '4242424242424242';
const declinedCard = '4000000000000002';

const needsTime = ['subscription.renewed', 'checkout.expired'];

const triggers: Readonly<Record<string, (api: Billing, shop: Shop) => Promise<Made>>> = {
  'subscription.created': (api, shop) => subscribe(api, shop, goodCard),
  'subscription.payment_succeeded': (api, shop) => subscribe(api, shop, goodCard),
  'subscription.payment_failed': (api, shop) => subscribe(api, shop, declinedCard),
  'subscription.updated': async (api, shop) => {
    const made = await subscribe(api, shop, goodCard);
    await api.subscriptions.cancel(made.subscriptionId, { atPeriodEnd: true });
    return made;
  },
  'subscription.canceled': async (api, shop) => {
    const made = await subscribe(api, shop, goodCard);
    await api.subscriptions.cancel(made.subscriptionId, { atPeriodEnd: false });
    return made;
  },
  'subscription.renewed': async (api, shop) => {
    const made = await subscribe(api, shop, goodCard);
    await advance(api, '+1mo');
    return made;
  },
  'checkout.completed': async (api, shop) => {
    const { sessionId, checkoutUrl } = await api.checkout.create(shop);
    await payPage(checkoutUrl);
    return { sessionId };
  },
  'checkout.expired': async (api, shop) => {
    const { sessionId } = await api.checkout.create(shop);
    await advance(api, '+2d');
    return { sessionId };
  },
};

/** Makes an event of a kind happen in a sandbox. */
export async function trigger(terminal: Terminal, kind: string, flags: SharedFlags): Promise<void> {
  const make = Object.hasOwn(triggers, kind) ? triggers[kind] : undefined;
  if (make === undefined) {
    throw wrongUsage(`KIND is one of ${Object.keys(triggers).join(', ')}`);
  }
  const { api, isLive } = await openSession(terminal, flags);
  if (isLive) throw new CommandFailure('trigger works in sandboxes only');
  const { clock } = await api.sandboxes.retrieveClock();
  if (needsTime.includes(kind) && clock !== 'MANUAL') {
    throw new CommandFailure(
      'needs a sandbox with a manual clock: billing sandbox create --manual --use',
    );
  }
  const { id: customerId } = await api.customers.create({ email: 'trigger@example.com' });
  const { id: productId } = await api.products.create({
    name: 'Trigger',
    type: 'FLAT',
    currency: 'USD',
    amount: 1000,
    billingInterval: 'MONTHLY',
  });
  const made = await make(api, { customerId, productId });
  printFields(terminal, { customerId, productId, ...made }, flags);
}

async function subscribe(
  api: Billing,
  shop: Shop,
  card: string,
): Promise<{ subscriptionId: string }> {
  const authorizedTransactionId = `txn_${card}_${shop.customerId}`;
  const { id } = await api.subscriptions.create({ ...shop, authorizedTransactionId });
  return { subscriptionId: id };
}

async function advance(api: Billing, by: string): Promise<void> {
  const { now } = await api.sandboxes.retrieveClock();
  await api.sandboxes.advance({ to: readInstant(by, new Date(now)).toISOString() });
}

const typed: Readonly<Record<string, string>> = {
  'cc-number': goodCard,
  'cc-exp': '12/34',
  'cc-csc': '123',
  'cc-name': 'Trigger',
};

/** Pays on a hosted page, as its form would without a script. */
async function payPage(url: string): Promise<void> {
  const form = parse(await (await fetch(url)).text()).querySelector('form');
  const inputs = form?.querySelectorAll('input') ?? [];
  const fields = inputs.flatMap(({ attributes: { name, autocomplete = '', value = '' } }) =>
    name === undefined ? [] : [[name, typed[autocomplete] ?? value]],
  );
  const action = new URL(form?.getAttribute('action') ?? '', url);
  const answer = await fetch(action, { method: 'POST', body: new URLSearchParams(fields) });
  if (!answer.ok) throw new CommandFailure(`The page answered ${String(answer.status)}`);
}
