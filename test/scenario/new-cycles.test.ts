import { eventually } from '@billing/chassis/testing';
import type { Scenario } from './scenario';
import { beginEachOn } from './stage';

// Worked examples of changes that begin a new cycle, and of those that cost nothing until the next
// period: a monthly period from 1 June to 1 July 2026 unless said otherwise.
describe('a change of the billing interval', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const priced = (amount: number, billingInterval = 'MONTHLY') =>
    scenario.product({ name: `P${String(amount)} ${billingInterval}`, amount, billingInterval });

  async function change(subscription: { id: string }, body: object): Promise<any> {
    const { client } = scenario;
    const made = await scenario.change(subscription, body);
    const invoice =
      made.invoiceId === null
        ? null
        : await eventually(() => client.expect(200, client.get(`/invoices/${made.invoiceId}`)));
    return { change: made, invoice };
  }

  const linesOf = (invoice: any) =>
    invoice.lineItems.map(({ kind, amount }: any) => [kind, amount]);
  const totals = async (subscription: { id: string }) =>
    (await scenario.invoices(subscription)).map(({ total }) => total);

  test('6: a year begins with the change, less the rest of the month', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const yearly = await priced(100000, 'YEARLY');
    await scenario.advanceTo('2026-06-16');
    const body = { productId: yearly.id };
    const preview = await client.expect(
      200,
      client.post('/previews', { kind: 'CHANGE', subscriptionId: subscription.id, change: body }),
    );
    expect(preview).toMatchObject({
      dueNow: 95000,
      effectiveAt: '2026-06-16T00:00:00.000Z',
      invoice: { periodEnd: '2027-06-16T00:00:00.000Z' },
      nextInvoice: { total: 100000, periodStart: '2027-06-16T00:00:00.000Z' },
    });
    const { token: previewToken } = preview;
    const { change: made, invoice } = await change(subscription, { ...body, previewToken });
    expect(made).toMatchObject({
      status: 'APPLIED',
      at: 'NOW',
      proration: 'PRORATE',
      from: { currentPeriodEnd: '2026-07-01T00:00:00.000Z' },
      to: {
        currentPeriodStart: '2026-06-16T00:00:00.000Z',
        currentPeriodEnd: '2027-06-16T00:00:00.000Z',
      },
      monthlyAmountBefore: 10000,
      monthlyAmountAfter: 8333,
    });
    expect(linesOf(invoice)).toEqual([
      ['RECURRING', 100000],
      ['UNUSED_TIME', -5000],
    ]);
    expect(invoice).toMatchObject({
      status: 'PAID',
      total: 95000,
      billingReason: 'SUBSCRIPTION_CHANGE',
      periodStart: '2026-06-16T00:00:00.000Z',
      periodEnd: '2027-06-16T00:00:00.000Z',
    });
    expect(await scenario.read(subscription)).toMatchObject({
      latestInvoiceId: invoice.id,
      currentPeriodStart: '2026-06-16T00:00:00.000Z',
      nextInvoiceAt: '2027-06-16T00:00:00.000Z',
      price: { billingInterval: 'YEARLY' },
    });
    await scenario.advanceTo('2027-06-16');
    expect(await totals(subscription)).toEqual([10000, 95000, 100000]);
    await scenario.expectWebhooks(subscription, [
      '2026-06-01 created',
      '2026-06-01 payment_succeeded INV-000001 attempt 1',
      '2026-06-16 payment_succeeded INV-000002 attempt 1',
      expect.stringMatching(/^2026-06-16 updated /),
      '2026-06-16 renewed',
      '2027-06-16 renewed',
      '2027-06-16 payment_succeeded INV-000003 attempt 1',
    ]);
  });

  test('7: a month begins now, and the rest of the year goes to the balance', async () => {
    const { client } = scenario;
    const yearly = { amount: 100000, billingInterval: 'YEARLY' };
    const startAt = '2025-06-01T00:00:00.000Z';
    const subscription = await scenario.subscription({ product: yearly, startAt });
    await scenario.advanceTo('2026-08-13');
    const { change: made, invoice } = await change(subscription, {
      productId: (await priced(10000)).id,
      at: 'NOW',
    });
    expect(linesOf(invoice)).toEqual([
      ['RECURRING', 10000],
      ['UNUSED_TIME', -10000],
    ]);
    expect(invoice).toMatchObject({ status: 'PAID', total: 0, payments: [] });
    expect(made).toMatchObject({ status: 'APPLIED', creditNoteIds: [expect.any(String)] });
    const [noteId] = made.creditNoteIds;
    await eventually(async () => {
      expect(await client.expect(200, client.get(`/credit-notes/${noteId}`))).toMatchObject({
        total: 70000,
        toBalance: 70000,
      });
    });
    await scenario.advanceTo('2026-09-13');
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({
      total: 10000,
      balanceApplied: 10000,
      billingReason: 'SUBSCRIPTION_CYCLE',
    });
  });

  test('8: a full charge gives nothing back, and resets the cycle', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-16');
    const { invoice } = await change(subscription, {
      productId: (await priced(20000)).id,
      proration: 'FULL_AND_RESET',
    });
    expect(linesOf(invoice)).toEqual([['RECURRING', 20000]]);
    await scenario.advanceTo('2026-07-15T23:59:59.999Z');
    expect(await totals(subscription)).toEqual([10000, 20000]);
    await scenario.advanceTo('2026-07-16');
    expect(await totals(subscription)).toEqual([10000, 20000, 20000]);
  });

  test('a shorter interval by AUTO waits, and counts from the end of the period', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-16');
    const { change: made } = await change(subscription, {
      productId: (await priced(3000, 'WEEKLY')).id,
    });
    expect(made).toMatchObject({
      status: 'PENDING',
      at: 'PERIOD_END',
      to: {
        currentPeriodStart: '2026-07-01T00:00:00.000Z',
        currentPeriodEnd: '2026-07-08T00:00:00.000Z',
      },
    });
    await scenario.advanceTo('2026-07-08');
    expect(await totals(subscription)).toEqual([10000, 3000, 3000]);
    expect(await scenario.read(subscription)).toMatchObject({
      currentPeriodStart: '2026-07-08T00:00:00.000Z',
      nextInvoiceAt: '2026-07-15T00:00:00.000Z',
    });
  });

  test('19: without proration nothing is charged, and a later change credits what was', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-16');
    const free = { productId: (await priced(30000)).id, proration: 'NONE' };
    expect(await change(subscription, free)).toMatchObject({
      change: { status: 'APPLIED', invoiceId: null, proration: 'NONE', monthlyAmountAfter: 30000 },
      invoice: null,
    });
    const { invoice } = await change(subscription, { productId: (await priced(50000)).id });
    expect(linesOf(invoice)).toEqual([
      ['UNUSED_TIME', -5000],
      ['REMAINING_TIME', 25000],
    ]);
    await scenario.advanceTo('2026-07-01');
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({ total: 50000 });
  });

  test('24: a full charge ends a trial', async () => {
    const subscription = await scenario.subscription({ product: { amount: 3000, trialDays: 14 } });
    await scenario.advanceTo('2026-06-05');
    const { change: made, invoice } = await change(subscription, {
      productId: (await priced(9000)).id,
      proration: 'FULL_AND_RESET',
    });
    expect(made).toMatchObject({ monthlyAmountBefore: 0, monthlyAmountAfter: 9000 });
    expect(invoice).toMatchObject({ status: 'PAID', total: 9000 });
    expect(await scenario.read(subscription)).toMatchObject({
      phase: 'REGULAR',
      trialEnd: '2026-06-05T00:00:00.000Z',
      nextInvoiceAt: '2026-07-05T00:00:00.000Z',
    });
    await scenario.advanceTo('2026-07-05');
    expect((await totals(subscription)).slice(-2)).toEqual([9000, 9000]);
  });

  test('is refused where its terms contradict each other, and four times a day', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const yearly = await priced(100000, 'YEARLY');
    const path = `/subscriptions/${subscription.id}/changes`;
    const none = { productId: yearly.id, proration: 'NONE' };
    expect(await client.expect(400, client.post(path, none))).toEqual({
      error: { proration: ['The billing interval changes'] },
    });
    const again = { quantity: 1, proration: 'FULL_AND_RESET', at: 'NOW' };
    for (const hour of ['01', '02', '03']) {
      await scenario.advanceTo(`2026-06-16T${hour}:00:00.000Z`);
      expect((await change(subscription, again)).change.status).toBe('APPLIED');
    }
    expect(await client.expect(409, client.post(path, again))).toEqual({
      error: 'Too many changes in this period',
    });
    await scenario.advanceTo('2026-07-16T03:00:00.000Z');
    expect(await totals(subscription)).toEqual([10000, 10000, 10000, 10000, 10000]);
  });

  test('whose first invoice is unpaid at the end has it voided', async () => {
    const { client } = scenario;
    const subscription = await scenario.subscription({
      product: { amount: 10000 },
      customer: { collectionMethod: 'SEND_INVOICE' },
      authorizedTransactionId: undefined,
    });
    await scenario.advanceTo('2026-06-16');
    const { change: made, invoice } = await change(subscription, {
      productId: (await priced(100000, 'YEARLY')).id,
    });
    expect(made.creditNoteIds).toHaveLength(1);
    const opened = () => client.expect(200, client.get(`/invoices/${invoice.id}`));
    await eventually(async () => {
      expect(await opened()).toMatchObject({ status: 'OPEN', total: 100000 });
    });
    await scenario.cancel(subscription, false);
    expect(await opened()).toMatchObject({ status: 'VOID' });
  });
});
