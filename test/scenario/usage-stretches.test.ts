import { cards, type Scenario, toDay } from './scenario';
import { beginEachOn } from './stage';

describe('usage over a change of the product that prices it', () => {
  let scenario: Scenario;

  beginEachOn('2026-01-01', (begun) => {
    scenario = begun;
  });

  const basic = { type: 'PER_UNIT', unitAmount: '2', includedUnits: '1000' };
  const pro = { type: 'PER_UNIT', unitAmount: '1', includedUnits: '10000' };
  const perUnit = (unitAmount: string, minimumAmount?: number) => ({
    ...{ type: 'PER_UNIT', unitAmount, minimumAmount },
  });
  const tiers = [
    { upTo: '1000', unitAmount: '3', flatAmount: '0' },
    { upTo: null, unitAmount: '1', flatAmount: '0' },
  ];

  async function aMeter(aggregation: string): Promise<string> {
    const { client } = scenario;
    const meter = await client.expect(201, client.post('/meters', { name: 'Calls', aggregation }));
    return meter.id as string;
  }

  /** A product with one meter price, or none. */
  async function aProduct(meterId: string, price: object | null, amount: number) {
    const { client } = scenario;
    const { id } = await scenario.product({ amount });
    const body = { prices: price === null ? [] : [{ meterId, ...price }] };
    const path = `/products/${String(id)}/meter-prices`;
    await client.expect(200, client.request('PATCH', path, { body }));
    return id as string;
  }

  async function use(customerId: string, meterId: string, at: string, quantity: number) {
    const { client } = scenario;
    const events = [{ customerId, meterId, quantity, timestamp: `${at}T12:00:00Z` }];
    const answer = await client.expect(201, client.post('/events/ingest', { events }));
    expect(answer).toMatchObject({ accepted: 1, rejected: [] });
  }

  /** Lines of usage on the newest invoice, or on a preview. */
  const usageOf = (invoice: any): string[] =>
    invoice.lineItems
      .filter(({ kind }: any) => kind === 'USAGE')
      .map(
        ({ periodStart, periodEnd, quantity, amount }: any) =>
          `${toDay(String(periodStart))}-${toDay(String(periodEnd))}: ${String(quantity)} = ${String(amount)}`,
      );

  /** A subscription that changes on 16 January. */
  async function changing({
    aggregation = 'SUM',
    from,
    to,
    toAmount = 1000,
    change = {},
    discountId,
  }: {
    discountId?: string;
    aggregation?: string;
    toAmount?: number;
    from: object | null;
    to: object | null;
    change?: object;
  }) {
    const { client } = scenario;
    const meterId = await aMeter(aggregation);
    const productId = await aProduct(meterId, from, 1000);
    const nextId = await aProduct(meterId, to, toAmount);
    const { id: customerId } = await scenario.customer();
    const authorizedTransactionId = `${cards.good}_${customerId as string}`;
    const body = { customerId, productId, authorizedTransactionId, discountId };
    const subscription = await client.expect(201, client.post('/subscriptions', body));
    const asked = { productId: nextId, at: 'NOW', proration: 'NONE', ...change };
    return { meterId, customerId: customerId as string, subscription, asked };
  }

  type Changing = Awaited<ReturnType<typeof changing>>;

  const table: readonly {
    name: string;
    given: Parameters<typeof changing>[0];
    used: readonly [before: number, after: number];
    lines: readonly string[];
  }[] = [
    {
      name: 'U1',
      given: { from: basic, to: pro },
      used: [900, 600],
      lines: ['2026-01-01-2026-01-16: 900 = 0', '2026-01-16-2026-02-01: 600 = 0'],
    },
    {
      name: 'U2',
      given: { from: basic, to: pro },
      used: [5000, 7000],
      lines: ['2026-01-01-2026-01-16: 5000 = 8000', '2026-01-16-2026-02-01: 7000 = 2000'],
    },
    {
      name: 'U3',
      given: { from: pro, to: basic },
      used: [5000, 1000],
      lines: ['2026-01-01-2026-01-16: 5000 = 0', '2026-01-16-2026-02-01: 1000 = 2000'],
    },
    {
      name: 'U4',
      given: { from: perUnit('4'), to: { type: 'TIERED', tiers } },
      used: [800, 700],
      lines: ['2026-01-01-2026-01-16: 800 = 3200', '2026-01-16-2026-02-01: 700 = 1100'],
    },
    {
      name: 'U5',
      given: { aggregation: 'MAX', from: perUnit('100'), to: perUnit('80') },
      used: [100, 120],
      lines: ['2026-01-01-2026-01-16: 100 = 10000', '2026-01-16-2026-02-01: 20 = 1600'],
    },
    {
      name: 'U6',
      given: { from: perUnit('2', 5000), to: perUnit('3', 4000) },
      used: [1000, 2000],
      lines: ['2026-01-01-2026-01-16: 1000 = 5000', '2026-01-16-2026-02-01: 2000 = 5000'],
    },
    {
      name: 'U7: the same rates',
      given: { aggregation: 'LATEST', from: perUnit('2'), to: perUnit('2') },
      used: [100, 40],
      lines: ['2026-01-01-2026-01-16: 100 = 80', '2026-01-16-2026-02-01: -60 = 0'],
    },
    {
      name: 'paid first and prorated',
      given: { from: basic, to: pro, toAmount: 3000, change: { proration: 'PRORATE' } },
      used: [5000, 7000],
      lines: ['2026-01-01-2026-01-16: 5000 = 8000', '2026-01-16-2026-02-01: 7000 = 2000'],
    },
    {
      name: 'a meter that is dropped',
      given: { from: basic, to: null },
      used: [5000, 7000],
      lines: ['2026-01-01-2026-01-16: 5000 = 8000'],
    },
    {
      name: 'a meter that joins',
      given: { from: null, to: basic },
      used: [5000, 7000],
      lines: ['2026-01-16-2026-02-01: 7000 = 12000'],
    },
    {
      name: 'a change at the end of the period',
      given: { from: basic, to: pro, change: { at: 'PERIOD_END', proration: undefined } },
      used: [5000, 7000],
      lines: ['2026-01-01-2026-02-01: 12000 = 22000'],
    },
  ];

  test('counts by the rates before the change up to it, and by those after it from then on', async () => {
    const { client } = scenario;
    const begun: { row: (typeof table)[number]; one: Changing }[] = [];
    for (const row of table) begun.push({ row, one: await changing(row.given) });

    await scenario.advanceTo('2026-01-16');
    for (const { row, one } of begun) {
      await use(one.customerId, one.meterId, '2026-01-10', row.used[0]);
      const status = 'at' in (row.given.change ?? {}) ? 'PENDING' : 'APPLIED';
      const change = await scenario.change(one.subscription, one.asked);
      expect([row.name, change.status]).toEqual([row.name, status]);
    }
    const [first] = begun;
    if (first === undefined) throw new Error('No rows');
    const state = await client.expect(200, client.get(`/customers/${first.one.customerId}/state`));
    expect(JSON.stringify(state)).toContain('"balance":"9100"');

    await scenario.advanceTo('2026-01-31');
    const previews = new Map<string, unknown>();
    for (const { row, one } of begun) {
      await use(one.customerId, one.meterId, '2026-01-20', row.used[1]);
      const body = { kind: 'NEXT_INVOICE', subscriptionId: one.subscription.id };
      const { nextInvoice } = await client.expect(200, client.post('/previews', body));
      previews.set(row.name, usageOf(nextInvoice));
    }
    await scenario.advanceTo('2026-02-01');
    for (const { row, one } of begun) {
      const invoices = await scenario.invoices(one.subscription);
      const lines = usageOf(invoices.at(-1));
      expect([row.name, lines]).toEqual([row.name, row.lines]);
      expect([row.name, previews.get(row.name)]).toEqual([row.name, lines]);
    }

    // Late events of both sides, 30 days after the change: on the next invoice.
    await scenario.advanceTo('2026-02-15');
    const [, { row: _row, one: late }] = begun as [unknown, (typeof begun)[number]];
    await use(late.customerId, late.meterId, '2026-01-11', 100);
    await use(late.customerId, late.meterId, '2026-01-21', 50);
    await scenario.advanceTo('2026-03-01');
    const next = (await scenario.invoices(late.subscription)).at(-1);
    expect(usageOf(next)).toEqual([
      '2026-01-01-2026-01-16: 100 = 200',
      '2026-01-16-2026-02-01: 50 = 150',
    ]);
    expect(next).toMatchObject({ status: 'PAID', total: 1350 });
    await scenario.expectWebhooks(late.subscription, [
      '2026-01-01 created',
      expect.stringMatching(/^2026-01-01 payment_succeeded /),
      expect.stringMatching(/^2026-01-16 updated productId /),
      '2026-02-01 renewed',
      expect.stringMatching(/^2026-02-01 payment_succeeded /),
      '2026-03-01 renewed',
      expect.stringMatching(/^2026-03-01 payment_succeeded /),
    ]);
  });

  test('of a period that a new cycle or a pause ends has an invoice of its own', async () => {
    const { client } = scenario;
    const half = { type: 'PERCENTAGE', value: 50, duration: 'FOREVER' };
    const { id: discountId } = await scenario.discount(half);
    const reset = { from: basic, to: pro, change: { proration: 'FULL_AND_RESET' } };
    const cycle = await changing(reset);
    const reduced = await changing({ ...reset, discountId });
    const pausing = await changing({ from: basic, to: pro });
    const waiting = await changing({ from: basic, to: pro });
    const pause = { kind: 'PAUSE' };
    await scenario.change(waiting.subscription, pause);
    await scenario.advanceTo('2026-01-16');
    const ended = [
      { one: cycle, asked: cycle.asked, total: 8000 },
      { one: reduced, asked: reduced.asked, total: 4000 },
      { one: pausing, asked: { kind: 'PAUSE', at: 'NOW' }, total: 8000 },
    ];
    for (const { one, asked, total } of ended) {
      await use(one.customerId, one.meterId, '2026-01-10', 5000);
      const body = { kind: 'CHANGE', subscriptionId: one.subscription.id, change: asked };
      const preview = await client.expect(200, client.post('/previews', body));
      expect(preview.usageInvoice).toMatchObject({ total, estimated: true });
      await scenario.change(one.subscription, { ...asked, previewToken: preview.token });
      const { phase, entitled } = await scenario.read(one.subscription);
      expect(entitled).toBe(phase === 'REGULAR');
    }
    await scenario.advanceTo('2026-01-17');
    for (const { one, total } of ended) {
      const invoices = await scenario.invoices(one.subscription);
      const usage = invoices.find((invoice) => usageOf(invoice).length > 0);
      expect(usageOf(usage)).toEqual(['2026-01-01-2026-01-16: 5000 = 8000']);
      expect(usage).toMatchObject({ billingReason: 'SUBSCRIPTION_CHANGE', status: 'PAID', total });
    }
    const state = await client.expect(200, client.get(`/customers/${cycle.customerId}/state`));
    expect(JSON.stringify(state)).toContain('"balance":"10000"');

    // What is used in a pause is never billed.
    await use(pausing.customerId, pausing.meterId, '2026-01-16', 9000);
    await use(cycle.customerId, cycle.meterId, '2026-01-16', 12000);
    await use(waiting.customerId, waiting.meterId, '2026-01-10', 5000);
    await scenario.advanceTo('2026-02-16');
    const renewed = (await scenario.invoices(cycle.subscription)).at(-1);
    expect(usageOf(renewed)).toEqual(['2026-01-16-2026-02-16: 12000 = 2000']);
    expect(usageOf((await scenario.invoices(waiting.subscription)).at(-1))).toEqual([
      '2026-01-01-2026-02-01: 5000 = 8000',
    ]);

    await scenario.change(pausing.subscription, { kind: 'RESUME' });
    await scenario.advanceTo('2026-02-17');
    await use(pausing.customerId, pausing.meterId, '2026-02-16', 3000);
    await use(pausing.customerId, pausing.meterId, '2026-01-15', 100);
    await scenario.advanceTo('2026-03-16');
    expect(usageOf((await scenario.invoices(pausing.subscription)).at(-1))).toEqual([
      '2026-02-16-2026-03-16: 3000 = 4000',
      '2026-01-01-2026-01-16: 100 = 200',
    ]);
  });
});
