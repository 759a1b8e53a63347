import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { Calendar } from './calendar';
import { DemoClient } from './demo-client';
import { fillSandbox } from './filling';
import { storedPlan, openSandbox, type PlanKey, planOf, toMetadata } from './sandbox';
import { summaryText } from './summary';
import { expectInvariants } from '../invariants/expectation';
import { newAddress, OperatorClient } from '../support/operator-client';
import { recount } from '../recount/recount';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startMs = 600_000;
const fillMs = 900_000;

const calendar = Calendar.of({ until: new Date('2026-11-21T20:00:00Z'), months: 2 });
const { startsAt, lastDay } = calendar;
const planKey: PlanKey = { seed: 'e2e55', customers: 12, startsAt, lastDay, name: 'Demo' };
const plan = planOf(planKey);

let system: TestSystem;
let sandbox: { id: string; key: string };

beforeAll(async () => {
  system = await joinTestSystem();
  const live = new DemoClient(system.gatewayUrl, system.live.key ?? '');
  sandbox = await openSandbox(live, planKey);
}, startMs);

/** Executes the plan; with `requests`, stops after that many responses. */
async function run({ requests = Infinity }: { requests?: number } = {}): Promise<void> {
  const client = new DemoClient(system.gatewayUrl, sandbox.key);
  const onProgress = () => {
    if (client.requests > requests) throw new Error('Interrupted');
  };
  const metadata = toMetadata(planKey);
  await fillSandbox({ client, plan, metadata, onProgress });
}

/** Returns the contents of all lists, without fields whose order may differ between reads. */
async function contents(): Promise<Record<string, any[]>> {
  const api = system.client(sandbox.key);
  const names = ['customers', 'products', 'discounts', 'subscriptions', 'invoices', 'events'];
  const lists = await Promise.all(names.map((name) => api.all(`/${name}`)));
  return Object.fromEntries(names.map((name, index) => [name, lists[index] ?? []]));
}

test(
  'an interrupted filling of demo data is resumed, and creates everything once',
  async () => {
    await expect(run({ requests: 40 })).rejects.toThrow('Interrupted');
    await expect(run({ requests: 60 })).rejects.toThrow('Interrupted');
    await run();
    const once = await contents();
    const { totals } = plan;
    expect(
      Object.fromEntries(Object.entries(once).map(([name, list]) => [name, list.length])),
    ).toMatchObject({
      customers: totals.customers,
      subscriptions: totals.subscriptions,
      events: totals.events,
    });
    await run();
    expect(await contents()).toEqual(once);
  },
  fillMs,
);

test('a second call for the sandbox resumes the plan that it was begun with', async () => {
  const client = new DemoClient(system.gatewayUrl, sandbox.key);
  expect(await storedPlan(client)).toEqual(planKey);
  const text = await summaryText(client, { sandboxName: planKey.name, sandboxKey: sandbox.key });
  expect(text).toContain(`Customers       ${String(plan.totals.customers)}`);
});

test('demo data violates no invariant', async () => {
  await expectInvariants(system, system.client(sandbox.key));
});

test('the reports and balances equal a recount from the lists', async () => {
  const api = system.client(sandbox.key);
  const operator = (await OperatorClient.owner(system, newAddress())).in(sandbox.id);
  await addSeats(api, await subscribeSinceLongAgo(api));
  const reports = await recount({ client: api, operator });
  for (const { path, shown, counted } of reports) {
    expect({ path, ...shown }).toEqual({ path, ...counted });
  }
  const shownAt = (path: string) => reports.find((one) => one.path.startsWith(path))?.shown;
  expect(shownAt('/reports/overview').mrr[0].amount).toBeGreaterThan(0);
  const { months } = shownAt('/reports/revenue?months=3').data.find(
    ({ currency }: any) => currency === 'EUR',
  );
  expect(months.at(-1).expansion).toBeGreaterThan(0);
  expect(shownAt('/reports/dunning').failed).toBeGreaterThan(0);
  expect(shownAt('/reports/checkout')).toMatchObject({
    completed: expect.any(Number),
    expired: expect.any(Number),
  });
});

/** Billed from now on, but recurring since it began. */
async function subscribeSinceLongAgo(api: ApiClient): Promise<string> {
  const { data } = await api.expect(200, api.get('/products?lookupKey=team-eu'));
  const { id } = await api.expect(201, api.post('/customers', { email: 'old@example.com' }));
  const startAt = new Date(calendar.at(lastDay).getTime() - 100 * 86_400_000);
  const order = { customerId: id, productId: data[0].id, quantity: 3, startAt };
  const authorizedTransactionId = 'txn_old';
  const created = api.post('/subscriptions', { ...order, authorizedTransactionId });
  return (await api.expect(201, created)).id;
}

async function addSeats(api: ApiClient, subscriptionId: string): Promise<void> {
  const path = `/subscriptions/${subscriptionId}/changes`;
  const { id } = await api.expect(201, api.post(path, { quantity: 5, at: 'NOW' }));
  // A busy machine answers before the charge.
  await eventually(async () => {
    const { status } = await api.expect(200, api.get(`${path}/${String(id)}`));
    expect(status).toBe('APPLIED');
  });
  await api.untilIdle();
}
