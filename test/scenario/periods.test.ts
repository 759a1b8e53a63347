import { periodsBetween, Scenario, toDay } from './scenario';
import { isNightly } from '../support/rounds';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

describe('the periods of a subscription', () => {
  let system: TestSystem;
  let scenario: Scenario;

  beforeAll(async () => {
    system = await joinTestSystem();
  });

  afterEach(async () => {
    await scenario.end();
  });

  /**
   * Pays from the first boundary to the last but one, and checks every invoice and webhook on the
   * way.
   */
  async function expectBilled(
    subscription: any,
    boundaries: readonly string[],
    { line, total }: { line: string; total: number },
  ): Promise<void> {
    await scenario.advanceTo(boundaries.at(-2) ?? '');
    const periods = periodsBetween(boundaries);
    await scenario.expectInvoices(
      subscription,
      periods.map((period) => ({ period, lines: [line], total })),
    );
    await scenario.expectWebhooks(
      subscription,
      periods.flatMap(([start], index) => [
        `${start} ${index === 0 ? 'created' : 'renewed'}`,
        `${start} payment_succeeded INV-${String(index + 1).padStart(6, '0')} attempt 1`,
      ]),
    );
    expect(await scenario.read(subscription)).toMatchObject({
      status: 'ACTIVE',
      phase: 'REGULAR',
      currentPeriodStart: `${boundaries.at(-2) ?? ''}T00:00:00.000Z`,
      nextInvoiceAt: `${boundaries.at(-1) ?? ''}T00:00:00.000Z`,
    });
  }

  test('begin on the last day of each month for one from 31 January, over leap years', async () => {
    // Four years and two leap years in the nightly run.
    const months = isNightly ? 51 : 15;
    const lastDays = Array.from({ length: months }, (_, index) =>
      toDay(new Date(Date.UTC(2028, index + 1, 0)).toISOString()),
    );
    const februaries = ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'];
    expect(lastDays.filter((day) => day.includes('-02-'))).toEqual(
      februaries.slice(0, isNightly ? 5 : 2),
    );
    scenario = await Scenario.begin(system, '2028-01-31');
    const subscription = await scenario.subscription();
    await expectBilled(subscription, lastDays, { line: 'Pro: 1 × 2999 = 2999', total: 2999 });
  }, 900_000);

  test('begin on 28 February for a yearly one from 29 February, except in a leap year', async () => {
    scenario = await Scenario.begin(system, '2028-02-29');
    const product = { name: 'Yearly', billingInterval: 'YEARLY', amount: 29_900 };
    const subscription = await scenario.subscription({ product });
    const days = ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'];
    const line = 'Yearly: 1 × 29900 = 29900';
    await expectBilled(subscription, [...days, '2033-02-28'], { line, total: 29_900 });
  });

  test('last two quarters where the product says so', async () => {
    scenario = await Scenario.begin(system, '2027-08-31');
    const product = { name: 'Half', billingInterval: 'QUARTERLY', intervalCount: 2 };
    const subscription = await scenario.subscription({ product });
    const days = ['2027-08-31', '2028-02-29', '2028-08-31', '2029-02-28', '2029-08-31'];
    await expectBilled(subscription, days, { line: 'Half: 1 × 2999 = 2999', total: 2999 });
  });

  test('are billed by the unit', async () => {
    scenario = await Scenario.begin(system, '2026-04-30');
    const product = { name: 'Seats', type: 'PER_UNIT', amount: 1250 };
    const subscription = await scenario.subscription({ product, quantity: 7 });
    const line = 'Seats: 7 × 1250 = 8750';
    const days = ['2026-04-30', '2026-05-30', '2026-06-30'];
    await expectBilled(subscription, days, { line, total: 8750 });
  });

  test('are billed by graduated tiers', async () => {
    scenario = await Scenario.begin(system, '2026-04-30');
    const tiers = [
      { upTo: '10', unitAmount: '1000', flatAmount: '500' },
      { upTo: '100', unitAmount: '99.5' },
      { upTo: null, unitAmount: '0.25' },
    ];
    const product = { name: 'Tiered', type: 'TIERED', amount: 0, tiers };
    const subscription = await scenario.subscription({ product, quantity: 103 });
    // 10 × 1000 + 500, 90 × 99.5, 3 × 0.25: 19455.75, rounded once.
    const days = ['2026-04-30', '2026-05-30', '2026-06-30'];
    await expectBilled(subscription, days, { line: 'Tiered: 103 = 19456', total: 19_456 });
    const [invoice] = await scenario.invoices(subscription);
    expect(invoice.lineItems[0].details).toMatchObject({
      exactAmount: '19455.75',
      tiers: [
        { quantity: '10', amount: '10500' },
        { quantity: '90', amount: '8955' },
        { quantity: '3', amount: '0.75' },
      ],
    });
  });

  test('are billed by the tier of the whole volume', async () => {
    scenario = await Scenario.begin(system, '2026-04-30');
    const tiers = [
      { upTo: '10', unitAmount: '1000' },
      { upTo: null, unitAmount: '99.5', flatAmount: '7' },
    ];
    const product = { name: 'Volume', type: 'VOLUME', amount: 0, tiers };
    const subscription = await scenario.subscription({ product, quantity: 11 });
    // 11 × 99.5 + 7 = 1101.5, half up.
    const days = ['2026-04-30', '2026-05-30', '2026-06-30'];
    await expectBilled(subscription, days, { line: 'Volume: 11 = 1102', total: 1102 });
  });

  test('begin at a past start, where only the current one is billed', async () => {
    scenario = await Scenario.begin(system, '2026-04-10');
    const subscription = await scenario.subscription({ startAt: '2026-01-31T00:00:00Z' });
    await scenario.advanceTo('2026-05-31');
    await scenario.expectInvoices(subscription, [
      {
        period: ['2026-03-31', '2026-04-30'],
        lines: ['Pro: 1 × 2999 = 2999'],
        total: 2999,
        paidAt: '2026-04-10',
        payments: ['2026-04-10 SUCCEEDED'],
      },
      { period: ['2026-04-30', '2026-05-31'], lines: ['Pro: 1 × 2999 = 2999'], total: 2999 },
      { period: ['2026-05-31', '2026-06-30'], lines: ['Pro: 1 × 2999 = 2999'], total: 2999 },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-04-10 created',
      '2026-04-10 payment_succeeded INV-000001 attempt 1',
      '2026-04-30 renewed',
      '2026-04-30 payment_succeeded INV-000002 attempt 1',
      '2026-05-31 renewed',
      '2026-05-31 payment_succeeded INV-000003 attempt 1',
    ]);
  });

  test('begin at a future start, and nothing is billed or entitled before', async () => {
    scenario = await Scenario.begin(system, '2026-04-10');
    const subscription = await scenario.subscription({ startAt: '2026-05-31T00:00:00Z' });
    expect(subscription).toMatchObject({
      status: 'ACTIVE',
      phase: 'SCHEDULED',
      entitled: false,
      currentPeriodStart: '2026-05-31T00:00:00.000Z',
      nextInvoiceAt: '2026-05-31T00:00:00.000Z',
      latestInvoiceId: null,
    });
    await scenario.advanceTo('2026-05-30');
    await scenario.expectInvoices(subscription, []);
    await scenario.advanceTo('2026-06-30');
    await scenario.expectInvoices(subscription, [
      {
        period: ['2026-05-31', '2026-06-30'],
        lines: ['Pro: 1 × 2999 = 2999'],
        total: 2999,
        reason: 'SUBSCRIPTION_CYCLE',
      },
      { period: ['2026-06-30', '2026-07-31'], lines: ['Pro: 1 × 2999 = 2999'], total: 2999 },
    ]);
    await scenario.expectWebhooks(subscription, [
      '2026-04-10 created',
      '2026-05-31 renewed',
      '2026-05-31 payment_succeeded INV-000001 attempt 1',
      '2026-06-30 renewed',
      '2026-06-30 payment_succeeded INV-000002 attempt 1',
    ]);
  });
});
