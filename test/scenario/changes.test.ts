import type { Scenario } from './scenario';
import { beginEachOn } from './stage';

// Worked examples: a monthly period from 1 June to 1 July 2026 unless said otherwise.
describe('changing a subscription', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  interface Changed {
    readonly change: any;
    readonly invoice: any;
  }

  async function change(subscription: { id: string }, body: object): Promise<Changed> {
    const { client } = scenario;
    const path = `/subscriptions/${subscription.id}/changes`;
    const made = await scenario.change(subscription, body);
    expect(await client.expect(200, client.get(`${path}/${made.id}`))).toEqual(made);
    const invoice =
      made.invoiceId === null
        ? null
        : await client.expect(200, client.get(`/invoices/${made.invoiceId}`));
    return { change: made, invoice };
  }

  const priced = (amount: number) => scenario.product({ name: `P${String(amount)}`, amount });
  const linesOf = (invoice: any) =>
    invoice.lineItems.map(({ kind, amount, discountAmount }: any) => [
      kind,
      amount,
      discountAmount,
    ]);
  const [unused, remaining] = ['UNUSED_TIME', 'REMAINING_TIME'];

  test('1, 2, 3: upgrades charge the difference for the rest of the period, each what it replaces', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    await scenario.advanceTo('2026-06-11');
    const first = await change(subscription, { productId: (await priced(30000)).id });
    expect(first.change).toMatchObject({ status: 'APPLIED', at: 'NOW', kind: 'UPDATE' });
    expect(first.invoice).toMatchObject({
      status: 'PAID',
      billingReason: 'SUBSCRIPTION_CHANGE',
      total: 13333,
      periodStart: '2026-06-11T00:00:00.000Z',
      periodEnd: '2026-07-01T00:00:00.000Z',
    });
    expect(linesOf(first.invoice)).toEqual([
      [unused, -6667, 0],
      [remaining, 20000, 0],
    ]);
    expect(first.invoice.lineItems[1].details).toMatchObject({
      exactAmount: '20000',
      proration: { numerator: 20 * 86_400_000, denominator: 30 * 86_400_000, of: '30000' },
    });
    expect(await scenario.read(subscription)).toMatchObject({
      latestInvoiceId: first.invoice.id,
      price: { amount: 30000 },
      pendingChange: null,
    });
    await scenario.advanceTo('2026-06-21');
    const second = await change(subscription, { productId: (await priced(50000)).id });
    expect(linesOf(second.invoice)).toEqual([
      [unused, -10000, 0],
      [remaining, 16667, 0],
    ]);
    await scenario.advanceTo('2026-07-01');
    const renewal = (await scenario.invoices(subscription)).at(-1);
    expect(renewal).toMatchObject({ total: 50000, billingReason: 'SUBSCRIPTION_CYCLE' });
    expect(renewal.lineItems).toMatchObject([{ kind: 'RECURRING' }]);
  });

  test('4: seats added within a period', async () => {
    const product = { amount: 1900, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product, quantity: 10 });
    await scenario.advanceTo('2026-06-20T18:30:00.000Z');
    const { change: made, invoice } = await change(subscription, { quantity: 12 });
    expect(linesOf(invoice)).toEqual([
      [unused, -6478, 0],
      [remaining, 7774, 0],
    ]);
    expect(made).toMatchObject({
      monthlyAmountBefore: 19000,
      monthlyAmountAfter: 22800,
      from: { items: [{ quantity: 10 }] },
      to: { items: [{ quantity: 12, id: made.from.items[0].id }] },
    });
    await scenario.advanceTo('2026-07-01');
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({ total: 22800 });
    expect((await scenario.read(subscription)).items).toMatchObject([{ quantity: 12 }]);
  });

  test('5: a downgrade by AUTO waits for the end of the period, can be replaced and taken back', async () => {
    const subscription = await scenario.subscription({ product: { amount: 24900 } });
    const [lower, lowest] = [await priced(9900), await priced(4900)];
    await scenario.advanceTo('2026-06-13');
    const { change: first } = await change(subscription, { productId: lowest.id });
    expect(first).toMatchObject({
      status: 'PENDING',
      at: 'PERIOD_END',
      effectiveAt: '2026-07-01T00:00:00.000Z',
      invoiceId: null,
    });
    const { change: second } = await change(subscription, { productId: lower.id });
    expect((await scenario.read(subscription)).pendingChange).toEqual(second);
    const { client } = scenario;
    const path = `/subscriptions/${subscription.id}/changes`;
    expect(await client.expect(200, client.get(`${path}/${first.id}`))).toMatchObject({
      status: 'CANCELED',
      replacedBy: second.id,
    });
    await scenario.advanceTo('2026-07-01');
    expect(await client.expect(200, client.get(path))).toMatchObject({
      total: 2,
      data: [{ id: second.id, status: 'APPLIED' }, { id: first.id }],
    });
    expect((await scenario.invoices(subscription)).map(({ total }) => total)).toEqual([
      24900, 9900,
    ]);
    const { change: third } = await change(subscription, { productId: lowest.id });
    await client.expect(204, client.delete(`${path}/${third.id}`));
    await client.expect(204, client.delete(`${path}/${third.id}`));
    expect(await client.expect(409, client.delete(`${path}/${second.id}`))).toEqual({
      error: 'Change is no longer pending',
    });
    await scenario.expectWebhooks(subscription, [
      '2026-06-01 created',
      '2026-06-01 payment_succeeded INV-000001 attempt 1',
      ...[first, second].map(() => expect.stringMatching(/^2026-06-13 updated pendingChange /)),
      expect.stringMatching(/^2026-07-01 updated productId .* pendingChange /),
      '2026-07-01 renewed',
      '2026-07-01 payment_succeeded INV-000002 attempt 1',
      ...['asked', 'taken back'].map(() =>
        expect.stringMatching(/^2026-07-01 updated pendingChange /),
      ),
    ]);
  });

  test.each([
    [
      '9: a percentage takes off the rest of the period what it took off the whole',
      { type: 'PERCENTAGE', value: 20 },
      [10000, 30000, '2026-06-16'],
      [
        [unused, -4000, 0],
        [remaining, 15000, 3000],
      ],
      24000,
    ],
    [
      '10: a fixed discount grants no second one',
      { type: 'FIXED', value: 1000, currency: 'USD' },
      [3000, 6000, '2026-06-16'],
      [
        [unused, -1000, 0],
        [remaining, 3000, 500],
      ],
      5000,
    ],
  ] as const)('%s', async (_name, discount, [from, to, at], lines, next) => {
    const { id: discountId } = await scenario.discount({ ...discount, duration: 'FOREVER' });
    const subscription = await scenario.subscription({ product: { amount: from }, discountId });
    await scenario.advanceTo(at);
    const { invoice } = await change(subscription, { productId: (await priced(to)).id });
    expect(linesOf(invoice)).toEqual(lines);
    await scenario.advanceTo('2026-07-01');
    expect((await scenario.invoices(subscription)).at(-1)).toMatchObject({ total: next });
  });

  test('13: a period from the end of February, with the anchor on 31 January', async () => {
    const later = await scenario.subscription({
      product: { amount: 2900 },
      startAt: '2027-01-31T00:00:00.000Z',
    });
    await scenario.advanceTo('2027-03-15');
    const { invoice } = await change(later, { productId: (await priced(9900)).id });
    expect(linesOf(invoice)).toEqual([
      [unused, -1497, 0],
      [remaining, 5110, 0],
    ]);
  });

  test('14, 15: yen, and a change that costs as much as it gives back', async () => {
    const product = { amount: 1000, currency: 'JPY' };
    const subscription = await scenario.subscription({ product });
    const yen = await scenario.product({ ...product, amount: 2980 });
    const other = { authorizedTransactionId: 'txn_4242424242424242_2' };
    const one = await scenario.subscription({ product: { amount: 1 }, ...other });
    await scenario.advanceTo('2026-06-09T07:12:00.000Z');
    const { invoice } = await change(subscription, { productId: yen.id });
    expect(linesOf(invoice)).toEqual([
      [unused, -723, 0],
      [remaining, 2156, 0],
    ]);
    await scenario.advanceTo('2026-06-16');
    const even = await change(one, { productId: (await priced(2)).id });
    expect(even).toMatchObject({ change: { status: 'APPLIED', invoiceId: null }, invoice: null });
  });

  test('24: a trial changes for free, and its end bills the new product', async () => {
    const subscription = await scenario.subscription({
      product: { amount: 3000, trialDays: 14 },
    });
    await scenario.advanceTo('2026-06-05');
    const { change: made } = await change(subscription, { productId: (await priced(9000)).id });
    expect(made).toMatchObject({ status: 'APPLIED', invoiceId: null, monthlyAmountAfter: 0 });
    await scenario.advanceTo('2026-06-15');
    expect((await scenario.invoices(subscription)).map(({ total }) => total)).toEqual([9000]);
  });

  test('a preview is charged as shown, or refused with the reason', async () => {
    const product = { amount: 1900, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product, quantity: 10 });
    const { client } = scenario;
    const previewOf = (body: object): Promise<any> =>
      client.expect(
        200,
        client.post('/previews', { kind: 'CHANGE', subscriptionId: subscription.id, change: body }),
      );
    const path = `/subscriptions/${subscription.id}/changes`;
    await scenario.advanceTo('2026-06-16');
    const preview = await previewOf({ quantity: 12 });
    expect(preview).toMatchObject({
      at: '2026-06-16T00:00:00.000Z',
      validUntil: '2026-06-16T00:15:00.000Z',
      effectiveAt: '2026-06-16T00:00:00.000Z',
      dueNow: 1900,
      invoice: { total: 1900, amountDue: 1900, billingReason: 'SUBSCRIPTION_CHANGE' },
      nextInvoice: { total: 22800, estimated: false },
      monthlyAmountBefore: 19000,
      monthlyAmountAfter: 22800,
      creditNotes: [],
      linesPutOff: [],
    });
    expect(preview.token.length).toBeLessThanOrEqual(1000);
    expect({ ...(await previewOf({ quantity: 12 })), token: '' }).toEqual({
      ...preview,
      token: '',
    });
    await scenario.advanceTo('2026-06-16T00:10:00.000Z');
    const { token: previewToken } = preview;
    expect(await client.expect(400, client.post(path, { quantity: 13, previewToken }))).toEqual({
      error: { previewToken: ['Preview is for another request'] },
    });
    const forged = `${String(previewToken).slice(0, -4)}AAAA`;
    expect(
      await client.expect(400, client.post(path, { quantity: 12, previewToken: forged })),
    ).toEqual({ error: { previewToken: ['Preview token is not valid'] } });
    const made = await client.expect(201, client.post(path, { quantity: 12, previewToken }));
    expect(made).toMatchObject({ status: 'APPLIED', effectiveAt: preview.effectiveAt });
    const invoice = await client.expect(200, client.get(`/invoices/${made.invoiceId}`));
    const shown = preview.invoice.lineItems.map((line: any) => ({
      ...line,
      id: '',
      invoiceId: '',
    }));
    expect(invoice.lineItems.map((line: any) => ({ ...line, id: '', invoiceId: '' }))).toEqual(
      shown,
    );
    expect(invoice).toMatchObject({ total: preview.dueNow, amountPaid: preview.dueNow });
    expect(await client.expect(409, client.post(path, { quantity: 12, previewToken }))).toEqual({
      error: 'Preview is stale: subscription, invoice',
    });
    const late = await previewOf({ quantity: 13 });
    await scenario.advanceTo('2026-06-16T00:25:00.001Z');
    expect(
      await client.expect(409, client.post(path, { quantity: 13, previewToken: late.token })),
    ).toEqual({ error: 'Preview is stale: time' });
    expect(await scenario.read(subscription)).toMatchObject({ quantity: 12 });
  });

  test('of 20 equal changes at once one is made, and paid once', async () => {
    const product = { amount: 1000, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product });
    await scenario.advanceTo('2026-06-16');
    const { client } = scenario;
    const path = `/subscriptions/${subscription.id}/changes`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post(path, { quantity: 3 })),
    );
    for (const { status, body } of answers) {
      expect([201, 409, 503, 504]).toContain(status);
      if (status !== 409) continue;
      expect(body.error).toMatch(/^(Another change is being paid|Nothing to change)$/);
    }
    // An answer waits eight seconds for the payment.
    await scenario.advanceTo('2026-06-16T01:00:00.000Z');
    expect(await client.expect(200, client.get(path))).toMatchObject({
      total: 1,
      data: [{ status: 'APPLIED' }],
    });
    expect((await scenario.invoices(subscription)).map(({ total }) => total)).toEqual([1000, 1000]);
  });

  test.each([
    ['before', '2026-06-30T23:59:59.999Z', [1000, 3000, 3000]],
    ['at the instant of', '2026-07-01', [1000, 1000, 2000, 3000]],
    ['after', '2026-07-01T00:00:00.001Z', [1000, 1000, 2000, 3000]],
  ])('a change right %s a renewal bills each part once', async (_name, at, totals) => {
    const product = { amount: 1000, type: 'PER_UNIT' };
    const subscription = await scenario.subscription({ product });
    await scenario.advanceTo(at);
    await change(subscription, { quantity: 3 });
    await scenario.advanceTo('2026-08-01');
    const invoices = await scenario.invoices(subscription);
    const numbered = invoices.toSorted((a, b) => (a.number < b.number ? -1 : 1));
    expect(numbered.map(({ total }) => total)).toEqual(totals);
  });

  test('what is not supported is refused by name', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const { client } = scenario;
    const refused = async (status: number, body: object) => {
      const path = `/subscriptions/${subscription.id}/changes`;
      return (await client.expect(status, client.post(path, body))).error;
    };
    const yearly = await scenario.product({ amount: 100000, billingInterval: 'YEARLY' });
    const euro = await scenario.product({ currency: 'EUR' });
    const once = await scenario.product({ billingInterval: 'ONE_TIME' });
    const cheaper = await priced(5000);
    const items = [{ productId: yearly.id }, { productId: euro.id }];
    expect(await refused(400, {})).toEqual({ items: ['Required'] });
    expect(await refused(400, { seats: 3 })).toEqual({
      items: ['Required'],
      seats: ['Unknown field'],
    });
    expect(await refused(400, { kind: 'MIGRATE' })).toHaveProperty('kind');
    expect(await refused(400, { productId: cheaper.id, proration: 'HALF' })).toHaveProperty(
      'proration',
    );
    expect(await refused(400, { items })).toEqual({
      items: [
        '1.productId: Price has another currency',
        '1.productId: Items must share one billing interval',
      ],
    });
    expect(await refused(400, { items: [{ productId: euro.id }] })).toEqual({
      items: ['0.productId: Price has another currency'],
    });
    expect(await refused(400, { productId: once.id })).toEqual({
      productId: ['Price is not recurring'],
    });
    expect(await refused(404, { productId: subscription.id })).toBe('Product not found');
    expect(await refused(409, { productId: subscription.productId })).toBe('Nothing to change');
    await scenario.cancel(subscription, true);
    expect(await refused(409, { productId: cheaper.id })).toBe('Subscription is set to cancel');
    await scenario.cancel(subscription, false);
    expect(await refused(409, { quantity: 2 })).toBe('Subscription is already canceled');
  });
});
