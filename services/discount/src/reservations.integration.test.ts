import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import {
  type DiscountServiceServer,
  DiscountServiceService,
} from '@billing/proto/billing/discount/v1/discount';
import { start } from './service';
import { closeSlots } from './slot-claims';
import { openSlots, SlotStore } from './slot-store';
import { create, present, read, reserve, setMaximum } from './testing/fixtures';

const nowhere = 'unix:/nowhere';
const configuration = testServiceConfiguration('discount', {
  CATALOG_ADDRESS: nowhere,
  CHECKOUT_ADDRESS: nowhere,
  SUBSCRIPTION_ADDRESS: nowhere,
  // High enough that the callers compete for redemptions, not for server capacity.
  GRPC_IN_FLIGHT_MAX: 1_000,
});
const services: RunningService[] = [];
let replicas: Peer<DiscountServiceServer>[] = [];
let discounts: Peer<DiscountServiceServer>;

beforeAll(async () => {
  // Replicas of one service, which share nothing but the database.
  for (let count = 1; count <= 3; count += 1) services.push(await start(configuration));
  replicas = services.map(({ address }) =>
    connectPeer<DiscountServiceServer>(DiscountServiceService, {
      address,
      service: 'test',
    }),
  );
  const [first] = replicas;
  if (first === undefined) throw new Error('No replica');
  discounts = first;
});

afterAll(async () => {
  for (const replica of replicas) replica.close();
  for (const service of services) await service.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

/** The replicas in turn. */
function replica(call: number): Peer<DiscountServiceServer> {
  return replicas[call % replicas.length] ?? discounts;
}

const exhausted = {
  kind: 'not_found',
  reason: 'DISCOUNT_EXHAUSTED',
  message: 'Discount not found',
};

test('of 1,000 concurrent reservations at three replicas for 10 redemptions, exactly 10 succeed', async () => {
  const context = testContext({ deadlineMs: 100_000 });
  const { id: discountId } = await create(discounts, context, { maxRedemptions: 10 });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 1_000 }, (_, call) => reserve(replica(call), context, { discountId })),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(990);
  for (const { reason } of refused) expect(reason).toMatchObject(exhausted);
  expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 10 });
});

test('a code whose redemptions are used up is valid for their holders alone', async () => {
  const context = testContext();
  const question = { code: 'LAST', productId: undefined };
  const { id: discountId } = await create(discounts, context, { code: 'LAST', maxRedemptions: 1 });
  const holderId = newId();
  await reserve(discounts, context, { discountId, holderId });
  expect(await discounts.validateCode({ ...question, holderId }, context)).toMatchObject({
    discount: { id: discountId, redemptionCount: 1 },
  });
  for (const other of [undefined, newId()]) {
    const asked = { ...question, holderId: other };
    await expect(discounts.validateCode(asked, context)).rejects.toMatchObject(exhausted);
  }
});

test('all concurrent reservations of a discount without a maximum succeed', async () => {
  const context = testContext({ deadlineMs: 100_000 });
  const { id: discountId } = await create(discounts, context);
  await Promise.all(
    Array.from({ length: 150 }, (_, call) => reserve(replica(call), context, { discountId })),
  );
  expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 150 });
});

test('a holder that reserves repeatedly at all replicas has one redemption', async () => {
  const context = testContext({ deadlineMs: 100_000 });
  const { id: discountId } = await create(discounts, context, { maxRedemptions: 3 });
  const holderId = newId();
  await Promise.all(
    Array.from({ length: 60 }, (_, call) =>
      reserve(replica(call), context, { discountId, holderId }),
    ),
  );
  expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 1 });
});

test('a released redemption is available to others', async () => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context, { maxRedemptions: 2 });
  const [first, second] = await Promise.all([
    reserve(discounts, context, { discountId }),
    reserve(discounts, context, { discountId }),
  ]);
  await discounts.releaseRedemption({ discountId, holderId: first }, context);
  await discounts.releaseRedemption({ discountId, holderId: first }, context);
  expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 1 });
  await reserve(discounts, context, { discountId });
  await expect(reserve(discounts, context, { discountId })).rejects.toMatchObject(exhausted);
  await discounts.confirmRedemption({ discountId, holderId: second }, context);
  await discounts.confirmRedemption({ discountId, holderId: second }, context);
  await discounts.releaseRedemption({ discountId, holderId: second }, context);
  expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 2 });
});

test('a confirmed redemption is freed if its holder ended before it used the discount', async () => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context, { maxRedemptions: 1 });
  const holderId = await reserve(discounts, context, { discountId });
  await discounts.confirmRedemption({ discountId, holderId }, context);

  const release = { discountId, holderId, evenConfirmed: true };
  await discounts.releaseRedemption(release, context);
  await discounts.releaseRedemption(release, context);

  expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 0 });
  await reserve(discounts, context, { discountId });
});

test('a holder without a reservation has nothing to confirm', async () => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context);
  const confirm = discounts.confirmRedemption({ discountId, holderId: newId() }, context);
  await expect(confirm).rejects.toMatchObject({ reason: 'REDEMPTION_NOT_FOUND' });
});

