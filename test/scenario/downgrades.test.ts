import { eventually } from '@billing/chassis/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

// Worked examples of changes that give money back: a monthly period from 1 June to 1 July 2026.
describe('a change that gives money back', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const priced = (amount: number) => scenario.product({ name: `P${String(amount)}`, amount });

  async function change(subscription: { id: string }, body: object): Promise<any> {
    const made = await scenario.change(subscription, body);
    expect(made.status).toBe('APPLIED');
    return made;
  }

  /** Credit notes of a change once they are numbered. */
  const notesOf = ({ creditNoteIds }: { creditNoteIds: string[] }): Promise<any[]> =>
    eventually(async () => {
      const { client } = scenario;
      const notes = await Promise.all(
        creditNoteIds.map((id) => client.expect(200, client.get(`/credit-notes/${id}`))),
      );
      expect(notes.every(({ number }) => number !== null)).toBe(true);
      return notes;
    });

  const invoiceOf = (id: string): Promise<any> =>
    scenario.client.expect(200, scenario.client.get(`/invoices/${id}`));

  async function balanceOf({ customerId }: { customerId: string }): Promise<number> {
    const { client } = scenario;
    const { data } = await client.expect(200, client.get(`/balances?customerId=${customerId}`));
    return data[0]?.balance ?? 0;
  }

  const sent = {
    customer: { collectionMethod: 'SEND_INVOICE' },
    authorizedTransactionId: undefined,
  };
  const linesOf = ({ lineItems }: any) =>
    lineItems.map(({ kind, amount, pricedAmount }: any) => [kind, pricedAmount ?? amount]);

  test('5: a downgrade now credits the difference to the balance, which the renewal uses', async () => {
    const subscription = await scenario.subscription({ product: { amount: 24900 } });
    await scenario.advanceTo('2026-06-13');
    const lower = await priced(9900);
    const made = await change(subscription, { productId: lower.id, at: 'NOW' });
    expect(made).toMatchObject({ invoiceId: null, monthlyAmountAfter: 9900 });
    const [first] = await scenario.invoices(subscription);
    expect(await notesOf(made)).toMatchObject([
      {
        invoiceId: first.id,
        reason: 'CHANGE',
        total: 9000,
        toBalance: 9000,
        reduced: 0,
        lines: [{ lineItemId: first.lineItems[0].id, total: 9000 }],
      },
    ]);
    expect(await balanceOf(subscription)).toBe(9000);
    await scenario.advanceTo('2026-07-01');
    const renewal = (await scenario.invoices(subscription)).at(-1);
    expect(renewal).toMatchObject({ total: 9900, balanceApplied: 9000, amountPaid: 900 });
    await scenario.expectWebhooks(subscription, [
      '2026-06-01 created',
      '2026-06-01 payment_succeeded INV-000001 attempt 1',
      expect.stringMatching(/^2026-06-13 updated productId /),
      '2026-07-01 renewed',
      '2026-07-01 payment_succeeded INV-000002 attempt 1',
    ]);
  });

  test.each([
    [
      '16: an upgrade lessens the invoice that is still open',
      10000,
      30000,
      '2026-06-16',
      5000,
      15000,
    ],
    [
      '26: a downgrade lessens the invoice that is still open',
      24900,
      9900,
      '2026-06-13',
      14940,
      5940,
    ],
  ])('%s', async (_name, from, to, at, credited, charged) => {
    const subscription = await scenario.subscription({ product: { amount: from }, ...sent });
    await scenario.advanceTo(at);
    const made = await change(subscription, { productId: (await priced(to)).id, at: 'NOW' });
    const [first] = await scenario.invoices(subscription);
    expect(await notesOf(made)).toMatchObject([
      { total: credited, reduced: credited, toBalance: 0 },
    ]);
    expect(await invoiceOf(first.id)).toMatchObject({
      status: 'OPEN',
      amountDue: from - credited,
      creditNoteIds: made.creditNoteIds,
    });
    const invoice = await invoiceOf(made.invoiceId);
    expect(invoice).toMatchObject({ status: 'OPEN', total: charged });
    expect(linesOf(invoice)).toEqual([['REMAINING_TIME', charged]]);
    expect(await balanceOf(subscription)).toBe(0);
  });

  describe('with a seller that taxes', () => {
    const taxed = (prices: string) =>
      scenario.client.expect(
        200,
        scenario.client.request('PATCH', '/seller', {
          body: {
            legalName: 'Ada GmbH',
            address: { country: 'DE' },
            tax: { prices, registrations: ['DE'] },
          },
        }),
      );

    test.each([
      ['M13', 'EXCLUDE_TAX', 11900, 1900, 11900],
      ['M14', 'INCLUDE_TAX', 10000, 1597, 10000],
    ])('%s: an upgrade takes back the tax of the line that it replaces', async (...row) => {
      const [, prices, paid, tax, total] = row;
      await taxed(prices);
      const subscription = await scenario.subscription({ product: { amount: 10000 } });
      expect((await scenario.invoices(subscription))[0]).toMatchObject({ amountPaid: paid });
      await scenario.advanceTo('2026-06-16');
      const made = await change(subscription, { productId: (await priced(30000)).id });
      const invoice = await invoiceOf(made.invoiceId);
      expect(invoice).toMatchObject({ tax, total, status: 'PAID' });
      expect(linesOf(invoice)).toEqual([
        ['UNUSED_TIME', -5000],
        ['REMAINING_TIME', 15000],
      ]);
    });

    test('M15: the credit note of a downgrade has its tax', async () => {
      await taxed('EXCLUDE_TAX');
      const subscription = await scenario.subscription({ product: { amount: 24900 } });
      await scenario.advanceTo('2026-06-13');
      const lower = await priced(9900);
      const made = await change(subscription, { productId: lower.id, at: 'NOW' });
      expect(await notesOf(made)).toMatchObject([
        { subtotal: 9000, tax: 1710, total: 10710, toBalance: 10710 },
      ]);
      expect(await balanceOf(subscription)).toBe(10710);
    });

    test('M16: an open invoice is lessened with its tax', async () => {
      await taxed('EXCLUDE_TAX');
      const subscription = await scenario.subscription({ product: { amount: 10000 }, ...sent });
      await scenario.advanceTo('2026-06-16');
      const made = await change(subscription, { productId: (await priced(30000)).id });
      const [first] = await scenario.invoices(subscription);
      expect(await notesOf(made)).toMatchObject([{ subtotal: 5000, tax: 950, reduced: 5950 }]);
      expect(await invoiceOf(first.id)).toMatchObject({ total: 11900, amountDue: 5950 });
    });
  });

  test('and its reverse at one instant cost nothing', async () => {
    const product = { amount: 1000, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product, quantity: 9 });
    await scenario.advanceTo('2026-06-12T10:00:00.000Z');
    const down = await change(subscription, { quantity: 4, at: 'NOW' });
    const [note] = await notesOf(down);
    const up = await change(subscription, { quantity: 9 });
    expect(await invoiceOf(up.invoiceId)).toMatchObject({
      total: note.total,
      balanceApplied: note.total,
      status: 'PAID',
      payments: [],
    });
    expect(await balanceOf(subscription)).toBe(0);
  });

  test('follows another one at once, and both credit notes are on one invoice', async () => {
    const product = { amount: 1000, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product, quantity: 10 });
    await scenario.advanceTo('2026-06-16');
    const first = await change(subscription, { quantity: 8, at: 'NOW' });
    const second = await change(subscription, { quantity: 5, at: 'NOW' });
    const notes = [...(await notesOf(first)), ...(await notesOf(second))];
    expect(notes.map(({ total }) => total)).toEqual([1000, 1500]);
    expect(new Set(notes.map(({ invoiceId }) => invoiceId)).size).toBe(1);
    expect(await balanceOf(subscription)).toBe(2500);
  });

  test('credits the newest invoice first', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-16');
    const up = await change(subscription, { productId: (await priced(30000)).id });
    const down = await change(subscription, { productId: (await priced(2000)).id, at: 'NOW' });
    const [first] = await scenario.invoices(subscription);
    expect((await notesOf(down)).map(({ invoiceId, total }) => [invoiceId, total])).toEqual([
      [up.invoiceId, 10000],
      [first.id, 4000],
    ]);
    expect(await balanceOf(subscription)).toBe(14000);
  });

  test('has its credit notes in the preview, which is honored or refused', async () => {
    const subscription = await scenario.subscription({ product: { amount: 24900 } });
    const lower = await priced(9900);
    const { client } = scenario;
    const body = { productId: lower.id, at: 'NOW' };
    const path = `/subscriptions/${subscription.id}/changes`;
    const asked = { kind: 'CHANGE', subscriptionId: subscription.id, change: body };
    const preview = () => client.expect(200, client.post('/previews', asked));
    await scenario.advanceTo('2026-06-13');
    const shown = await preview();
    const [first] = await scenario.invoices(subscription);
    expect(shown).toMatchObject({
      invoice: null,
      dueNow: 0,
      creditNotes: [{ invoiceId: first.id, amount: 9000, settledBy: 'BALANCE' }],
      nextInvoice: { total: 9900 },
    });
    // A manual credit leaves less than the preview has shown.
    const byHand = { invoiceId: first.id, amount: 20000, reason: 'GOODWILL' };
    await client.expect(201, client.post('/credit-notes', byHand));
    expect(
      await client.expect(409, client.post(path, { ...body, previewToken: shown.token })),
    ).toEqual({ error: 'Preview is stale: invoice' });
    expect(await client.expect(200, client.get(path))).toMatchObject({ total: 0 });
    const after = await preview();
    expect(after).toMatchObject({ invoice: { total: 1040 }, creditNotes: [] });
    const other = await priced(1000);
    const lowest = { productId: other.id, at: 'NOW' };
    const small = await client.expect(200, client.post('/previews', { ...asked, change: lowest }));
    await scenario.advanceTo('2026-06-13T00:10:00.000Z');
    const used = { ...lowest, previewToken: small.token };
    const made = await change(subscription, used);
    expect(made.effectiveAt).toBe(small.effectiveAt);
    const notes = await notesOf(made);
    expect(
      notes.map(({ invoiceId, total }) => ({ invoiceId, amount: total, settledBy: 'BALANCE' })),
    ).toEqual(small.creditNotes);
    expect(await client.expect(409, client.post(path, used))).toEqual({
      error: 'Preview is stale: subscription, invoice',
    });
  });

  test('is made once by 20 equal calls', async () => {
    const product = { amount: 1000, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product, quantity: 10 });
    await scenario.advanceTo('2026-06-16');
    const { client } = scenario;
    const path = `/subscriptions/${subscription.id}/changes`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post(path, { quantity: 4, at: 'NOW' })),
    );
    for (const { status } of answers) expect([201, 409, 503, 504]).toContain(status);
    await scenario.advanceTo('2026-06-16T01:00:00.000Z');
    const { data: made } = await client.expect(200, client.get(path));
    expect(made).toHaveLength(1);
    await notesOf(made[0]);
    expect(await balanceOf(subscription)).toBe(3000);
    const [first] = await scenario.invoices(subscription);
    expect(first).toMatchObject({ amountCredited: 3000, creditNoteIds: made[0].creditNoteIds });
  });

  test('of an upgrade that a cancellation overtakes has one outcome, with its money', async () => {
    const product = await priced(10000);
    const upgradeTo = await priced(30000);
    const { client } = scenario;
    const started = await Promise.all(
      Array.from({ length: 6 }, async (_none, index) => {
        const { id: customerId } = await scenario.customer();
        const authorizedTransactionId = `${cards.good}_${String(index)}`;
        const body = { customerId, productId: product.id, authorizedTransactionId };
        return client.expect(201, client.post('/subscriptions', body));
      }),
    );
    await scenario.advanceTo('2026-06-16');
    await Promise.all(
      started.map(async ({ id }, index) => {
        const changing = client.post(`/subscriptions/${id}/changes`, { productId: upgradeTo.id });
        await sleep(index * 15);
        await client.expect(200, client.post(`/subscriptions/${id}/cancel`, {}));
        expect([201, 409, 503, 504]).toContain((await changing).status);
      }),
    );
    await scenario.advanceTo('2026-06-17');
    for (const subscription of started) {
      expect(await scenario.read(subscription)).toMatchObject({ status: 'CANCELED' });
      const path = `/subscriptions/${subscription.id}/changes`;
      const { data } = await client.expect(200, client.get(path));
      const invoices = await scenario.invoices(subscription);
      const ofChange = invoices.find(
        ({ billingReason }) => billingReason === 'SUBSCRIPTION_CHANGE',
      );
      const { customerId } = subscription;
      const balances = await client.expect(200, client.get(`/balances?customerId=${customerId}`));
      const balance = balances.data[0]?.balance ?? 0;
      const [made] = data;
      if (made?.status === 'APPLIED') {
        expect([ofChange.status, ofChange.amountCredited, balance]).toEqual(['PAID', 0, 0]);
        continue;
      }
      if (made !== undefined) expect(made.failure.code).toBe('superseded');
      const isPaid = ofChange?.status === 'PAID';
      expect(ofChange?.amountCredited ?? 0).toBe(isPaid ? 10000 : 0);
      expect(balance).toBe(isPaid ? 10000 : 0);
      expect(['PAID', 'VOID', undefined]).toContain(ofChange?.status);
    }
  });
});
