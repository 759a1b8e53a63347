import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { expectInvariants } from '../invariants/expectation';
import { isShort } from '../support/rounds';
import type { TestSystem } from '../support/shared-system';
import { card, Payer, type PayerPage } from '../support/payer';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';

/** Cards of the sandbox, as an authorization names them. */
export const cards = {
  good: 'txn_4242424242424242',
  declined: 'txn_4000000000000002',
  expired: 'txn_4000000000000069',
  failsWhenSaved: 'txn_4000000000000341',
  failsTwice: 'txn_4000000000005126',
} as const;

/**
 * One line of an invoice: `Pro: 1 × 2999 = 2999`, with a discount `… − 600`, without a single rate
 * `Seats: 120 = 11500`.
 */
type LineText = string;

/** An invoice in the notation of a scenario: every amount in cents, a midnight as its day. */
interface InvoiceRow {
  readonly number: string;
  readonly status: string;
  readonly reason: string;
  /** Both ends, the second one exclusive. */
  readonly period: readonly [string, string] | null;
  readonly lines: readonly LineText[];
  readonly discount: number;
  readonly total: number;
  readonly paidAt: string | null;
  /** `2026-01-31 SUCCEEDED`, `2026-02-28 FAILED card_declined`. */
  readonly payments: readonly string[];
}

/** Omitted fields have their usual value. */
export type ExpectedInvoice = Partial<InvoiceRow> & Pick<InvoiceRow, 'period' | 'lines' | 'total'>;

const webhooksWithinMs = 60_000;

/** Number of scenarios of this file that have ended. */
let endedCount = 0;

/** A dated sequence of events in a separate sandbox, whose clock it advances. */
export class Scenario {
  private constructor(
    readonly system: TestSystem,
    readonly environmentId: string,
    readonly client: ApiClient,
    private readonly receiver: WebhookReceiver,
  ) {}

  static async begin(system: TestSystem, startsAt: string): Promise<Scenario> {
    const input = { name: 'test', clock: 'MANUAL', startsAt: toTime(startsAt) };
    const { id, key } = await system.live.expect(201, system.live.post('/sandboxes', input));
    const client = system.client(key as string);
    const receiver = await startWebhookReceiver();
    await client.expect(201, client.post('/webhook-endpoints', { url: receiver.url }));
    return new Scenario(system, id as string, client, receiver);
  }

  /**
   * Checks the invariants at the end of every scenario; in a short round, those about exports and
   * other environments after the first one of each file.
   */
  async end(): Promise<void> {
    const isBrief = isShort && endedCount > 0;
    endedCount += 1;
    try {
      await expectInvariants(this.system, this.client, { receivers: [this.receiver], isBrief });
    } finally {
      await this.receiver.close();
    }
  }

  async customer(changes: object = {}): Promise<any> {
    const input = { email: 'ada@example.com', name: 'Ada', ...changes };
    return this.client.expect(201, this.client.post('/customers', input));
  }

  /** Creates a flat monthly product, by default at 29.99 USD. */
  async product(changes: object = {}): Promise<any> {
    const input = {
      name: 'Pro',
      type: 'FLAT',
      currency: 'USD',
      amount: 2999,
      billingInterval: 'MONTHLY',
      ...changes,
    };
    return this.client.expect(201, this.client.post('/products', input));
  }

  async discount(changes: object): Promise<any> {
    const input = { name: 'Welcome', ...changes };
    return this.client.expect(201, this.client.post('/discounts', input));
  }

  /**
   * Creates a subscription of a new customer to a new product, by default paid with a good card.
   */
  async subscription({
    product = {},
    customer = {},
    ...input
  }: { product?: object; customer?: object } & Readonly<
    Record<string, unknown>
  > = {}): Promise<any> {
    const { id: customerId } = await this.customer(customer);
    const { id: productId } = await this.product(product);
    const body = { customerId, productId, authorizedTransactionId: cards.good, ...input };
    return this.client.subscribe(body);
  }

  /** Creates a checkout of a new customer and a new product. */
  async session({
    product = {},
    customer = {},
    ...input
  }: { product?: object; customer?: object } & Readonly<Record<string, unknown>> = {}): Promise<{
    sessionId: string;
    checkoutUrl: string;
    invoice: any;
  }> {
    const { id: customerId } = await this.customer(customer);
    const { id: productId } = await this.product(product);
    return this.client.expect(
      201,
      this.client.post('/checkout', { customerId, productId, ...input }),
    );
  }

  /** Opens a public page, submits a card in its form, and waits for the payment. */
  async payOn(url: string, number?: string): Promise<PayerPage> {
    const payer = new Payer(this.system.gatewayUrl);
    const page = await payer.open(url);
    return this.client.complete(() => payer.submit(page, card(number)));
  }

