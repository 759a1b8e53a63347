import { eventually } from '@billing/chassis/testing';
import { isShort } from '../support/rounds';
import { withoutPeriodOf } from './compare';
import { older } from './copies';
import type { AllBooks, DrillSystem } from './drill-system';
import { pausedBackup } from './paused-backup';
import { type Step, steps } from './recovery';
import { created } from './scene';

/** A drill on a system that others have used before it. */
interface Drill {
  readonly name: string;
  readonly run: (system: DrillSystem) => Promise<void>;
}

// Those that `npm run test:all` leaves to the nightly run.
const nightlyDrills: readonly Drill[] = [
  { name: 'D6: discount, metering and notifier are older', run: sideServicesBehind },
  { name: 'D7: customer, catalog and identity are older', run: ownersBehind },
];

/** Drills of databases that are older than the others, in the order of the sandbox's time. */
export const drills: readonly Drill[] = [
  {
    name: 'D8: a database that is older by ten minutes is refused, and nothing changes',
    run: refuseOlderDatabase,
  },
  { name: 'D3: a backup under load pauses writes', run: pausedBackup },
  { name: 'D4: checkout is older', run: checkoutBehind },
  { name: 'D5: subscription is older', run: subscriptionBehind },
  ...(isShort ? [] : nightlyDrills),
];

const tenMinutesMs = 600_000;

async function refuseOlderDatabase(system: DrillSystem): Promise<void> {
  const { machine, copies } = system;
  const saved = await system.saveBeforeRenewals(['checkout'], { count: 5 });
  await system.untilRenewed(saved.renewing);
  await machine.stop();
  const current = await copies.save(['checkout']);
  await copies.putBack(
    new Map([...saved.copies].map(([service, copy]) => [service, older(copy, tenMinutesMs)])),
  );
  const before = await copies.save(machine.services);
  const instant = new Date(saved.at.getTime() - tenMinutesMs).toISOString();
  const refused = await machine.run(['restore', '--restored', instant]);
  const text = `_(?!checkout)\\w+ was not restored to ${instant}: restore all databases to one instant`;
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringMatching(new RegExp(text)) });
  expect(await copies.save(machine.services)).toEqual(before);
  await copies.putBack(current);
  await machine.start();
}

async function checkoutBehind(system: DrillSystem): Promise<void> {
  const { scene, machine } = system;
  const { live, sandbox } = scene;
  const session = await scene.openSession();
  const refunded = await scene.buy();
  const [paid] = await live.all(`/invoices?subscriptionId=${String(refunded.id)}`);
  const saved = await system.saveBeforeRenewals(['checkout'], { count: 1 });
  await scene.pay(session);
  for (let bought = 0; bought < 2; bought += 1) await scene.buy();
  await sandbox.advanceTo('2026-02-01T00:00:00Z');
  const credit = { invoiceId: paid.id, amount: 100, reason: 'OTHER', settle: 'REFUND' };
  const note = await created(live, '/credit-notes', credit);
  await eventually(() => {
    expect(machine.stripe.account.refunds).toMatchObject([{ amount: 100 }]);
  });
  await system.untilRenewed(saved.renewing);

  // The provider knows the refund, but not the note.
  const expected = ({ live: books, ...others }: AllBooks) => {
    const creditNotes = new Map(books.creditNotes);
    creditNotes.delete(note.id);
    return { ...others, live: { ...books, creditNotes } };
  };
  // The period of a session's invoice begins when checkout records the payment, and after a restore
  // at the charge.
  const { invoice: ofSession } = await live.expect(200, live.get(`/checkout/${session.sessionId}`));
  const compared = ({ live: books, ...others }: AllBooks) => {
    return { ...others, live: withoutPeriodOf(ofSession.id, books) };
  };
  const kills: readonly Step[] = isShort ? [] : steps;
  await system.restore(saved, { kills, expected, compared });
  const shown = await live.expect(200, live.get(`/checkout/${session.sessionId}`));
  expect(shown).toMatchObject({ status: 'COMPLETE', invoice: { status: 'PAID' } });
}

