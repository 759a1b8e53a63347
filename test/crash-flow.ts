import { eventually } from '@billing/chassis/testing';
import { card, Payer } from './payer';
import type { PersistentClient } from './persistent-client';

/** What a caller does, and what it has when it has done it, whatever dies meanwhile. */
export interface CrashFlow {
  readonly name: string;
  /** What stands before: nothing is killed yet. */
  prepare(client: PersistentClient): Promise<any>;
  /** Done while processes die. */
  act(client: PersistentClient, prepared: any): Promise<any>;
  /** Throws where the caller did not reach its goal; nothing runs any more. */
  expectGoal(client: PersistentClient, outcome: any): Promise<void>;
}

export const startOfFlows = '2026-01-31T00:00:00.000Z';
export const renewalDay = '2026-02-28T00:00:00.000Z';
// An attempt whose worker died is taken up after half a minute.
const payerPatienceMs = 100_000;

const monthly = {
  name: 'Monthly',
  type: 'FLAT',
  currency: 'USD',
  amount: 2900,
  billingInterval: 'MONTHLY',
};

export async function aCustomer(client: PersistentClient): Promise<{ customerId: string }> {
  const { id } = await client.post(201, '/customers', { email: 'ada@example.com' });
  return { customerId: id as string };
}

export async function aProduct(
  client: PersistentClient,
  changes = {},
): Promise<{ productId: string }> {
  const { id } = await client.post(201, '/products', { ...monthly, ...changes });
  return { productId: id as string };
}

export async function aSubscription(
  client: PersistentClient,
  card: string,
): Promise<{ id: string }> {
  const purchase = { ...(await aCustomer(client)), ...(await aProduct(client)) };
  const authorizedTransactionId = `txn_${card}`;
  return client.post(201, '/subscriptions', { ...purchase, authorizedTransactionId });
}

export async function invoicesOf(client: PersistentClient, id: string): Promise<any[]> {
  const { data } = await client.get(`/invoices?subscriptionId=${id}`);
  return (data as any[]).reverse();
}

/** What a payer does who sees an error or an old page: open it anew, and go on where it stands, until the page's owner has the money. */
export async function payUntil(
  isPaid: () => Promise<boolean>,
  { client, url, number }: { client: PersistentClient; url: string; number?: string },
): Promise<void> {
  const payer = new Payer(client.api.gatewayUrl);
  await eventually(
    async () => {
      if (await isPaid()) return;
      const page = await payer.open(url);
      const isAsked = page.root.querySelectorAll('button').some(({ text }) => text === 'Approve');
      if (isAsked) await payer.submit(page, {}, { button: 'Approve' });
      else if (page.root.querySelector('form')) await payer.submit(page, card(number));
      throw new Error(`Not paid yet; the page: ${page.text}`);
    },
    { timeoutMs: payerPatienceMs, everyMs: 200, everyMsMax: 3_000 },
  );
}
