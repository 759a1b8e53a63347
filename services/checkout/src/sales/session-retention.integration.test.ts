import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { testContext } from '@billing/chassis/testing';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import { type RunningShop, startShop } from '../testing/session-rpc';
import { processOn } from '../testing/scene-store';
import { SessionRetentionStore } from './session-retention-store';

const good = '4242424242424242';
const end = new Date('2026-03-02T12:00:00.000Z');
const longAgo = new Date('2026-01-01T00:00:00.000Z');

let shop: RunningShop;
let mongo: MongoConnection;
let context: CallContext;

beforeAll(async () => {
  shop = await startShop();
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = shop.configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

beforeEach(() => {
  shop.peers.before = () => undefined;
  context = testContext({ now: new Date('2026-03-01T12:00:00.000Z') });
});

afterAll(async () => {
  await mongo.close();
  await shop.stop();
});

const invoices = () => mongo.db.collection<{ _id: string }>('invoices');
const idsLeft = async () => new Set((await shop.storedSessions(context)).map(({ _id }) => _id));
const deleteExpired = () => new SessionRetentionStore(mongo.db).deleteExpired(systemClock.now());

/** Makes the environment's sessions old, as if all of their steps had been reached long ago. */
async function age(fields: Record<string, Date>): Promise<void> {
  const { environmentId } = context.tenant;
  const sessions = mongo.db.collection('checkoutSessions');
  await sessions.updateMany({ environmentId }, { $set: fields });
}

describe('retention of sessions', () => {
  test('deletes expired ones and keeps their void invoices', async () => {
    const discountId = shop.peers.aDiscount().id;
    const { session: expired } = await shop.create(context, { discountId });
    await shop.runDue(end, context);
    const { session: open } = await shop.create({ ...context, now: end });
    const { session: paid } = await shop.create({ ...context, now: end });
    await shop.pay(paid, good, { ...context, now: end });
    await shop.quiet(context);
    await age({ abandonAt: longAgo, milestonesAt: longAgo });
    expect(await deleteExpired()).toBe(false);

    expect(await idsLeft()).toEqual(new Set([open.id, paid.id]));
    await expect(shop.read(expired.id, context)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await invoices().findOne({ _id: expired.invoiceId ?? '' })).toMatchObject({
      number: 'INV-000001',
      status: 'VOID',
    });
    expect(shop.peers.redemptions.get(expired.id)).toBe('RELEASED');
  });

  test('deletes one that could not be created, with the tombstone of its invoice', async () => {
    const { id: discountId } = shop.peers.aDiscount({ active: false });
    await expect(shop.create(context, { discountId })).rejects.toThrow();
    await shop.quiet(context);
    const { environmentId } = context.tenant;
    expect(await invoices().countDocuments({ environmentId })).toBe(1);
    await deleteExpired();
    expect((await idsLeft()).size).toBe(1);
    await age({ abandonAt: longAgo });
    await deleteExpired();
    expect((await idsLeft()).size).toBe(0);
    expect(await invoices().countDocuments({ environmentId })).toBe(0);
  });

  test('keeps one that expired recently, and one whose redemption is not released', async () => {
    const discountId = shop.peers.aDiscount().id;
    shop.peers.before = (call) => {
      if (call === 'releaseRedemption') throw new Error('Not now');
    };
    const { session: held } = await shop.create(context, { discountId });
    await shop.runDue(end, context);
    await age({ abandonAt: longAgo, milestonesAt: longAgo });
    await deleteExpired();
    expect(await idsLeft()).toEqual(new Set([held.id]));

    shop.peers.before = () => undefined;
    await shop.quiet(context);
    await age({ milestonesAt: new Date(systemClock.now().getTime() + 60_000) });
    await deleteExpired();
    expect(await idsLeft()).toEqual(new Set([held.id]));
    await age({ milestonesAt: longAgo });
    await deleteExpired();
    expect((await idsLeft()).size).toBe(0);
  });

  test('leaves nothing that later events of the invoice or questions of its discount miss', async () => {
    const sessionId = newId();
    const { worker } = processOn(mongo.db);
    await worker.invoiceChanged({ sessionId, invoiceId: newId() }, context);
    const payment = { callId: newId(), methodId: newId(), number: 1 } as never;
    expect(
      await worker.holdForLatePayment({ sessionId, invoiceId: newId(), payment }, context),
    ).toBe(false);
    const question = { sessionId, discountId: newId() };
    expect(await shop.sessions.checkSessionRedemption(question, context)).toEqual({
      ...{ state: RedemptionState.REDEMPTION_STATE_RELEASED, isLost: true },
    });
  });
});