  /** Approves the challenge of a bank, and waits for the payment. */
  approve(page: PayerPage): Promise<PayerPage> {
    const payer = new Payer(this.system.gatewayUrl);
    return this.client.complete(() => payer.submit(page, {}, { button: 'Approve' }));
  }

  readSession({ sessionId }: { sessionId: string }): Promise<any> {
    return this.client.expect(200, this.client.get(`/checkout/${sessionId}`));
  }

  read(subscription: { id: string }): Promise<any> {
    return this.client.expect(200, this.client.get(`/subscriptions/${subscription.id}`));
  }

  async cancel(subscription: { id: string }, atPeriodEnd: boolean): Promise<any> {
    const path = `/subscriptions/${subscription.id}/cancel`;
    return this.client.complete(() =>
      this.client.expect(200, this.client.post(path, { atPeriodEnd })),
    );
  }

  /** Asks for a change, and waits for its payment. */
  async change(subscription: { id: string }, body: object): Promise<any> {
    const path = `/subscriptions/${subscription.id}/changes`;
    return this.client.complete<any>(
      () => this.client.expect(201, this.client.post(path, body)),
      ({ id }) => this.client.expect(200, this.client.get(`${path}/${String(id)}`)),
    );
  }

  async advanceTo(day: string): Promise<void> {
    await this.client.advanceTo(toTime(day));
  }

  /** Returns all invoices of a subscription, the oldest first. */
  async invoices(subscription: { id: string }): Promise<any[]> {
    return (await this.client.all(`/invoices?subscriptionId=${subscription.id}`)).reverse();
  }

  /** Checks every invoice of the subscription, line by line. */
  async expectInvoices(
    subscription: { id: string },
    expected: readonly ExpectedInvoice[],
  ): Promise<void> {
    const rows = (await this.invoices(subscription)).map(toRow);
    expect(rows).toEqual(expected.map(toExpectedRow));
  }

  /**
   * Checks every webhook of the subscription, in the order of its sequence, as `<day> <kind>
   * <details>`: `2026-02-28 payment_failed INV-000002 attempt 1 next 2026-03-03`, `2026-02-28
   * updated status ACTIVE
   */
  async expectWebhooks(subscription: { id: string }, expected: readonly string[]): Promise<void> {
    await eventually(
      () => {
        expect(this.webhooksOf(subscription).map(toText)).toEqual(expected);
      },
      { timeoutMs: webhooksWithinMs, everyMs: 100 },
    );
    this.webhooksOf(subscription).forEach((body, index) => {
      const { id, type, timestamp, sequence, restoreCode, data, ...scalars } = body;
      // Warnings have numbers too, and reach only endpoints that name them.
      expect(sequence).toBeGreaterThanOrEqual(index + 1);
      expect(sequence).toBeGreaterThan(this.webhooksOf(subscription)[index - 1]?.sequence ?? 0);
      expect([id, type, timestamp].every((text) => typeof text === 'string')).toBe(true);
      expect(restoreCode).toBeNull();
      expect(scalars).toEqual(scalarsOf(data));
      expectPayload(body);
    });
  }

  /** The bodies of all webhooks so far at the endpoint that names no kinds. */
  webhooks(): any[] {
    return this.receiver.received.map(({ body }) => body);
  }

  /**
   * All events of the feed so far of these kinds, as `<day> <kind> <reminder>`, by time: those of
   * different subjects are in the feed in any order.
   */
  async feed(types: readonly string[]): Promise<string[]> {
    const path = `/webhook-events?limit=1000&types=${types.join()}`;
    const { data } = await this.client.expect(200, this.client.get(path));
    const latest = new Map<string, string>();
    for (const { subject, event } of data as any[]) {
      expect(event.timestamp >= (latest.get(subject.id) ?? '')).toBe(true);
      latest.set(subject.id as string, event.timestamp as string);
    }
    const byTime = (data as any[]).toSorted((a, b) =>
      String(a.event.timestamp).localeCompare(String(b.event.timestamp)),
    );
    return byTime.map(({ event: { type, timestamp, data: facts } }) =>
      [toDay(timestamp as string), type, facts.reminder]
        .filter((part) => part !== undefined)
        .join(' '),
    );
  }

  /** All mails of the inbox, oldest first, as `<day> <kind>`. */
  async mails(): Promise<string[]> {
    const mails = await this.client.all('/sandboxes/inbox');
    return mails
      .map(({ createdAt, kind }) => `${String(createdAt).slice(0, 10)} ${String(kind)}`)
      .reverse();
  }

  private webhooksOf({ id }: { id: string }): any[] {
    const bodies = new Map<string, any>();
    for (const { body } of this.receiver.received) {
      if (body.data.subscriptionId === id) bodies.set(body.id, body);
    }
    return [...bodies.values()].sort((a, b) => a.sequence - b.sequence);
  }
}

/** The fields of `data` that are repeated at the top level. */
function scalarsOf(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).filter(([, value]) => typeof value !== 'object' || value === null),
  );
}

