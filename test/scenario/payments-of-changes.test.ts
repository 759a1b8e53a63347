import { eventually } from '@billing/chassis/testing';
import { revenueOf } from './revenue';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const linesOf = (invoice: any) =>
  invoice.lineItems.map(({ kind, amount }: any) => [kind, amount]) as unknown[];

// Worked examples: 10000 → 30000 in a monthly period from 1 June to 1 July 2026.
describe('the payment of an upgrade', () => {
  let scenario: Scenario;

  beginEachOn('2026-05-01', (begun) => {
    scenario = begun;
  });

  const large = async (): Promise<string> =>
    (await scenario.product({ name: 'Large', amount: 30000 })).id;
  const read = (path: string): Promise<any> =>
    scenario.client.expect(200, scenario.client.get(path));
  const stillBut = { expansion: 0, contraction: 0, churned: 0, reactivation: 0 };

  /** A subscription from 1 June on, whose renewals are charged to this card. */
  const begin = async (authorizedTransactionId: string): Promise<any> => {
    await scenario.advanceTo('2026-06-01');
    const product = { amount: 10000 };
    return scenario.subscription({ product, authorizedTransactionId });
  };

  test('21: that is declined leaves the subscription as it was, and the renewal bills it', async () => {
    const subscription = await begin(cards.failsTwice);
    const productId = await large();
    await scenario.advanceTo('2026-06-16');
    const before = await scenario.read(subscription);
    for (const tries of [1, 2]) {
      const made = await scenario.change(subscription, { productId });
      expect(made).toMatchObject({ status: 'FAILED', failure: { code: 'card_declined' } });
      expect(await read(`/invoices/${String(made.invoiceId)}`)).toMatchObject({
        ...{ status: 'VOID', total: 10000, amountDue: 0, number: `INV-00000${String(tries + 1)}` },
      });
      const after = await scenario.read(subscription);
      expect({ ...after, updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
    }
    await scenario.advanceTo('2026-07-01');
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({
      ...{ status: 'PAID', total: 10000, periodStart: '2026-07-01T00:00:00.000Z' },
    });
    expect(await scenario.read(subscription)).toMatchObject({ status: 'ACTIVE', entitled: true });
    await scenario.expectWebhooks(subscription, [
      '2026-06-01 created',
      '2026-06-01 payment_succeeded INV-000001 attempt 1',
      '2026-06-16 payment_failed INV-000002 attempt 1',
      '2026-06-16 payment_failed INV-000003 attempt 1',
      '2026-07-01 renewed',
      '2026-07-01 payment_succeeded INV-000004 attempt 1',
    ]);
    // The caller has the answer: payers hear of what they have paid only.
    const failures = (await read('/webhook-events?types=invoice.payment_failed')).data;
    const ofCaller = { initiator: 'CALLER', collection: 'ENDED', failureCode: 'card_declined' };
    expect(failures).toMatchObject([{ event: { data: ofCaller } }, { event: { data: ofCaller } }]);
    expect(await scenario.mails()).toEqual(['2026-06-01 RECEIPT', '2026-07-01 RECEIPT']);
    expect(await revenueOf(scenario, 2)).toMatchObject([
      { month: '2026-06', ...stillBut, new: 10000, mrr: 10000 },
      { month: '2026-07', ...stillBut, new: 0, mrr: 10000 },
    ]);
  });

  test('22: comes from the balance first, as previewed', async () => {
    const { client } = scenario;
    const subscription = await begin(cards.good);
    const { customerId, id: subscriptionId } = subscription;
    const entry = { customerId, amount: 12000, description: 'Goodwill' };
    await client.expect(201, client.post('/balance-entries', entry));
    const productId = await large();
    await scenario.advanceTo('2026-06-16');
    const asked = { kind: 'CHANGE', subscriptionId, change: { productId } };
    const shown = await client.expect(200, client.post('/previews', asked));
    expect(shown).toMatchObject({
      dueNow: 0,
      invoice: { total: 10000, balanceApplied: 10000, amountDue: 0 },
    });
    const made = await scenario.change(subscription, { productId, previewToken: shown.token });
    expect(made.status).toBe('APPLIED');
    await eventually(async () => {
      expect(await read(`/invoices/${String(made.invoiceId)}`)).toMatchObject({
        ...{ status: 'PAID', total: 10000, balanceApplied: 10000, amountPaid: 0, payments: [] },
      });
    });
    const { data } = await read(`/balances?customerId=${String(customerId)}`);
    expect(data).toMatchObject([{ balance: 2000 }]);
    expect(await revenueOf(scenario, 1)).toMatchObject([
      { ...stillBut, new: 10000, expansion: 20000, mrr: 30000 },
    ]);
  });

  /** A subscription that is past due from 1 June on. */
  const beginUnpaid = async (authorizedTransactionId: string): Promise<any> => {
    const subscription = await scenario.subscription({
      ...{ product: { amount: 10000 }, authorizedTransactionId },
    });
    await scenario.advanceTo('2026-06-06');
    expect(await scenario.read(subscription)).toMatchObject({ status: 'PAST_DUE' });
    return subscription;
  };
  const unpaid = [
    '2026-05-01 created',
    '2026-05-01 payment_succeeded INV-000001 attempt 1',
    '2026-06-01 renewed',
    '2026-06-01 payment_failed INV-000002 attempt 1 next 2026-06-04',
    '2026-06-01 updated status ACTIVE → PAST_DUE',
    '2026-06-04 payment_failed INV-000002 attempt 2 next 2026-06-08',
  ];

  test('while PAST_DUE charges the rest of the period, and lessens what is still owed', async () => {
    const subscription = await beginUnpaid(cards.failsTwice);
    const made = await scenario.change(subscription, { productId: await large() });
    expect(made).toMatchObject({ status: 'APPLIED', at: 'NOW' });
    const ofChange = await read(`/invoices/${String(made.invoiceId)}`);
    // 25 of 30 days. The old price of these days is not paid, so that no line takes it back.
    expect(ofChange).toMatchObject({ status: 'PAID', total: 25000, amountPaid: 25000 });
    expect(linesOf(ofChange)).toEqual([['REMAINING_TIME', 25000]]);
    await eventually(async () => {
      const [noteId] = made.creditNoteIds;
      expect(await read(`/credit-notes/${String(noteId)}`)).toMatchObject({
        ...{ total: 8333, reduced: 8333, toBalance: 0 },
      });
    });
    const [, june] = await scenario.invoices(subscription);
    expect(june).toMatchObject({ status: 'OPEN', total: 10000, amountDue: 1667 });
    expect(await scenario.read(subscription)).toMatchObject({ status: 'PAST_DUE' });

    await scenario.advanceTo('2026-07-01');
    expect(await read(`/invoices/${String(june.id)}`)).toMatchObject({
      ...{ status: 'PAID', amountPaid: 1667, amountCredited: 8333 },
    });
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({
      ...{ status: 'PAID', total: 30000 },
    });
    await scenario.expectWebhooks(subscription, [
      ...unpaid,
      '2026-06-06 payment_succeeded INV-000003 attempt 1',
      expect.stringMatching(/^2026-06-06 updated INV-000003 productId /),
      '2026-06-08 payment_succeeded INV-000002 attempt 3',
      '2026-06-08 updated status PAST_DUE → ACTIVE',
      '2026-07-01 renewed',
      '2026-07-01 payment_succeeded INV-000004 attempt 1',
    ]);
    expect(await revenueOf(scenario, 3)).toMatchObject([
      { month: '2026-05', ...stillBut, new: 10000, mrr: 10000 },
      { month: '2026-06', ...stillBut, expansion: 20000, mrr: 30000 },
      { month: '2026-07', ...stillBut, mrr: 30000 },
    ]);
  });

  test('while PAST_DUE that is declined leaves the retries of the renewal as they are', async () => {
    const subscription = await beginUnpaid(cards.failsWhenSaved);
    const before = await scenario.read(subscription);
    const made = await scenario.change(subscription, { productId: await large() });
    expect(made).toMatchObject({ status: 'FAILED', failure: { code: 'card_declined' } });
    expect(made.creditNoteIds).toEqual([]);
    const after = await scenario.read(subscription);
    expect({ ...after, updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
    await scenario.advanceTo('2026-07-01');
    const invoices = await scenario.invoices(subscription);
    expect(invoices.map(({ status, total }) => [status, total])).toEqual([
      ['PAID', 10000],
      ['UNCOLLECTIBLE', 10000],
      ['VOID', 25000],
    ]);
    await scenario.expectWebhooks(subscription, [
      ...unpaid,
      '2026-06-06 payment_failed INV-000003 attempt 1',
      '2026-06-08 payment_failed INV-000002 attempt 3 next 2026-06-15',
      '2026-06-15 canceled PAYMENT_FAILED INV-000002 attempt 4',
    ]);
    expect(await revenueOf(scenario, 2)).toMatchObject([
      { month: '2026-06', ...stillBut, churned: 10000, mrr: 0 },
      { month: '2026-07', ...stillBut, mrr: 0 },
    ]);
  });
});