async function subscriptionBehind(system: DrillSystem): Promise<void> {
  const { scene } = system;
  const { live, sandbox } = scene;
  await sandbox.advanceTo('2026-02-27T00:00:00Z');
  const session = await scene.openSession();
  const late = await scene.subscribe({}, '4000000000000002');
  expect(late.status).toBe('PAST_DUE');
  const canceled = await scene.buy();
  const saved = await system.saveBeforeRenewals(['subscription'], { count: 3 });
  await scene.pay(session);
  await live.expect(200, live.post(`/subscriptions/${String(canceled.id)}/cancel`));
  await sandbox.advanceTo('2026-03-02T00:00:00Z');
  await system.untilRenewed(saved.renewing);

  // The cancellation was written after the save.
  const expected = ({ live: books, ...others }: AllBooks) => {
    const subscriptions = new Map(books.subscriptions);
    subscriptions.set(canceled.id, saved.books.live.subscriptions.get(canceled.id));
    return { ...others, live: { ...books, subscriptions } };
  };
  const kills: readonly Step[] = isShort ? ['reassert', 'catchUp'] : steps;
  await system.restore(saved, { kills, expected });
}

/** Redemptions, usage and webhooks that their services have lost. */
async function sideServicesBehind(system: DrillSystem): Promise<void> {
  const { scene } = system;
  const { sandbox, ids } = scene;
  await sandbox.advanceTo('2026-03-20T00:00:00Z');
  await scene.use('2026-03-15', 40);
  const saved = await system.save(['discount', 'metering', 'notifier']);
  await scene.use('2026-03-16', 7);
  await scene.subscribe({ discountId: ids.discount });
  for (let count = 1; count <= 50; count += 1) {
    await created(sandbox, '/customers', { email: `${String(count)}@example.com` });
  }
  await sandbox.advanceTo('2026-04-01T00:00:00Z');
  const endpoint = `/webhook-endpoints/${ids.endpoint}`;
  await eventually(async () => {
    const delivered = await sandbox.all(`${endpoint}/deliveries?status=SUCCEEDED`);
    expect(delivered.length).toBeGreaterThan(50);
  });

  await system.restore(saved);
  const discount = await sandbox.expect(200, sandbox.get(`/discounts/${ids.discount}`));
  expect(discount).toMatchObject({ redemptionCount: 2, maxRedemptions: 2 });
  const { id: customerId } = await created(sandbox, '/customers', { email: 'third@example.com' });
  const third = { customerId, productId: ids.monthly, discountId: ids.discount };
  expect(await sandbox.refusedFields('/subscriptions', third)).toEqual(['discountId']);
  expect((await sandbox.get(`${endpoint}/gaps`)).body).toEqual([]);

  // The event that was lost was billed: sent again, it bills nothing.
  await scene.use('2026-03-16', 7);
  await sandbox.advanceTo('2026-05-01T00:00:00Z');
  const invoices = await sandbox.all(`/invoices?customerId=${ids.user}`);
  const lines = invoices.flatMap(({ lineItems }) => lineItems);
  expect(lines.filter(({ amount }) => amount < 0)).toEqual([]);
  const billed = lines.filter(({ description }) => String(description).includes('Calls'));
  const inSpring = billed.filter(({ periodStart }) => periodStart >= '2026-02-01');
  expect(inSpring).toMatchObject([{ quantity: '47', amount: 94 }]);
}

/** A customer and a price that others name, a key, and the time of a sandbox, all lost. */
async function ownersBehind(system: DrillSystem): Promise<void> {
  const { scene, machine } = system;
  const { live, sandbox, ids } = scene;
  const saved = await system.save(['customer', 'catalog', 'identity']);
  const key = await created(live, '/api-keys', { name: 'Lost' });
  const product = `/products/${ids.monthly}`;
  await sandbox.expect(200, sandbox.request('PATCH', product, { body: { amount: 3900 } }));
  const bought = await scene.subscribe();
  await sandbox.advanceTo('2026-08-01T00:00:00Z');
  const timeOf = async () => (await sandbox.get('/sandboxes/clock')).body.now;
  const before = await timeOf();

  const customer = `customer ${String(bought.customerId)}`;
  await system.restore(saved, { lost: [customer, `price ${String(bought.price.id)}`] });
  expect(await timeOf()).toBe(before);
  expect((await machine.client(String(key.key)).get('/products')).status).toBe(401);
  // The subscription goes on at the price that it was sold at.
  await sandbox.advanceTo('2026-09-02T00:00:00Z');
  const [newest] = await sandbox.all(`/invoices?subscriptionId=${String(bought.id)}`);
  expect(newest).toMatchObject({
    status: 'PAID',
    total: 3900,
    periodStart: '2026-09-01T00:00:00.000Z',
  });
}