const keysOfAll = ['subscriptionId', 'customerId', 'status', 'subscription'];

/**
 * Checks that the payload has exactly the keys of its kind, with the same contents under all of
 * them.
 */
function expectPayload({ type, timestamp, data }: any): void {
  const kind = String(type).replace('subscription.', '');
  const { subscription } = data;
  expect(data).toMatchObject({
    subscriptionId: subscription.id,
    customerId: subscription.customerId,
    status: subscription.status,
  });
  expect(subscription.updatedAt).toBe(timestamp);
  expect(Object.keys(data).sort()).toEqual([...keysOfAll, ...keysOf(kind, data)].sort());
}

function keysOf(kind: string, data: any): string[] {
  switch (kind) {
    case 'created':
    case 'renewed': {
      const isBilled = data.subscription.phase === 'REGULAR' || 'invoiceId' in data;
      return isBilled ? ['invoiceId'] : [];
    }
    case 'payment_succeeded':
      return ['invoice', 'attempt'];
    case 'payment_failed':
      return ['invoice', 'attempt', ...('nextAttemptAt' in data ? ['nextAttemptAt'] : [])];
    case 'updated':
      return ['changes', ...['changeId', 'invoice'].filter((key) => key in data)];
    case 'canceled':
      return data.reason === 'PAYMENT_FAILED'
        ? ['reason', 'canceledAt', 'invoice', 'attempt']
        : ['reason', 'canceledAt'];
    default:
      return [];
  }
}

function toText({ type, timestamp, data }: any): string {
  const kind = String(type).replace('subscription.', '');
  const { invoice, attempt, nextAttemptAt, changes, reason } = data;
  const shown = (value: unknown) =>
    typeof value === 'string' ? toDay(value) : JSON.stringify(value);
  return [
    toDay(timestamp as string),
    kind,
    ...(reason === undefined ? [] : [String(reason)]),
    ...(invoice === undefined ? [] : [String(invoice.number)]),
    ...(attempt === undefined ? [] : [`attempt ${String(attempt)}`]),
    ...(nextAttemptAt === undefined ? [] : [`next ${toDay(nextAttemptAt as string)}`]),
    ...Object.entries<any>(changes ?? {}).map(
      ([field, { from, to }]) => `${field} ${shown(from)} → ${shown(to)}`,
    ),
  ].join(' ');
}

function toRow(invoice: any): InvoiceRow {
  const { lineItems, payments, periodStart, periodEnd, discountAmount, subtotal, total } = invoice;
  expect(subtotal - discountAmount).toBe(total);
  return {
    number: invoice.number,
    status: invoice.status,
    reason: invoice.billingReason,
    period: periodStart === null ? null : [toDay(periodStart), toDay(periodEnd)],
    lines: lineItems.map((line: any) => {
      expect([line.periodStart, line.periodEnd]).toEqual([periodStart, periodEnd]);
      return toLineText(line);
    }),
    discount: discountAmount,
    total,
    paidAt: invoice.paidAt === null ? null : toDay(invoice.paidAt),
    payments: payments.map(({ createdAt, status, failureCode, amount }: any) => {
      expect(amount).toBe(total);
      return [toDay(createdAt), status, ...(failureCode === null ? [] : [failureCode])].join(' ');
    }),
  };
}

function toLineText({ description, quantity, unitAmount, amount, discountAmount }: any): LineText {
  const rate = unitAmount === null ? '' : ` × ${String(unitAmount)}`;
  const off = discountAmount === 0 ? '' : ` − ${String(discountAmount)}`;
  return `${String(description)}: ${String(quantity)}${rate} = ${String(amount)}${off}`;
}

/** By default paid on its first day, with the next number and a later period. */
function toExpectedRow(expected: ExpectedInvoice, index: number): InvoiceRow {
  const start = expected.period?.[0] ?? '';
  const isPaid = (expected.status ?? 'PAID') === 'PAID';
  return {
    number: `INV-${String(index + 1).padStart(6, '0')}`,
    status: 'PAID',
    reason: index === 0 ? 'SUBSCRIPTION_CREATE' : 'SUBSCRIPTION_CYCLE',
    discount: 0,
    paidAt: isPaid ? start : null,
    payments: isPaid && expected.total > 0 ? [`${start} SUCCEEDED`] : [],
    ...expected,
  };
}

/** The day alone where it is a midnight. */
export function toDay(time: string): string {
  return time.replace(/T00:00:00\.000Z$/, '');
}

function toTime(day: string): string {
  return day.includes('T') ? day : `${day}T00:00:00.000Z`;
}

/** The periods between boundaries, e.g. for `expectInvoices`. */
export function periodsBetween(boundaries: readonly string[]): [string, string][] {
  return boundaries.slice(1).map((end, index) => [boundaries[index] ?? '', end]);
}
