import { eventually } from '@billing/chassis/testing';
import { isNightly, numbersFrom } from '../support/rounds';
import { cards, type Scenario } from './scenario';
import { beginEachOn } from './stage';

const pathOf = ({ id }: { id: string }) => `/subscriptions/${id}/changes`;

const pausedNow = { kind: 'PAUSE', at: 'NOW' };

/** What a preview and its use ask for. */
interface Wanted {
  readonly [field: string]: unknown;
  readonly kind?: string;
  readonly proration?: string;
  readonly atPeriodEnd?: boolean;
}

/** The fields of an invoice that a preview promises. */
function promisedOf(invoice: any, shown: any): object {
  const fields = Object.keys(shown).map((field) => [field, invoice[field]]);
  const amountDue = Number(invoice.amountDue) + Number(invoice.amountPaid);
  return { ...Object.fromEntries(fields), amountDue, lineItems: withoutIds(invoice.lineItems) };
}

function withoutIds(lines: readonly any[]): object[] {
  return lines.map(({ id: _id, invoiceId: _invoiceId, itemId: _itemId, ...line }) => line);
}

// The nightly run takes an hour on two cores.
const randomTimeoutMs = isNightly ? 3 * 60 * 60_000 : 600_000;

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

  interface Moved {
    readonly subscription: any;
    readonly customerId: string;
    readonly productId: string;
    readonly discountId: string;
  }
  type Move = readonly [name: string, move: (moved: Moved) => Promise<unknown>];

  /** A preview on 16 June of a change to a dearer product, with another discount from July on. */
  async function shownToMove(): Promise<{ moved: Moved; shown: any; body: object }> {
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const { customerId } = subscription;
    await credited(customerId, 3000);
    const { id: productId } = await scenario.product({ amount: 30000 });
    const half = { type: 'PERCENTAGE', value: 50, duration: 'FOREVER' };
    const { id: discountId } = await scenario.discount(half);
    await scenario.advanceTo('2026-06-16');
    const asked = { productId, discountId };
    const shown = await previewOf(subscription, asked);
    expect(shown.invoice).toMatchObject({ balanceApplied: 3000, amountDue: 7000 });
    const moved = { subscription, customerId, productId, discountId };
    return { moved, shown, body: { ...asked, previewToken: shown.token } };
  }

  const creditedByHand = async (subscription: any, amount: number): Promise<unknown> => {
    const [{ id: invoiceId }] = await scenario.invoices(subscription);
    const note = { invoiceId, amount, reason: 'OTHER', settle: 'EXTERNAL' };
    return scenario.client.expect(201, scenario.client.post('/credit-notes', note));
  };

  test.each<Move>([
    ['time', () => scenario.advanceTo('2026-06-16T00:15:00.001Z')],
    ['subscription', ({ subscription }) => scenario.change(subscription, pausedNow)],
    ['price', ({ productId }) => patch(`/products/${productId}`, { active: false })],
    // The lines name the product.
    ['price', ({ productId }) => patch(`/products/${productId}`, { name: 'Renamed' })],
    ['discount', ({ discountId }) => patch(`/discounts/${discountId}`, { active: false })],
    [
      'customer',
      ({ customerId }) => patch(`/customers/${customerId}`, { collectionMethod: 'SEND_INVOICE' }),
    ],
    ['balance', ({ customerId }) => credited(customerId, -1)],
    ['invoice', ({ subscription }) => creditedByHand(subscription, 6000)],
  ])('is refused by name when it has moved: %s', async (name, move) => {
    const { client } = scenario;
    const { moved, body } = await shownToMove();
    await move(moved);
    const before = await writtenOf(moved.subscription);
    const refused = client.post(pathOf(moved.subscription), body);
    expect(await client.expect(409, refused)).toEqual({ error: `Preview is stale: ${name}` });
    expect(await writtenOf(moved.subscription)).toEqual(before);
  });

  test.each<Move>([
    ['time', () => scenario.advanceTo('2026-06-16T00:15:00.000Z')],
    ['subscription', ({ subscription: { id } }) => flag(id)],
    ['price', ({ productId }) => patch(`/products/${productId}`, { metadata: { shown: true } })],
    ['discount', ({ discountId }) => patch(`/discounts/${discountId}`, { maxRedemptions: 9 })],
    ['customer', ({ customerId }) => patch(`/customers/${customerId}`, { name: 'Ada King' })],
    ['balance', ({ customerId }) => credited(customerId, 500)],
    ['invoice', ({ subscription }) => creditedByHand(subscription, 1000)],
  ])('is honored when what has moved does not move its result: %s', async (_name, move) => {
    const { client } = scenario;
    const { moved, shown, body } = await shownToMove();
    await move(moved);
    const made = await scenario.change(moved.subscription, body);
    expect(made).toMatchObject({ status: 'APPLIED', effectiveAt: shown.effectiveAt });
    const paid = await client.expect(200, client.get(`/invoices/${String(made.invoiceId)}`));
    const lineItems = withoutIds(shown.invoice.lineItems);
    expect(promisedOf(paid, shown.invoice)).toEqual({ ...shown.invoice, lineItems });
  });

  const flag = async (id: string): Promise<unknown> => {
    const path = `/subscriptions/${id}/cancel`;
    return scenario.client.expect(200, scenario.client.post(path, { atPeriodEnd: true }));
  };

  describe('with a seller that taxes', () => {
    type Taxed = Pick<Moved, 'customerId' | 'productId'> & { readonly formerId: string };
    const taxIds = [{ type: 'EU_VAT', value: 'FR40303265045' }];
    const rate = (country: string) =>
      scenario.client.expect(
        201,
        scenario.client.post('/tax-rates', {
          ...{ country, category: 'standard', percent: '16', name: 'VAT' },
          validFrom: '2026-06-16',
        }),
      );

    /** A preview on 16 June of the change of a consumer in France to a dearer product. */
    async function previewed(change: object = {}): Promise<any> {
      await patch('/seller', {
        ...{ legalName: 'Ada GmbH', address: { country: 'DE' } },
        tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
      });
      const customer = { address: { country: 'FR' } };
      const subscription = await scenario.subscription({ product: { amount: 10000 }, customer });
      const { customerId, productId: formerId } = subscription;
      const { id: productId } = await scenario.product({ amount: 30000 });
      await scenario.advanceTo('2026-06-16');
      const asked = { productId, ...change };
      const shown = await previewOf(subscription, asked);
      const moved: Taxed = { customerId, productId, formerId };
      return { subscription, shown, moved, body: { ...asked, previewToken: shown.token } };
    }

    const taxExempt = { taxExempt: 'EXEMPT' };
    test.each<[string, (moved: Taxed) => Promise<unknown>, object | null]>([
      ['a tax id', ({ customerId }) => patch(`/customers/${customerId}`, { taxIds }), null],
      ['an exemption', ({ customerId }) => patch(`/customers/${customerId}`, taxExempt), null],
      [
        'another country',
        ({ customerId }) => patch(`/customers/${customerId}`, { address: { country: 'IT' } }),
        null,
      ],
      [
        'another category of the product',
        ({ productId }) => patch(`/products/${productId}`, { taxCategory: 'exempt' }),
        null,
      ],
      ['a rate of the country', () => rate('FR'), null],
      ['a rate, for lines put off', () => rate('FR'), { collect: 'NEXT_INVOICE' }],
    ])('is refused by name when its tax has moved by %s', async (_name, move, asked) => {
      const { client } = scenario;
      const { subscription, shown, moved, body } = await previewed(asked ?? {});
      const [line] = asked === null ? shown.invoice.lineItems : shown.linesPutOff;
      expect(line).toMatchObject({ taxPercent: '20', taxReason: 'STANDARD' });
      await move(moved);
      const before = await scenario.read(subscription);
      const invoices = await scenario.invoices(subscription);
      const refused = client.post(pathOf(subscription), body);
      expect(await client.expect(409, refused)).toEqual({ error: 'Preview is stale: tax' });
      expect(await scenario.read(subscription)).toEqual(before);
      expect(await scenario.invoices(subscription)).toEqual(invoices);
      const list = await client.expect(200, client.get(pathOf(subscription)));
      expect(list).toMatchObject({ total: 0 });
    });

    test('is honored when what has moved does not move its tax', async () => {
      const { subscription, shown, moved, body } = await previewed();
      await rate('DE');
      await patch(`/customers/${moved.customerId}`, { address: { country: 'FR', city: 'Lyon' } });
      // The line that takes back what was paid has the tax that was paid.
      await patch(`/products/${moved.formerId}`, { taxCategory: 'exempt' });
      const made = await scenario.change(subscription, body);
      expect(made).toMatchObject({ status: 'APPLIED' });
      const path = `/invoices/${String(made.invoiceId)}`;
      const invoice = await scenario.client.expect(200, scenario.client.get(path));
      const lineItems = withoutIds(shown.invoice.lineItems);
      expect(promisedOf(invoice, shown.invoice)).toEqual({ ...shown.invoice, lineItems });
      expect(invoice).toMatchObject({ status: 'PAID', tax: 2000, total: 12000 });
    });
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

  test.each<[what: string, change: object, names: string, later: string]>([
    ['now', { at: 'NOW' }, 'subscription, invoice', 'time, subscription, invoice'],
    ['a new cycle', { proration: 'FULL_AND_RESET' }, 'subscription', 'time, subscription'],
    ['that waits', { at: 'PERIOD_END' }, 'subscription', 'time, subscription, invoice'],
  ])('%s is made once by its token, also in the next period', async (_what, terms, ...names) => {
    const { client } = scenario;
    const subscription = await scenario.subscription({ product: { amount: 10000 } });
    const { id: productId } = await scenario.product({ amount: 30000 });
    await scenario.advanceTo('2026-06-30T23:55:00.000Z');
    const asked = { productId, ...terms };
    const { token: previewToken } = await previewOf(subscription, asked);
    await scenario.change(subscription, { ...asked, previewToken });
    const expectRefused = async (text: string | undefined): Promise<void> => {
      const before = await writtenOf(subscription);
      const refused = client.post(pathOf(subscription), { ...asked, previewToken });
      expect(await client.expect(409, refused)).toEqual({
        error: `Preview is stale: ${String(text)}`,
      });
      expect(await writtenOf(subscription)).toEqual(before);
    };
    await expectRefused(names[0]);
    await scenario.advanceTo('2026-07-01T00:01:00.000Z');
    await expectRefused(names[1]);
  });

  /** All that a change could have written. */
  async function writtenOf(subscription: any): Promise<unknown[]> {
    const { client } = scenario;
    const { customerId } = subscription;
    const of = (path: string) => client.expect(200, client.get(path));
    return [
      await scenario.read(subscription),
      await scenario.invoices(subscription),
      await of(pathOf(subscription)),
      await of(`/credit-notes?customerId=${String(customerId)}`),
      await of(`/balances?customerId=${String(customerId)}`),
      await of('/discounts'),
    ];
  }

  test(
    'is done as shown, for changes of each kind by chance',
    async () => {
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
      const kinds: readonly ((productId: string) => Wanted)[] = [
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
        () => ({ kind: 'RESUME' }),
        () => ({ kind: 'CANCEL' }),
        () => ({ kind: 'CANCEL', proration: 'PRORATE' }),
        () => ({ kind: 'CANCEL', atPeriodEnd: true }),
      ];
      const rounds = isNightly ? 90 : 2;
      const begun: { subscription: any; wanted: Wanted }[] = [];
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
      await scenario.advanceTo('2026-06-07T20:00:00.999Z');
      const paused = begun.filter(({ wanted }) => wanted.kind === 'RESUME');
      for (const { subscription } of paused) {
        const proration = pick(['NONE', 'PRORATE']);
        await scenario.change(subscription, { kind: 'PAUSE', at: 'NOW', proration });
      }
      await scenario.advanceTo('2026-06-12T07:12:00.001Z');
      for (const { subscription, wanted } of begun) {
        if (wanted.kind === 'CANCEL') {
          await expectCanceledAsShown(subscription, wanted);
          continue;
        }
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
          const amounts = shown.creditNotes.map(({ invoiceId, amount }: any) => [
            invoiceId,
            amount,
          ]);
          expect(notes.map(({ invoiceId, total }) => [invoiceId, total])).toEqual(amounts);
        });
      }
    },
    randomTimeoutMs,
  );

  async function expectCanceledAsShown(subscription: any, wanted: Wanted): Promise<void> {
    const { client } = scenario;
    const { id: subscriptionId, customerId } = subscription;
    const body = { subscriptionId, ...wanted };
    const shown = await client.expect(200, client.post('/previews', body));
    const { kind: _kind, ...asked } = wanted;
    const path = `/subscriptions/${String(subscriptionId)}/cancel`;
    const used = { ...asked, previewToken: shown.token };
    const ended = await client.complete(() => client.expect(200, client.post(path, used)));
    // The running period has nothing but its own invoice.
    expect([shown.invoice, shown.usageInvoice, shown.nextInvoice]).toEqual([null, null, null]);
    const isNow = wanted.atPeriodEnd !== true;
    const endsAt = isNow ? ended.endedAt : ended.currentPeriodEnd;
    expect([ended.status, endsAt]).toEqual([isNow ? 'CANCELED' : 'ACTIVE', shown.effectiveAt]);
    await eventually(async () => {
      const { data } = await client.expect(
        200,
        client.get(`/credit-notes?customerId=${String(customerId)}`),
      );
      const notes = data.map(({ invoiceId, total }: any) => [invoiceId, total]);
      const amounts = shown.creditNotes.map(({ invoiceId, amount }: any) => [invoiceId, amount]);
      expect(notes).toEqual(amounts);
      expect(amounts.length > 0).toBe(wanted.proration === 'PRORATE');
    });
  }
});
