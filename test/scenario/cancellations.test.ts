import { eventually } from '@billing/chassis/testing';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const lines = ['Pro: 1 × 2999 = 2999'];
const total = 2999;
const january = { period: ['2026-01-31', '2026-02-28'], lines, total } as const;
const february = { period: ['2026-02-28', '2026-03-31'], lines, total } as const;

describe('canceling a subscription', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  test.each([
    ['now', false],
    ['at period end', true],
  ])(
    'that is SCHEDULED %s ends it immediately, and no period ever begins',
    async (_name, atPeriodEnd) => {
      const subscription = await scenario.subscription({ startAt: '2026-03-01T00:00:00Z' });
      await scenario.advanceTo('2026-02-01');
      expect(await scenario.cancel(subscription, atPeriodEnd)).toMatchObject({
        status: 'CANCELED',
      });
      await scenario.advanceTo('2026-05-01');
      await scenario.expectInvoices(subscription, []);
      await scenario.expectWebhooks(subscription, [
        '2026-01-31 created',
        '2026-02-01 canceled REQUESTED',
      ]);
    },
  );

  test('that is ACTIVE and paid ends it immediately and keeps the payment', async () => {
    const subscription = await scenario.subscription();
    await scenario.advanceTo('2026-02-10');
    expect(await scenario.cancel(subscription, false)).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      entitled: false,
      nextInvoiceAt: null,
      canceledAt: '2026-02-10T00:00:00.000Z',
      endedAt: '2026-02-10T00:00:00.000Z',
    });
    await scenario.advanceTo('2026-05-01');
    await scenario.expectInvoices(subscription, [january]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-10 canceled REQUESTED',
    ]);
  });

  test('that is ACTIVE at period end completes the period and renews no more', async () => {
    const subscription = await scenario.subscription();
    await scenario.advanceTo('2026-02-10');
    await scenario.cancel(subscription, true);
    await scenario.advanceTo('2026-05-01');
    expect(await scenario.read(subscription)).toMatchObject({
      status: 'CANCELED',
      cancelReason: 'REQUESTED',
      canceledAt: '2026-02-10T00:00:00.000Z',
      endedAt: '2026-02-28T00:00:00.000Z',
    });
    await scenario.expectInvoices(subscription, [january]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-10 updated nextInvoiceAt 2026-02-28 → null cancelAtPeriodEnd false → true canceledAt null → 2026-02-10 cancelReason null → REQUESTED',
      '2026-02-28 canceled REQUESTED',
    ]);
  });

  test('at period end and undoing it renews as without a cancellation', async () => {
    const subscription = await scenario.subscription();
    await scenario.advanceTo('2026-02-10');
    await scenario.cancel(subscription, true);
    await scenario.advanceTo('2026-02-11');
    const { client } = scenario;
    const path = `/subscriptions/${subscription.id as string}/uncancel`;
    expect(await client.expect(200, client.post(path))).toMatchObject({
      cancelAtPeriodEnd: false,
      canceledAt: null,
      cancelReason: null,
    });
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [january, february]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-10 updated nextInvoiceAt 2026-02-28 → null cancelAtPeriodEnd false → true canceledAt null → 2026-02-10 cancelReason null → REQUESTED',
      '2026-02-11 updated nextInvoiceAt null → 2026-02-28 cancelAtPeriodEnd true → false canceledAt 2026-02-10 → null cancelReason REQUESTED → null',
      '2026-02-28 renewed',
      '2026-02-28 payment_succeeded INV-000002 attempt 1',
    ]);
  });

  test('with a scheduled cancellation ends it immediately, and a CANCELED one never changes', async () => {
    const subscription = await scenario.subscription();
    await scenario.cancel(subscription, true);
    await scenario.advanceTo('2026-02-10');
    const canceled = await scenario.cancel(subscription, false);
    expect(canceled).toMatchObject({ status: 'CANCELED', endedAt: '2026-02-10T00:00:00.000Z' });
    await scenario.advanceTo('2026-02-12');
    expect(await scenario.cancel(subscription, false)).toEqual(canceled);
    expect(await scenario.cancel(subscription, true)).toEqual(canceled);
    const { client } = scenario;
    await client.expect(409, client.post(`/subscriptions/${subscription.id as string}/uncancel`));
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-01-31 updated nextInvoiceAt 2026-02-28 → null cancelAtPeriodEnd false → true canceledAt null → 2026-01-31 cancelReason null → REQUESTED',
      '2026-02-10 canceled REQUESTED',
    ]);
  });

  test('that is PAST_DUE ends it immediately and voids the unpaid invoice of the period', async () => {
    const authorizedTransactionId = cards.failsWhenSaved;
    const subscription = await scenario.subscription({ authorizedTransactionId });
    await scenario.advanceTo('2026-03-01');
    expect(await scenario.read(subscription)).toMatchObject({ status: 'PAST_DUE' });
    await scenario.cancel(subscription, false);
    await scenario.advanceTo('2026-05-01');
    await scenario.expectInvoices(subscription, [
      january,
      { ...february, status: 'VOID', payments: ['2026-02-28 FAILED card_declined'] },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_succeeded INV-000001 attempt 1',
      '2026-02-28 renewed',
      '2026-02-28 payment_failed INV-000002 attempt 1 next 2026-03-03',
      '2026-02-28 updated status ACTIVE → PAST_DUE',
      '2026-03-01 canceled REQUESTED',
    ]);
  });
});

