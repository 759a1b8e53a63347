import { eventually } from '@billing/chassis/testing';
import { card, Payer } from '../support/payer';
import type { PersistentClient } from '../support/persistent-client';
import type { TestDatabases } from '../support/shared-system';

/** A caller's actions and its goal, which must be reached even if processes die during the flow. */
export interface CrashFlow {
  readonly name: string;
  /** Sets up the flow before any process is killed. */
  prepare(client: PersistentClient): Promise<any>;
  /** Runs while processes die. */
  act(client: PersistentClient, prepared: any, databases: TestDatabases): Promise<any>;
  /** Throws if the caller did not reach its goal; called when no work is in flight. */
  expectGoal(client: PersistentClient, outcome: any): Promise<void>;
}

export const startOfFlows = '2026-01-31T00:00:00.000Z';
export const renewalDay = '2026-02-28T00:00:00.000Z';
// An attempt whose worker died is resumed after half a minute.
const payerTimeoutMs = 100_000;

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

/** The invoices in the order of their numbers; those of one instant are listed in any order. */
export async function numberedInvoicesOf(client: PersistentClient, id: string): Promise<any[]> {
  const invoices = await invoicesOf(client, id);
  return invoices.toSorted((a, b) => (a.number < b.number ? -1 : 1));
}

/**
 * Acts like a payer who sees an error or a stale page: opens the page again, and continues there
 * until the invoice is paid.
 */
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
    { timeoutMs: payerTimeoutMs, everyMs: 200, everyMsMax: 3_000 },
  );
}
