import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const lines = ['Pro: 1 × 2999 = 2999'];
const total = 2999;
const january = { period: ['2026-01-31', '2026-02-28'], lines, total } as const;
const february = { period: ['2026-02-28', '2026-03-31'], lines, total } as const;
const march = { period: ['2026-03-31', '2026-04-30'], lines, total } as const;
const paidFirst = ['2026-01-31 created', '2026-01-31 payment_succeeded INV-000001 attempt 1'];

describe('a payment that fails', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  const pay = (invoiceId: string, body: object = {}) =>
    scenario.client.expect(200, scenario.client.post(`/invoices/${invoiceId}/pay`, body));

  test('is retried on day 3 and day 7, and its success makes the subscription ACTIVE again', async () => {
    const authorizedTransactionId = cards.failsTwice;
    const subscription = await scenario.subscription({ authorizedTransactionId });
    await scenario.advanceTo('2026-03-31');
    await scenario.expectInvoices(subscription, [
      january,
      {
        ...february,
        paidAt: '2026-03-07',
        payments: [
          '2026-02-28 FAILED card_declined',
          '2026-03-03 FAILED card_declined',
          '2026-03-07 SUCCEEDED',
        ],
      },
      march,
    ]);
    await scenario.expectWebhooks(subscription, [
      ...paidFirst,
      '2026-02-28 renewed',
      '2026-02-28 payment_failed INV-000002 attempt 1 next 2026-03-03',
      '2026-02-28 updated status ACTIVE → PAST_DUE',
      '2026-03-03 payment_failed INV-000002 attempt 2 next 2026-03-07',
      '2026-03-07 payment_succeeded INV-000002 attempt 3',
      '2026-03-07 updated status PAST_DUE → ACTIVE',
      '2026-03-31 renewed',
      '2026-03-31 payment_succeeded INV-000003 attempt 1',
    ]);
  });

  test('is not postponed by a manual attempt, and recovers on day 3', async () => {
    const authorizedTransactionId = cards.failsTwice;
    const subscription = await scenario.subscription({ authorizedTransactionId });
    await scenario.advanceTo('2026-03-01');
    const [, invoice] = await scenario.invoices(subscription);
    expect(await pay(invoice.id as string)).toMatchObject({
      status: 'OPEN',
      amountDue: total,
      payments: [{ status: 'FAILED' }, { status: 'FAILED', failureCode: 'card_declined' }],
    });
    await scenario.advanceTo('2026-03-04');
    await scenario.expectInvoices(subscription, [
      january,
      {
        ...february,
        paidAt: '2026-03-03',
        payments: [
          '2026-02-28 FAILED card_declined',
          '2026-03-01 FAILED card_declined',
          '2026-03-03 SUCCEEDED',
        ],
      },
    ]);
    await scenario.expectWebhooks(subscription, [
      ...paidFirst,
      '2026-02-28 renewed',
      '2026-02-28 payment_failed INV-000002 attempt 1 next 2026-03-03',
      '2026-02-28 updated status ACTIVE → PAST_DUE',
      '2026-03-01 payment_failed INV-000002 attempt 2 next 2026-03-03',
      '2026-03-03 payment_succeeded INV-000002 attempt 3',
      '2026-03-03 updated status PAST_DUE → ACTIVE',
    ]);
  });

  test("of a trial by a card that never paid leaves the customer's other subscription paid", async () => {
    const authorizedTransactionId = cards.good;
    const paid = await scenario.subscription({ authorizedTransactionId });
    const { id: productId } = await scenario.product({ name: 'Extra', trialDays: 14 });
    const { customerId } = paid as { customerId: string };
    const trial = { customerId, productId, authorizedTransactionId: cards.failsWhenSaved };
    const tried = await scenario.client.expect(201, scenario.client.post('/subscriptions', trial));
    await scenario.advanceTo('2026-03-16');

    await scenario.expectInvoices(paid, [january, { ...february, number: 'INV-000003' }]);
    const extra = { lines: ['Extra: 1 × 2999 = 2999'], total } as const;
    await scenario.expectInvoices(tried, [
      {
        ...extra,
        number: 'INV-000002',
        reason: 'SUBSCRIPTION_CYCLE',
        period: ['2026-02-14', '2026-03-14'],
        paidAt: '2026-02-17',
        payments: [
          '2026-02-14 FAILED card_declined',
          '2026-02-17 FAILED card_declined',
          '2026-02-17 SUCCEEDED',
        ],
      },
      {
        ...extra,
        number: 'INV-000004',
        status: 'OPEN',
        reason: 'SUBSCRIPTION_CYCLE',
        period: ['2026-03-14', '2026-04-14'],
        paidAt: null,
        payments: ['2026-03-14 FAILED card_declined'],
      },
    ]);
    expect(await scenario.read(paid)).toMatchObject({ status: 'ACTIVE', entitled: true });
    await scenario.expectWebhooks(paid, [
      ...paidFirst,
      '2026-02-28 renewed',
      '2026-02-28 payment_succeeded INV-000003 attempt 1',
    ]);
    await scenario.expectWebhooks(tried, [
      '2026-01-31 created',
      '2026-02-14 renewed',
      '2026-02-14 payment_failed INV-000002 attempt 1 next 2026-02-17',
      '2026-02-14 updated status ACTIVE → PAST_DUE',
      '2026-02-17 payment_succeeded INV-000002 attempt 3',
      '2026-02-17 updated status PAST_DUE → ACTIVE',
      '2026-03-14 renewed',
      '2026-03-14 payment_failed INV-000004 attempt 1 next 2026-03-17',
      '2026-03-14 updated status ACTIVE → PAST_DUE',
    ]);
  });

  test('for 14 days makes the invoice UNCOLLECTIBLE and ends the subscription', async () => {
    const authorizedTransactionId = cards.failsWhenSaved;
    const subscription = await scenario.subscription({ authorizedTransactionId });
    await scenario.advanceTo('2026-03-13');
    expect(await scenario.read(subscription)).toMatchObject({ status: 'PAST_DUE', entitled: true });
    await scenario.advanceTo('2026-06-01');
    expect(await scenario.read(subscription)).toMatchObject({
      status: 'CANCELED',
      phase: 'ENDED',
      entitled: false,
      cancelReason: 'PAYMENT_FAILED',
      endedAt: '2026-03-14T00:00:00.000Z',
      nextInvoiceAt: null,
    });
    await scenario.expectInvoices(subscription, [
      january,
      {
        ...february,
        status: 'UNCOLLECTIBLE',
        payments: ['2026-02-28', '2026-03-03', '2026-03-07', '2026-03-14'].map(
          (day) => `${day} FAILED card_declined`,
        ),
      },
    ]);
    await scenario.expectWebhooks(subscription, [
      ...paidFirst,
      '2026-02-28 renewed',
      '2026-02-28 payment_failed INV-000002 attempt 1 next 2026-03-03',
      '2026-02-28 updated status ACTIVE → PAST_DUE',
      '2026-03-03 payment_failed INV-000002 attempt 2 next 2026-03-07',
      '2026-03-07 payment_failed INV-000002 attempt 3 next 2026-03-14',
      '2026-03-14 canceled PAYMENT_FAILED INV-000002 attempt 4',
    ]);
  });

  /**
   * Checks a subscription whose first charge was refused and that was paid with another card on a
   * given day.
   */
  const expectRecovery = async (subscription: any, day: string) => {
    await scenario.advanceTo('2026-02-28');
    await scenario.expectInvoices(subscription, [
      {
        ...january,
        paidAt: day,
        payments: ['2026-01-31 FAILED expired_card', `${day} SUCCEEDED`],
      },
      february,
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_failed INV-000001 attempt 1',
      '2026-01-31 updated status ACTIVE → PAST_DUE',
      `${day} payment_succeeded INV-000001 attempt 2`,
      `${day} updated status PAST_DUE → ACTIVE`,
      '2026-02-28 renewed',
      '2026-02-28 payment_succeeded INV-000002 attempt 1',
    ]);
  };

  test('permanently waits for a new card, and one through POST /invoices/:id/pay recovers it immediately', async () => {
    const authorizedTransactionId = cards.expired;
    const subscription = await scenario.subscription({ authorizedTransactionId });
    expect(subscription).toMatchObject({ status: 'PAST_DUE' });
    await scenario.advanceTo('2026-02-10');
    const [invoice] = await scenario.invoices(subscription);
    expect(invoice.payments).toHaveLength(1);
    const paid = await pay(invoice.id as string, { authorizedTransactionId: cards.good });
    expect(paid).toMatchObject({ status: 'PAID', paidAt: '2026-02-10T00:00:00.000Z' });
    await expectRecovery(subscription, '2026-02-10');
  });

  test('permanently waits for a new card, and one on the invoice’s page recovers it immediately', async () => {
    const authorizedTransactionId = cards.expired;
    const subscription = await scenario.subscription({ authorizedTransactionId });
    await scenario.advanceTo('2026-02-04');
    const [invoice] = await scenario.invoices(subscription);
    await scenario.payOn(invoice.hostedUrl as string);
    await expectRecovery(subscription, '2026-02-04');
  });

  test('permanently is charged no more, and ends the subscription after the same 14 days', async () => {
    const authorizedTransactionId = cards.expired;
    const subscription = await scenario.subscription({ authorizedTransactionId });
    await scenario.advanceTo('2026-04-30');
    await scenario.expectInvoices(subscription, [
      { ...january, status: 'UNCOLLECTIBLE', payments: ['2026-01-31 FAILED expired_card'] },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 payment_failed INV-000001 attempt 1',
      '2026-01-31 updated status ACTIVE → PAST_DUE',
      '2026-02-14 canceled PAYMENT_FAILED INV-000001 attempt 1',
    ]);
  });

  test('for lack of a card is first retried after an hour, and counts as a soft failure', async () => {
    const subscription = await scenario.subscription({ authorizedTransactionId: null });
    expect(subscription).toMatchObject({ status: 'ACTIVE' });
    await scenario.expectInvoices(subscription, [{ ...january, status: 'OPEN' }]);
    await scenario.advanceTo('2026-02-28');
    const one = '01:00:00.000Z';
    await scenario.expectInvoices(subscription, [
      {
        ...january,
        status: 'UNCOLLECTIBLE',
        payments: ['2026-01-31', '2026-02-03', '2026-02-07', '2026-02-14'].map(
          (day) => `${day}T${one} FAILED no_payment_method`,
        ),
      },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      `2026-01-31T${one} payment_failed INV-000001 attempt 1 next 2026-02-03T${one}`,
      `2026-01-31T${one} updated status ACTIVE → PAST_DUE`,
      `2026-02-03T${one} payment_failed INV-000001 attempt 2 next 2026-02-07T${one}`,
      `2026-02-07T${one} payment_failed INV-000001 attempt 3 next 2026-02-14T${one}`,
      `2026-02-14T${one} canceled PAYMENT_FAILED INV-000001 attempt 4`,
    ]);
  });

  test('keeps the subscription renewing; the first uncollectible invoice ends it, and the others with it', async () => {
    const subscription = await scenario.subscription({
      product: { billingInterval: 'DAILY', intervalCount: 10 },
      authorizedTransactionId: cards.failsWhenSaved,
    });
    await scenario.advanceTo('2026-05-01');
    const failed = (day: string) => `${day} FAILED card_declined`;
    await scenario.expectInvoices(subscription, [
      { ...january, period: ['2026-01-31', '2026-02-10'] },
      {
        ...january,
        period: ['2026-02-10', '2026-02-20'],
        status: 'UNCOLLECTIBLE',
        payments: ['2026-02-10', '2026-02-13', '2026-02-17', '2026-02-24'].map(failed),
      },
      {
        ...january,
        period: ['2026-02-20', '2026-03-02'],
        status: 'UNCOLLECTIBLE',
        payments: ['2026-02-20', '2026-02-23'].map(failed),
      },
    ]);
    await scenario.expectWebhooks(subscription, [
      ...paidFirst,
      '2026-02-10 renewed',
      '2026-02-10 payment_failed INV-000002 attempt 1 next 2026-02-13',
      '2026-02-10 updated status ACTIVE → PAST_DUE',
      '2026-02-13 payment_failed INV-000002 attempt 2 next 2026-02-17',
      '2026-02-17 payment_failed INV-000002 attempt 3 next 2026-02-24',
      '2026-02-20 renewed',
      '2026-02-20 payment_failed INV-000003 attempt 1 next 2026-02-23',
      '2026-02-23 payment_failed INV-000003 attempt 2 next 2026-02-27',
      '2026-02-24 canceled PAYMENT_FAILED INV-000002 attempt 4',
    ]);
  });

  test('ends with the period at whose end the subscription ends, and the invoice stays payable', async () => {
    const subscription = await scenario.subscription({
      product: { billingInterval: 'DAILY', intervalCount: 10 },
      authorizedTransactionId: cards.failsWhenSaved,
    });
    await scenario.advanceTo('2026-02-11');
    await scenario.cancel(subscription, true);
    await scenario.advanceTo('2026-05-01');
    await scenario.expectInvoices(subscription, [
      { ...january, period: ['2026-01-31', '2026-02-10'] },
      {
        ...january,
        period: ['2026-02-10', '2026-02-20'],
        status: 'OPEN',
        payments: ['2026-02-10', '2026-02-13', '2026-02-17'].map(
          (day) => `${day} FAILED card_declined`,
        ),
      },
    ]);
    await scenario.expectWebhooks(subscription, [
      ...paidFirst,
      '2026-02-10 renewed',
      '2026-02-10 payment_failed INV-000002 attempt 1 next 2026-02-13',
      '2026-02-10 updated status ACTIVE → PAST_DUE',
      '2026-02-11 updated nextInvoiceAt 2026-02-20 → null cancelAtPeriodEnd false → true canceledAt null → 2026-02-11 cancelReason null → REQUESTED',
      '2026-02-13 payment_failed INV-000002 attempt 2 next 2026-02-17',
      '2026-02-17 payment_failed INV-000002 attempt 3 next 2026-02-24',
      '2026-02-20 canceled REQUESTED',
    ]);
  });
});