// Worked examples: a monthly period from 1 June to 1 July 2026, upgraded on 16 June.
describe('canceling an upgraded subscription with proration', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  async function upgraded(): Promise<any> {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-16');
    const { id: productId } = await scenario.product({ name: 'Large', amount: 30000 });
    await scenario.change(subscription, { productId });
    return subscription;
  }

  const proration = { proration: 'PRORATE' };
  const cancel = ({ id }: { id: string }, body: object, status = 200): Promise<any> =>
    scenario.client.expect(status, scenario.client.post(`/subscriptions/${id}/cancel`, body));
  const preview = ({ id: subscriptionId }: { id: string }, body: object, status = 200) =>
    scenario.client.expect(
      status,
      scenario.client.post('/previews', { kind: 'CANCEL', subscriptionId, ...body }),
    );

  /** Totals of the customer's numbered credit notes with the numbers of their invoices. */
  const notesOf = (subscription: any, count: number): Promise<unknown[]> =>
    eventually(async () => {
      const { client } = scenario;
      const path = `/credit-notes?customerId=${subscription.customerId as string}`;
      const { data } = await client.expect(200, client.get(path));
      expect(data).toHaveLength(count);
      const invoices = await scenario.invoices(subscription);
      const numberOf = (id: string) => invoices.find((one) => one.id === id).number;
      return data
        .map(({ invoiceId, total, toBalance }: any) => [numberOf(invoiceId), total, toBalance])
        .toSorted();
    });

  test.each([
    ['17', '2026-06-26', [['INV-000002', 5000, 5000]]],
    [
      '18',
      '2026-06-16',
      [
        ['INV-000001', 5000, 5000],
        ['INV-000002', 10000, 10000],
      ],
    ],
  ])(
    '%s: on %s as previewed credits the unused time to the balance',
    async (_number, on, credited) => {
      const subscription = await upgraded();
      await scenario.advanceTo(on);
      const shown = await preview(subscription, proration);
      expect(shown).toMatchObject({
        ...{ kind: 'CANCEL', at: shown.effectiveAt, invoice: null, dueNow: 0, nextInvoice: null },
        ...{ monthlyAmountBefore: 30000, monthlyAmountAfter: 0 },
      });
      expect(shown.creditNotes.map(({ amount, settledBy }: any) => [amount, settledBy])).toEqual(
        credited.toReversed().map(([, amount]) => [amount, 'BALANCE']),
      );
      const ended = await cancel(subscription, { ...proration, previewToken: shown.token });
      expect(ended).toMatchObject({ status: 'CANCELED', endedAt: shown.at });
      expect(await notesOf(subscription, credited.length)).toEqual(credited);
      expect(await cancel(subscription, proration)).toMatchObject({ status: 'CANCELED' });
      await scenario.advanceTo('2026-08-01');
      expect(await notesOf(subscription, credited.length)).toEqual(credited);
    },
  );

  test('the preview of the next invoice shows what a renewal bills, until the end is scheduled', async () => {
    const subscription = await upgraded();
    const { client } = scenario;
    const asked = { kind: 'NEXT_INVOICE', subscriptionId: subscription.id };
    const shown = await client.expect(200, client.post('/previews', asked));
    expect(shown).toMatchObject({
      ...{ kind: 'NEXT_INVOICE', token: null, effectiveAt: '2026-07-01T00:00:00.000Z' },
      ...{ invoice: null, dueNow: 0, monthlyAmountBefore: 30000, monthlyAmountAfter: 30000 },
      nextInvoice: { total: 30000, estimated: false, billingReason: 'SUBSCRIPTION_CYCLE' },
    });
    expect(await client.expect(400, client.post('/previews', { ...asked, change: {} }))).toEqual({
      error: { change: ['Unknown field'] },
    });
    await cancel(subscription, { atPeriodEnd: true });
    expect(await client.expect(200, client.post('/previews', asked))).toMatchObject({
      nextInvoice: null,
    });
    await cancel(subscription, {});
    expect(await client.expect(409, client.post('/previews', asked))).toEqual({
      error: 'Subscription is already canceled',
    });
  });

  test('is refused at the period end, and with a token that does not hold any more', async () => {
    const subscription = await upgraded();
    const atEnd = { ...proration, atPeriodEnd: true };
    const notAtEnd = { error: { proration: ['Not at period end'] } };
    expect(await cancel(subscription, atEnd, 400)).toEqual(notAtEnd);
    expect(await preview(subscription, atEnd, 400)).toEqual(notAtEnd);
    const { token: previewToken } = await preview(subscription, proration);
    expect(await cancel(subscription, { previewToken }, 400)).toEqual({
      error: { previewToken: ['Preview is for another request'] },
    });
    const [, invoice] = await scenario.invoices(subscription);
    const { client } = scenario;
    const note = { invoiceId: invoice.id, amount: 6000, reason: 'OTHER' };
    await client.expect(201, client.post('/credit-notes', note));
    expect(await cancel(subscription, { ...proration, previewToken }, 409)).toEqual({
      error: 'Preview is stale: invoice',
    });
    expect(await scenario.read(subscription)).toMatchObject({ status: 'ACTIVE' });
    await cancel(subscription, proration);
    expect(await preview(subscription, {}, 409)).toEqual({
      error: 'Subscription is already canceled',
    });
    expect(await cancel(subscription, { ...proration, previewToken }, 409)).toEqual({
      error: 'Preview is stale: subscription',
    });
  });

  test('as previewed at the period end ends it there and gives nothing back', async () => {
    const subscription = await upgraded();
    const shown = await preview(subscription, { atPeriodEnd: true });
    expect(shown).toMatchObject({ effectiveAt: '2026-07-01T00:00:00.000Z', creditNotes: [] });
    const flagged = { atPeriodEnd: true, previewToken: shown.token };
    expect(await cancel(subscription, flagged)).toMatchObject({ cancelAtPeriodEnd: true });
    await scenario.advanceTo('2026-07-01');
    expect(await scenario.read(subscription)).toMatchObject({ status: 'CANCELED' });
    expect(await notesOf(subscription, 0)).toEqual([]);
  });
});
