import type { TestStripe } from '@billing/checkout/testing/stripe-provider';
import type { ApiClient } from '../support/api-client';
import type { WebhookReceiver } from '../support/webhook-receiver';

/** What the API shows of the money of an environment, by the ids of its resources. */
export interface Books {
  readonly invoices: ReadonlyMap<string, any>;
  readonly creditNotes: ReadonlyMap<string, any>;
  readonly balances: ReadonlyMap<string, any>;
  readonly subscriptions: ReadonlyMap<string, any>;
  readonly meterCredits: ReadonlyMap<string, any>;
}

// Times of writing and texts of links differ after a restore; what is owed and paid does not.
const compared = {
  invoices: [
    ...['id', 'number', 'status', 'customerId', 'subscriptionId', 'billingReason', 'currency'],
    ...['subtotal', 'discountAmount', 'tax', 'total', 'amountPaid', 'amountDue'],
    ...['periodStart', 'periodEnd'],
  ],
  lines: ['description', 'quantity', 'amount', 'discountAmount', 'periodStart', 'periodEnd'],
  payments: ['amount', 'currency', 'provider', 'status', 'failureCode', 'amountRefunded'],
  creditNotes: ['id', 'number', 'invoiceId', 'total', 'reason'],
  balances: ['customerId', 'currency', 'balance'],
  subscriptions: [
    ...['id', 'customerId', 'productId', 'status', 'phase', 'entitled', 'quantity', 'currency'],
    ...['currentPeriodStart', 'currentPeriodEnd', 'nextInvoiceAt', 'cancelAtPeriodEnd'],
    ...['canceledAt', 'endedAt', 'cancelReason', 'discountId', 'latestInvoiceId'],
  ],
  meterCredits: ['id', 'amount', 'remaining', 'meterId'],
} as const;

function pick(resource: any, names: readonly string[]): any {
  return Object.fromEntries(names.map((name) => [name, resource[name]]));
}

/** Reads the books of the client's environment. */
export async function readBooks(api: ApiClient): Promise<Books> {
  const paths = ['/invoices', '/credit-notes', '/balances', '/subscriptions', '/customers'];
  const all = await Promise.all(paths.map((path) => api.all(path)));
  const [invoices, notes, balances, subscriptions, customers] = all;
  const holders = new Set(subscriptions!.map(({ customerId }) => String(customerId)));
  // A restore may have lost a customer.
  const known = customers!.map(({ id }) => String(id)).filter((id) => holders.has(id));
  const credits = await Promise.all(
    known.map(async (id) => api.all(`/customers/${id}/meter-credits`)),
  );
  return {
    invoices: byId(invoices!.map(bookOf)),
    creditNotes: byId(notes!.map((one) => pick(one, compared.creditNotes))),
    balances: new Map(
      balances!.map((one) => [
        `${String(one.customerId)} ${String(one.currency)}`,
        pick(one, compared.balances),
      ]),
    ),
    subscriptions: byId(subscriptions!.map((one) => pick(one, compared.subscriptions))),
    meterCredits: byId(credits.flat().map((one) => pick(one, compared.meterCredits))),
  };
}

function bookOf(invoice: any): any {
  return {
    ...pick(invoice, compared.invoices),
    lines: invoice.lineItems.map((line: any) => pick(line, compared.lines)),
    payments: invoice.payments.map((payment: any) => pick(payment, compared.payments)),
  };
}

function byId(resources: readonly any[]): ReadonlyMap<string, any> {
  return new Map(
    resources
      .map((one): [string, any] => [String(one.id), one])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Books in which the numbers of documents do not count. */
export function withoutNumbers({ invoices, creditNotes, ...books }: Books): Books {
  const strip = (all: ReadonlyMap<string, any>) =>
    new Map([...all].map(([id, one]) => [id, { ...one, number: one.number === null ? null : '' }]));
  return { ...books, invoices: strip(invoices), creditNotes: strip(creditNotes) };
}

/** Books in which the period of one invoice does not count. */
export function withoutPeriodOf(id: string, books: Books): Books {
  const invoice = books.invoices.get(id);
  const periods = { periodStart: null, periodEnd: null };
  const lines = invoice.lines.map((line: any) => ({ ...line, ...periods }));
  const invoices = new Map(books.invoices).set(id, { ...invoice, ...periods, lines });
  return { ...books, invoices };
}

/** Charges of the provider that were tried, and the money that was taken and given back. */
export function chargesOf({ account }: TestStripe): unknown {
  return structuredClone({
    tried: [...account.intents.values()].map(({ id, status, amount }) => [id, status, amount]),
    taken: account.payments,
  });
}

/** Remembers what customers have on paper and endpoints have received, and refuses a second use. */
export class Announced {
  private readonly numbers = new Map<string, string>();

  /** Records the numbers of an environment's documents. */
  record({ key }: ApiClient, { invoices, creditNotes }: Books): void {
    for (const { id, number } of [...invoices.values(), ...creditNotes.values()]) {
      if (number === null) continue;
      const name = `${key ?? ''} ${String(number)}`;
      const holder = this.numbers.get(name) ?? id;
      // A document that was lost and made again from the same id may have another number.
      if (holder !== id) throw new Error(`${String(number)} was given to ${holder} and ${id}`);
      this.numbers.set(name, id);
    }
  }
}

/** Fails if a webhook id was received with two texts. */
export function expectOneTextAnId({ received }: WebhookReceiver): void {
  const texts = new Map<string, string>();
  for (const { headers, text } of received) {
    const id = String(headers['webhook-id']);
    expect([id, texts.get(id) ?? text]).toEqual([id, text]);
    texts.set(id, text);
  }
}

/** Numbers of webhooks that an endpoint had received. */
// They bill the rest of a period, which may be the whole of it.
const partsOfPeriods = new Set(['SUBSCRIPTION_CANCEL', 'SUBSCRIPTION_CHANGE']);

/** Fails if a whole period of a subscription has two invoices that are owed or paid. */
export function expectOneInvoiceAPeriod({ invoices }: Books): void {
  const periods = [...invoices.values()]
    .filter(({ status, billingReason }) => status !== 'VOID' && !partsOfPeriods.has(billingReason))
    .filter(({ subscriptionId, periodStart }) => subscriptionId !== null && periodStart !== null)
    .map(({ subscriptionId, periodStart }) => `${String(subscriptionId)} ${String(periodStart)}`);
  expect(periods.toSorted()).toEqual([...new Set(periods)].toSorted());
}