test('a maximum can be lowered to the redemptions in use, not below, and raised again', async () => {
  const context = testContext();
  const { id } = await create(discounts, context);
  const holders = [];
  for (let count = 1; count <= 3; count += 1) {
    holders.push(await reserve(discounts, context, { discountId: id }));
  }
  await expect(setMaximum(discounts, context, { id, maxRedemptions: 2 })).rejects.toMatchObject({
    kind: 'failed_precondition',
    reason: 'REDEMPTIONS_HELD',
  });
  expect(await setMaximum(discounts, context, { id, maxRedemptions: 3 })).toMatchObject({
    maxRedemptions: 3,
    redemptionCount: 3,
    version: 2n,
  });
  await expect(reserve(discounts, context, { discountId: id })).rejects.toMatchObject(exhausted);
  await discounts.releaseRedemption({ discountId: id, holderId: holders[2] ?? '' }, context);
  await setMaximum(discounts, context, { id, maxRedemptions: 2 });
  await expect(reserve(discounts, context, { discountId: id })).rejects.toMatchObject(exhausted);
  await setMaximum(discounts, context, { id, maxRedemptions: 4 });
  await reserve(discounts, context, { discountId: id });
  await reserve(discounts, context, { discountId: id });
  await expect(reserve(discounts, context, { discountId: id })).rejects.toMatchObject(exhausted);
  expect(await setMaximum(discounts, context, { id, maxRedemptions: undefined })).toMatchObject({
    redemptionCount: 4,
  });
  await reserve(discounts, context, { discountId: id });
});

test.each([1, 2, 3])(
  'a maximum lowered during concurrent reservations is never exceeded (round %d)',
  async (round) => {
    const context = testContext({ deadlineMs: 100_000 });
    const { id } = await create(discounts, context, { maxRedemptions: 40 });
    const reserving = Promise.allSettled(
      Array.from({ length: 60 }, (_, call) => reserve(replica(call), context, { discountId: id })),
    );
    const lowering = await Promise.allSettled(
      [5 * round, 10 * round].map((maxRedemptions, call) =>
        setMaximum(replica(call), context, { id, maxRedemptions }),
      ),
    );
    await reserving;
    const after = await read(discounts, context, id);
    expect(after.redemptionCount).toBeLessThanOrEqual(present(after.maxRedemptions));
    await Promise.allSettled(
      Array.from({ length: 60 }, (_, call) => reserve(replica(call), context, { discountId: id })),
    );
    const filled = await read(discounts, context, id);
    expect(filled.redemptionCount).toBe(filled.maxRedemptions);
    const refused = lowering.filter((outcome) => outcome.status === 'rejected');
    for (const { reason } of refused) {
      expect(['REDEMPTIONS_HELD', 'TOO_MANY_WRITERS']).toContain(
        (reason as { reason: string }).reason,
      );
    }
  },
);

test('slots that a crash left closed during a change are opened by the next reservation', async () => {
  const context = testContext();
  const { id, version } = await create(discounts, context, { maxRedemptions: 5 });
  await reserve(discounts, context, { discountId: id });
  const mongo = await connectMongo({
    uri: configuration.MONGODB_URI,
    database: configuration.MONGODB_DATABASE,
    service: 'test',
  });
  const slots = new SlotStore(openSlots(mongo.db), context.tenant, systemClock);
  // Simulates a crash before the maximum is written.
  await closeSlots(slots, id, { maximum: 2, version: Number(version) + 1 });
  await mongo.close();

  for (let count = 2; count <= 5; count += 1) {
    await reserve(replica(count), context, { discountId: id });
  }
  await expect(reserve(discounts, context, { discountId: id })).rejects.toMatchObject(exhausted);
  expect(await read(discounts, context, id)).toMatchObject({
    maxRedemptions: 5,
    redemptionCount: 5,
    version: version + 1n,
  });
});

test('a maximum can be lowered below more slots than one read returns, unless one of the last is taken', async () => {
  const { tenant, now } = testContext();
  const mongo = await connectMongo({
    uri: configuration.MONGODB_URI,
    database: configuration.MONGODB_DATABASE,
    service: 'test',
  });
  const slots = new SlotStore(openSlots(mongo.db), tenant, systemClock);
  const askAt = new Date(now.getTime() + 3_600_000);
  const holder = {
    id: 'late',
    kind: 'SUBSCRIPTION',
    change: null,
    code: null,
    heldAt: now,
    askAt,
  } as const;
  const added = Array.from({ length: 2_100 }, (_, index) => ({ number: index + 1, stamp: 1 }));
  await slots.add('many', added);
  await slots.take('many', { number: 2_050, holder, version: 1 });

  const lowering = { maximum: 1, version: 2 };
  expect(await closeSlots(slots, 'many', lowering)).toBe(false);
  expect((await slots.above('many', 1))[0]).toMatchObject({ number: 2, stamp: 1 });
  await slots.release('many', holder.id, { evenConfirmed: false });
  expect(await closeSlots(slots, 'many', lowering)).toBe(true);
  expect((await slots.above('many', 2_099))[0]).toMatchObject({ number: 2_100, stamp: 2 });
  await mongo.close();
});