describe('an invoice that is sent', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-31', (begun) => {
    scenario = begun;
  });

  test('is never charged automatically, makes its subscription PAST_DUE at its due date, and is paid late', async () => {
    const subscription = await scenario.subscription({
      product: { billingInterval: 'QUARTERLY' },
      customer: { collectionMethod: 'SEND_INVOICE' },
      authorizedTransactionId: null,
    });
    const [invoice] = await scenario.invoices(subscription);
    expect(invoice).toMatchObject({ status: 'OPEN', dueDate: '2026-03-02T00:00:00.000Z' });
    await scenario.advanceTo('2026-03-01');
    expect(await scenario.read(subscription)).toMatchObject({ status: 'ACTIVE' });
    await scenario.advanceTo('2026-04-15');
    expect(await scenario.read(subscription)).toMatchObject({ status: 'PAST_DUE', entitled: true });
    const path = `/invoices/${invoice.id as string}/pay`;
    const payment = { authorizedTransactionId: cards.good };
    await scenario.client.expect(200, scenario.client.post(path, payment));
    await scenario.advanceTo('2026-04-16');
    await scenario.expectInvoices(subscription, [
      {
        period: ['2026-01-31', '2026-04-30'],
        lines,
        total,
        paidAt: '2026-04-15',
        payments: ['2026-04-15 SUCCEEDED'],
      },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-03-02 updated status ACTIVE → PAST_DUE',
      '2026-04-15 payment_succeeded INV-000001 attempt 1',
      '2026-04-15 updated status PAST_DUE → ACTIVE',
    ]);
  });

  test('stays due after its subscription has ended: it is overdue, and its payer is reminded', async () => {
    const subscription = await scenario.subscription({
      customer: { collectionMethod: 'SEND_INVOICE' },
      authorizedTransactionId: null,
    });
    const { client } = scenario;
    const cancel = `/subscriptions/${subscription.id}/cancel`;
    await client.expect(200, client.post(cancel, { atPeriodEnd: true }));
    await scenario.advanceTo('2026-03-20');
    expect(await scenario.read(subscription)).toMatchObject({ status: 'CANCELED' });
    const [invoice] = await scenario.invoices(subscription);
    expect(invoice).toMatchObject({ status: 'OPEN', dueDate: '2026-03-02T00:00:00.000Z' });
    const feed = await client.expect(200, client.get('/webhook-events?after=0&limit=1000'));
    const ofInvoice = feed.data.filter(({ subject }: any) => subject.id === invoice.id);
    const shown = ofInvoice.map(
      ({ event }: any) => `${event.timestamp.slice(0, 10)} ${event.type}`,
    );
    expect(shown).toEqual([
      '2026-01-31 invoice.created',
      '2026-03-02 invoice.overdue',
      '2026-03-05 invoice.reminded',
      '2026-03-09 invoice.reminded',
      '2026-03-16 invoice.reminded',
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-01-31 updated nextInvoiceAt 2026-02-28 → null cancelAtPeriodEnd false → true canceledAt null → 2026-01-31 cancelReason null → REQUESTED',
      '2026-02-28 canceled REQUESTED',
    ]);
  });

  test("becomes uncollectible only on its sender's request", async () => {
    const subscription = await scenario.subscription({
      product: { billingInterval: 'YEARLY' },
      customer: { collectionMethod: 'SEND_INVOICE' },
      authorizedTransactionId: null,
    });
    await scenario.advanceTo('2026-12-31');
    const [invoice] = await scenario.invoices(subscription);
    expect(invoice).toMatchObject({ status: 'OPEN', payments: [] });
    const path = `/invoices/${invoice.id as string}/void`;
    await scenario.client.expect(200, scenario.client.post(path));
    await scenario.advanceTo('2027-01-01');
    await scenario.expectInvoices(subscription, [
      { period: ['2026-01-31', '2027-01-31'], lines, total, status: 'VOID' },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-01-31 created',
      '2026-03-02 updated status ACTIVE → PAST_DUE',
      '2026-12-31 updated status PAST_DUE → ACTIVE',
    ]);
  });
});
