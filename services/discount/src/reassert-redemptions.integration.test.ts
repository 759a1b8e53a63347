import { derivedId, newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { recoverInTest } from '@billing/chassis/testing/recover';
import {
  type DiscountServiceServer,
  DiscountServiceService,
  RedemptionHolder,
  RedemptionState,
} from '@billing/proto/billing/discount/v1/discount';
import { start } from './service';
import { create, read, reserve } from './testing/fixtures';
import { configurationFor, Owners } from './testing/owners';

const {
  REDEMPTION_STATE_HELD: held,
  REDEMPTION_STATE_CONFIRMED: confirmed,
  REDEMPTION_STATE_RELEASED: released,
} = RedemptionState;
const ownerConfiguration = testServiceConfiguration('owners');
const owners = new Owners();
const { questions, states } = owners;
let running: RunningService[];
let configuration: ReturnType<typeof configurationFor>;
let discounts: Peer<DiscountServiceServer>;
let mongo: MongoConnection;

beforeAll(async () => {
  const owning = await owners.start(ownerConfiguration);
  configuration = configurationFor(owning.address);
  // No holder is due for the usual check while the tests run.
  const discount = await start(configuration, { checkAfterMs: 3_600_000 });
  running = [discount, owning];
  const { address } = discount;
  discounts = connectPeer(DiscountServiceService, { address, service: 'test' });
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  discounts.close();
  await mongo.close();
  for (const service of running) await service.stop();
  await dropTestDatabase(configuration, ownerConfiguration);
  await dropTestStream(configuration);
});

// Each test asks about its own slots alone.
beforeEach(async () => {
  await slots().deleteMany({});
  questions.splice(0);
});

const slots = () => mongo.db.collection('redemptionSlots');
const reassert = async () => (await recoverInTest(configuration, ['reassert']))['reassert'];
const { REDEMPTION_HOLDER_SUBSCRIPTION: ofSubscription } = RedemptionHolder;

async function aSlot({ holder = ofSubscription, isConfirmed = false } = {}) {
  const context = testContext();
  const { id: discountId } = await create(discounts, context, { maxRedemptions: 1 });
  const holderId = await reserve(discounts, context, { discountId, holder });
  if (isConfirmed) await discounts.confirmRedemption({ discountId, holderId }, context);
  const count = async () => (await read(discounts, context, discountId)).redemptionCount;
  const state = async () => (await slots().findOne({ discountId }))?.['state'] as string;
  return { context, discountId, holderId, count, state };
}

test('a redemption whose holder is lost or has released it is free again', async () => {
  const { holderId, count } = await aSlot();
  states.set(`subscription ${holderId}`, released);
  expect(await reassert()).toMatchObject({ redemptions: 1, released: 1 });
  expect(await count()).toBe(0);
});

test('a redemption that its holder has used is confirmed, and one that it may use stays held', async () => {
  const used = await aSlot();
  const waiting = await aSlot({ holder: RedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION });
  states.set(`subscription ${used.holderId}`, confirmed);
  states.set(`session ${waiting.holderId}`, held);
  expect(await reassert()).toMatchObject({ redemptions: 2, confirmed: 1 });
  expect([await used.state(), await waiting.state()]).toEqual(['CONFIRMED', 'HELD']);
});

test('a confirmation that its holder has lost is undone', async () => {
  const lost = await aSlot({ isConfirmed: true });
  const open = await aSlot({
    holder: RedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION,
    isConfirmed: true,
  });
  states.set(`subscription ${lost.holderId}`, released);
  states.set(`session ${open.holderId}`, held);
  expect(await reassert()).toMatchObject({ redemptions: 2, released: 1, heldAgain: 1 });
  expect(await lost.count()).toBe(0);
  expect(await open.state()).toBe('HELD');
  for (const slot of await slots().find().toArray()) expect(slot).not.toHaveProperty('confirmedAt');
  // Its session may end it now.
  const { context, discountId, holderId } = open;
  await discounts.releaseRedemption({ discountId, holderId }, context);
  expect(await open.count()).toBe(0);
});

test('a redemption that is released has no time of confirmation any more', async () => {
  const { context, discountId, holderId, state } = await aSlot({ isConfirmed: true });
  await discounts.releaseRedemption({ discountId, holderId, evenConfirmed: true }, context);
  expect(await state()).toBe('FREE');
  expect(await slots().findOne({ discountId })).not.toHaveProperty('confirmedAt');
});

test('an older confirmation stays, and its holder is not asked', async () => {
  const { holderId, state } = await aSlot({ isConfirmed: true });
  states.set(`subscription ${holderId}`, released);
  const before = new Date(Date.now() - 2 * 60 * 60_000);
  await slots().updateOne({ holderId }, { $set: { confirmedAt: before } });
  expect(await reassert()).toMatchObject({ redemptions: 0 });
  expect(await state()).toBe('CONFIRMED');
  expect(questions).toEqual([]);
});

test('the subscription of a lost session keeps the redemption that it uses', async () => {
  const holder = RedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION;
  const [first, second] = [await aSlot({ holder }), await aSlot({ holder, isConfirmed: true })];
  for (const { context, holderId } of [first, second]) {
    const { environmentId } = context.tenant;
    states.set(`session ${holderId}`, released);
    owners.lostSessions.add(holderId);
    const subscriptionId = derivedId(environmentId, 'checkout-session', holderId);
    states.set(`subscription ${subscriptionId}`, confirmed);
  }
  expect(await reassert()).toMatchObject({ redemptions: 2, confirmed: 1 });
  expect([await first.state(), await second.state()]).toEqual(['CONFIRMED', 'CONFIRMED']);
});

test.each([
  ['is lost: its subscription keeps', true, 'CONFIRMED', 1],
  // The question would keep a session that may still be paid from creating its subscription.
  ['has refused it: no subscription is asked, and none keeps', false, 'FREE', 0],
])('the session of a code %s the redemption', async (_name, isLost, state, asked) => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context, { maxRedemptions: 1 });
  const [holderId, sessionId] = [newId(), newId()];
  const holder = RedemptionHolder.REDEMPTION_HOLDER_SESSION_CODE;
  const bought = { currency: 'USD', productId: '', otherProductIds: [] };
  const sessionCode = { sessionId, round: 1 };
  await discounts.reserveRedemption(
    { discountId, holderId, holder, ...bought, sessionCode },
    context,
  );
  await discounts.confirmRedemption({ discountId, holderId }, context);
  states.set(`session ${sessionId}, code 1`, released);
  if (isLost) owners.lostSessions.add(sessionId);
  const subscriptionId = derivedId(context.tenant.environmentId, 'checkout-session', sessionId);
  states.set(`subscription ${subscriptionId}`, confirmed);
  await reassert();
  expect((await slots().findOne({ discountId }))?.['state']).toBe(state);
  expect(questions.filter((one) => one.holderId.startsWith('subscription'))).toHaveLength(asked);
});

test('a repeat of the step changes nothing', async () => {
  const { holderId, state } = await aSlot();
  states.set(`subscription ${holderId}`, confirmed);
  await reassert();
  const before = await slots().find().toArray();
  expect(await reassert()).toEqual({ redemptions: 1 });
  expect(await slots().find().toArray()).toEqual(before);
  expect(await state()).toBe('CONFIRMED');
});
