import { eventually } from '@billing/chassis/testing';
import { isNightly, numbersFrom } from '../support/rounds';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const pathOf = ({ id }: { id: string }) => `/subscriptions/${id}/changes`;

/** The fields of an invoice that a preview promises. */
function promisedOf(invoice: any, shown: any): object {
  const fields = Object.keys(shown).map((field) => [field, invoice[field]]);
  const amountDue = Number(invoice.amountDue) + Number(invoice.amountPaid);
  return { ...Object.fromEntries(fields), amountDue, lineItems: withoutIds(invoice.lineItems) };
}

function withoutIds(lines: readonly any[]): object[] {
  return lines.map(({ id: _id, invoiceId: _invoiceId, itemId: _itemId, ...line }) => line);
}

describe('a previewed change', () => {
  let scenario: Scenario;

  beginEachOn('2026-06-01', (begun) => {
    scenario = begun;
  });

  const previewOf = async ({ id }: { id: string }, change: object): Promise<any> => {
    const body = { kind: 'CHANGE', subscriptionId: id, change };
    return scenario.client.expect(200, scenario.client.post('/previews', body));
  };
  const patch = (path: string, body: object) =>
    scenario.client.expect(200, scenario.client.request('PATCH', path, { body }));
  const credited = async (customerId: string, amount: number): Promise<unknown> => {
    const entry = { customerId, amount, description: 'Goodwill' };
    return scenario.client.expect(201, scenario.client.post('/balance-entries', entry));
  };

  type Moved = { readonly customerId: string; readonly productId: string };

  test.each<[name: string, move: (moved: Moved) => Promise<unknown>]>([
    ['price', ({ productId }) => patch(`/products/${productId}`, { active: false })],
    [
      'customer',
      ({ customerId }) => patch(`/customers/${customerId}`, { collectionMethod: 'SEND_INVOICE' }),
    ],
    ['balance', ({ customerId }) => credited(customerId, -1)],
  ])('is refused by name when it has moved: %s', async (name, move) => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const { customerId } = subscription;
    await credited(customerId, 3000);
    const { id: productId } = await scenario.product({ amount: 30000 });
    await scenario.advanceTo('2026-06-16');
    const { token: previewToken, invoice } = await previewOf(subscription, { productId });
    expect(invoice).toMatchObject({ balanceApplied: 3000, amountDue: 7000 });
    await move({ customerId, productId });
    const before = await scenario.read(subscription);
    const refused = client.post(pathOf(subscription), { productId, previewToken });
    expect(await client.expect(409, refused)).toEqual({ error: `Preview is stale: ${name}` });
    expect(await scenario.read(subscription)).toEqual(before);
    expect(await scenario.invoices(subscription)).toHaveLength(1);
    expect(await client.expect(200, client.get(pathOf(subscription)))).toMatchObject({ total: 0 });
  });

  test('is honored when what has moved does not move its result', async () => {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const { customerId } = subscription;
    await credited(customerId, 3000);
    const { id: productId } = await scenario.product({ amount: 30000 });
    await scenario.advanceTo('2026-06-16');
    const { token: previewToken, invoice } = await previewOf(subscription, { productId });
    await credited(customerId, 500);
    await patch(`/customers/${customerId}`, { name: 'Ada King' });
    await patch(`/products/${productId}`, { metadata: { shown: true } });
    const made = await scenario.change(subscription, { productId, previewToken });
    const paid = await scenario.client.expect(
      200,
      scenario.client.get(`/invoices/${String(made.invoiceId)}`),
    );
    expect(promisedOf(paid, invoice)).toMatchObject({ balanceApplied: 3000, total: 10000 });
  });

  test('that waits is refused once the price that it has shown was raised', async () => {
    const subscription = await scenario.subscription({ product: { amount: 24900 } });
    const { id: productId } = await scenario.product({ amount: 9900 });
    const shown = await previewOf(subscription, { productId });
    expect(shown).toMatchObject({ monthlyAmountAfter: 9900, invoice: null });
    await patch(`/products/${String(productId)}`, { amount: 12900 });
    const body = { productId, previewToken: shown.token };
    const refused = scenario.client.post(pathOf(subscription), body);
    expect(await scenario.client.expect(409, refused)).toEqual({
      error: 'Preview is stale: price',
    });
  });

  test('is done as shown, for changes of each kind by chance', async () => {
    const { client } = scenario;
    const seed = isNightly ? Date.now() % 1_000_000 : 22;
    if (isNightly) process.stdout.write(`changes of seed ${String(seed)}\n`);
    const next = numbersFrom(seed);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
    const perUnit = (amount: number, more: object = {}) =>
      scenario.product({ type: 'PER_UNIT', amount, ...more });
    const products = [await perUnit(1000), await perUnit(333), await perUnit(7001)];
    const yearly = await perUnit(9900, { billingInterval: 'YEARLY' });
    const addOn = await perUnit(77);
    const third = { type: 'PERCENTAGE', value: 33.33, duration: 'FOREVER' };
    const { id: discountId } = await scenario.discount(third);
    const quantity = () => 1 + Math.floor(next() * 9);
    const kinds: readonly ((productId: string) => object)[] = [
      () => ({ quantity: 10 + quantity(), at: 'NOW' }),
      () => ({ productId: pick(products).id, quantity: 10 + quantity(), at: 'NOW' }),
      (productId) => ({ items: [{ productId }, { productId: addOn.id, quantity: quantity() }] }),
      () => ({ productId: yearly.id, at: 'NOW' }),
      () => ({ quantity: 10 + quantity(), proration: 'FULL_AND_RESET' }),
      () => ({ quantity: 10 + quantity(), at: 'NOW', proration: 'NONE' }),
      () => ({ quantity: 10 + quantity(), at: 'NOW', collect: 'NEXT_INVOICE' }),
      () => ({ quantity: 10 + quantity(), at: 'PERIOD_END' }),
      () => ({ discountId }),
      () => ({ kind: 'PAUSE', at: 'NOW', proration: 'PRORATE' }),
      () => ({ kind: 'PAUSE' }),
    ];
    const rounds = isNightly ? 90 : 2;
    const begun: { subscription: any; wanted: object }[] = [];
    for (let index = 0; index < rounds * kinds.length; index += 1) {
      const { id: customerId } = await scenario.customer({
        collectionMethod: pick(['CHARGE_AUTOMATICALLY', 'SEND_INVOICE']),
      });
      const { id: productId } = pick(products);
      const authorizedTransactionId = `${cards.good}_${String(customerId)}`;
      const body = { customerId, productId, quantity: quantity(), authorizedTransactionId };
      const subscription = await client.subscribe({
        ...body,
        ...(next() < 0.3 && { discountId }),
      });
      if (next() < 0.3) await credited(customerId, 1 + Math.floor(next() * 5000));
      const wanted = kinds[index % kinds.length]?.(productId) ?? {};
      begun.push({ subscription, wanted });
    }
    await scenario.advanceTo('2026-06-12T07:12:00.001Z');
    for (const { subscription, wanted } of begun) {
      const shown = await previewOf(subscription, wanted);
      const made = await scenario.change(subscription, { ...wanted, previewToken: shown.token });
      const { effectiveAt, monthlyAmountBefore, monthlyAmountAfter } = made;
      expect({ effectiveAt, monthlyAmountBefore, monthlyAmountAfter }).toEqual({
        effectiveAt: shown.effectiveAt,
        monthlyAmountBefore: shown.monthlyAmountBefore,
        monthlyAmountAfter: shown.monthlyAmountAfter,
      });
      expect(made.invoiceId === null).toBe(shown.invoice === null);
      if (shown.invoice !== null) {
        const invoice = await eventually(async () => {
          const path = `/invoices/${String(made.invoiceId)}`;
          const found = await client.expect(200, client.get(path));
          expect(found.status).not.toBe('DRAFT');
          return found;
        });
        const lineItems = withoutIds(shown.invoice.lineItems);
        expect(promisedOf(invoice, shown.invoice)).toEqual({ ...shown.invoice, lineItems });
      }
      await eventually(async () => {
        const notes = [];
        for (const id of made.creditNoteIds) {
          notes.push(await client.expect(200, client.get(`/credit-notes/${String(id)}`)));
        }
        const amounts = shown.creditNotes.map(({ invoiceId, amount }: any) => [invoiceId, amount]);
        expect(notes.map(({ invoiceId, total }) => [invoiceId, total])).toEqual(amounts);
      });
    }
  });

  test('and a pause at once have one outcome each way', async () => {
    const { client } = scenario;
    const { id: productId } = await scenario.product({ amount: 1000, type: 'PER_UNIT' });
    const { id: customerId } = await scenario.customer();
    const subscriptions = [];
    for (let index = 0; index < 5; index += 1) {
      const authorizedTransactionId = `${cards.good}_${String(index)}`;
      const body = { customerId, productId, authorizedTransactionId };
      subscriptions.push(await client.subscribe(body));
    }
    await scenario.advanceTo('2026-06-16');
    for (const subscription of subscriptions) {
      const bodies = [
        { quantity: 3 },
        { kind: 'PAUSE', at: 'NOW', proration: 'PRORATE' },
        { quantity: 5 },
      ];
      const answers = await Promise.all(
        bodies.map((body) => client.post(pathOf(subscription), body)),
      );
      for (const { status } of answers) expect([201, 409, 503]).toContain(status);
      await client.untilIdle();
      const { phase, quantity, pausedAt } = await scenario.read(subscription);
      const { data } = await client.expect(200, client.get(pathOf(subscription)));
      const applied = data.filter(({ status }: any) => status === 'APPLIED');
      expect(applied.some(({ kind }: any) => kind === 'PAUSE')).toBe(phase === 'PAUSED');
      expect(pausedAt === null).toBe(phase !== 'PAUSED');
      const quantities = applied.map(({ to }: any) => to.items[0].quantity);
      expect([1, ...quantities]).toContain(quantity);
    }
  });

  test('takes the balance of one of 20 tokens that have shown all of it', async () => {
    const { client } = scenario;
    const product = { amount: 10000 };
    const first = await scenario.subscription({ product });
    const { customerId } = first;
    const { id: productId } = await scenario.product({ amount: 30000 });
    const subscriptions = [];
    for (let index = 0; index < 20; index += 1) {
      const authorizedTransactionId = `${cards.good}_${String(index)}`;
      const body = { customerId, productId: first.productId, authorizedTransactionId };
      subscriptions.push(await client.subscribe(body));
    }
    await credited(customerId, 10000);
    await scenario.advanceTo('2026-06-16');
    const shown: any[] = [];
    for (const subscription of subscriptions) {
      shown.push(await previewOf(subscription, { productId }));
    }
    const answers = await Promise.all(
      subscriptions.map((subscription, index) => {
        const previewToken = shown[index]?.token;
        // A busy system refuses a call for some time.
        return eventually(async () => {
          const answer = await client.post(pathOf(subscription), { productId, previewToken });
          expect(answer.status).not.toBe(503);
          return answer;
        });
      }),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(19);
    for (const { status, body } of refused) {
      expect([status, body.error]).toEqual([409, 'Preview is stale: balance']);
    }
    await eventually(async () => {
      const path = `/balances?customerId=${String(customerId)}`;
      const { data } = await client.expect(200, client.get(path));
      expect(data).toMatchObject([{ balance: 0 }]);
    });
  });
});
