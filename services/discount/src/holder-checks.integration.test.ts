import { monotonicMs } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import {
  type DiscountServiceServer,
  DiscountServiceService,
  RedemptionHolder,
  RedemptionState,
} from '@billing/proto/billing/discount/v1/discount';
import { start } from './service';
import { create, read, reserve } from './testing/fixtures';
import { configurationFor, Owners, type RedemptionCheck } from './testing/owners';

const checkAfterMs = 1_000;
const ownerConfiguration = testServiceConfiguration('owners');
const owners = new Owners();
const { questions, states } = owners;
let running: RunningService;
let discountConfiguration: ReturnType<typeof configurationFor>;
const services: RunningService[] = [];
let discounts: Peer<DiscountServiceServer>;

beforeAll(async () => {
  running = await owners.start(ownerConfiguration);
  discountConfiguration = configurationFor(running.address);
  // Two replicas; each poll is made by the next one.
  for (let count = 1; count <= 2; count += 1) {
    services.push(await start(discountConfiguration, { checkAfterMs, checkIntervalMs: 100 }));
  }
  discounts = connectPeer<DiscountServiceServer>(DiscountServiceService, {
    address: services[0]?.address ?? '',
    service: 'test',
  });
});

afterAll(async () => {
  discounts.close();
  for (const service of [...services, running]) await service.stop();
  await dropTestDatabase(discountConfiguration, ownerConfiguration);
  await dropTestStream(discountConfiguration);
});

function checksOf(holder: string): RedemptionCheck[] {
  return questions.filter(({ holderId }) => holderId === holder);
}

const {
  REDEMPTION_HOLDER_CHECKOUT_SESSION: session,
  REDEMPTION_HOLDER_SUBSCRIPTION: subscription,
} = RedemptionHolder;

test.each([
  ['session', session],
  ['subscription', subscription],
] as const)('the slot of a %s whose check returns RELEASED becomes free', async (noun, holder) => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context, { maxRedemptions: 1 });
  const holderId = newId();
  states.set(`${noun} ${holderId}`, RedemptionState.REDEMPTION_STATE_RELEASED);
  await reserve(discounts, context, { discountId, holder, holderId });
  await eventually(async () => {
    expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 0 });
  });
  await reserve(discounts, context, { discountId });
  const [check] = checksOf(`${noun} ${holderId}`);
  expect(check).toMatchObject({ discountId, context: { tenant: context.tenant } });
});

const heldForChange = {
  ...{
    currency: 'USD',
    productId: '',
    otherProductIds: [],
    holder: RedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION_CHANGE,
  },
};

test.each([
  ['was never stored', RedemptionState.REDEMPTION_STATE_UNSPECIFIED, 0],
  ['was canceled', RedemptionState.REDEMPTION_STATE_RELEASED, 0],
  ['waits', RedemptionState.REDEMPTION_STATE_HELD, 1],
  ['was applied', RedemptionState.REDEMPTION_STATE_CONFIRMED, 1],
])(
  'the redemption of a change that %s is decided by its subscription',
  async (_name, state, count) => {
    const context = testContext();
    const { id: discountId } = await create(discounts, context, { maxRedemptions: 1 });
    const [holderId, changeId, subscriptionId] = [newId(), newId(), newId()];
    const change = { subscriptionId, changeId, round: 2 };
    await discounts.reserveRedemption({ ...heldForChange, discountId, holderId, change }, context);
    // A holder keeps what it has; another one is refused.
    const asked = { discountId, productId: '', otherProductIds: [], currency: 'USD' };
    expect(await discounts.quoteRedemption({ ...asked, holderId }, context)).toMatchObject({
      discount: { id: discountId },
    });
    await expect(discounts.quoteRedemption(asked, context)).rejects.toMatchObject({
      reason: 'DISCOUNT_EXHAUSTED',
    });
    // Until then a check gets no answer, and is retried.
    const before = checksOf(`change ${changeId}`).length;
    states.set(`change ${changeId}`, state);
    await eventually(async () => {
      expect(checksOf(`change ${changeId}`).length).toBeGreaterThan(before);
      const present = await read(discounts, context, discountId);
      expect(present.redemptionCount).toBe(count);
    });
  },
);

test.each([
  ['released', RedemptionState.REDEMPTION_STATE_RELEASED, 0],
  ['held', RedemptionState.REDEMPTION_STATE_HELD, 1],
  ['confirmed', RedemptionState.REDEMPTION_STATE_CONFIRMED, 1],
])('the redemption of a typed code is %s by its session', async (_name, state, count) => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context, { maxRedemptions: 1 });
  const [holderId, sessionId] = [newId(), newId()];
  states.set(`session ${sessionId}, code 3`, state);
  const holder = RedemptionHolder.REDEMPTION_HOLDER_SESSION_CODE;
  const held = { currency: 'USD', productId: '', otherProductIds: [], holder };
  const wanted = { ...held, discountId, holderId };
  const sessionCode = { sessionId, round: 3 };
  await discounts.reserveRedemption({ ...wanted, sessionCode }, context);
  await expect(discounts.reserveRedemption(wanted, context)).rejects.toMatchObject({
    fields: { sessionCode: ['Required'] },
  });
  await eventually(async () => {
    expect(checksOf(`session ${sessionId}, code 3`).length).toBeGreaterThanOrEqual(1);
    expect((await read(discounts, context, discountId)).redemptionCount).toBe(count);
  });
});

test('a change without its subscription and round is refused as a holder', async () => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context);
  await expect(
    discounts.reserveRedemption({ ...heldForChange, discountId, holderId: newId() }, context),
  ).rejects.toMatchObject({ fields: { change: ['Required'] } });
});

test('the slot of a holder whose check returns CONFIRMED can no longer be released', async () => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context);
  const holderId = newId();
  states.set(`session ${holderId}`, RedemptionState.REDEMPTION_STATE_CONFIRMED);
  await reserve(discounts, context, { discountId, holderId });
  await eventually(() => {
    expect(checksOf(`session ${holderId}`)).not.toEqual([]);
  });
  // Two later checks prove that the earlier result has been applied.
  const later = newId();
  states.set(`session ${later}`, RedemptionState.REDEMPTION_STATE_HELD);
  await reserve(discounts, context, { discountId, holderId: later });
  await eventually(() => {
    expect(checksOf(`session ${later}`).length).toBeGreaterThanOrEqual(2);
  });
  // On a busy machine the check may have been repeated until then.
  const { length: checksSoFar } = checksOf(`session ${holderId}`);
  await discounts.releaseRedemption({ discountId, holderId }, context);
  expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 2 });
  await eventually(() => {
    expect(checksOf(`session ${later}`).length).toBeGreaterThanOrEqual(3);
  });
  expect(checksOf(`session ${holderId}`)).toHaveLength(checksSoFar);
});

test('a holder without a decision or a response is checked again at growing intervals', async () => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context);
  const [undecided, away] = [newId(), newId()];
  states.set(`session ${undecided}`, RedemptionState.REDEMPTION_STATE_HELD);
  await reserve(discounts, context, { discountId, holderId: undecided });
  await reserve(discounts, context, { discountId, holderId: away });
  await eventually(() => {
    expect(checksOf(`session ${undecided}`).length).toBeGreaterThanOrEqual(2);
    expect(checksOf(`session ${away}`).length).toBeGreaterThanOrEqual(2);
  });
  expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 2 });
  states.set(`session ${away}`, RedemptionState.REDEMPTION_STATE_RELEASED);
  await eventually(async () => {
    expect(await read(discounts, context, discountId)).toMatchObject({ redemptionCount: 1 });
  });
});

test('in an environment with a manual clock, the check carries the time of the reservation', async () => {
  const now = new Date('2026-02-01T00:00:00Z');
  const context = testContext({ now });
  const { id: discountId } = await create(discounts, context);
  const holderId = newId();
  states.set(`session ${holderId}`, RedemptionState.REDEMPTION_STATE_RELEASED);
  await reserve(discounts, context, { discountId, holderId });
  await eventually(() => {
    const [check] = checksOf(`session ${holderId}`);
    expect(check).toMatchObject({ context: { now, tenant: context.tenant } });
  });
});

test('a holder that has confirmed or released is not checked', async () => {
  const context = testContext();
  const { id: discountId } = await create(discounts, context);
  /** Reserves and ends before a check is due; a busy machine may need several holders for it. */
  const endInTime = async (end: (holderId: string) => Promise<unknown>): Promise<string> => {
    for (;;) {
      const startMs = monotonicMs();
      const holderId = await reserve(discounts, context, { discountId });
      await end(holderId);
      if (monotonicMs() - startMs < checkAfterMs) return holderId;
    }
  };
  const confirmed = await endInTime((holderId) =>
    discounts.confirmRedemption({ discountId, holderId }, context),
  );
  const released = await endInTime((holderId) =>
    discounts.releaseRedemption({ discountId, holderId }, context),
  );
  // Reserved after both, and checked last.
  const last = newId();
  states.set(`session ${last}`, RedemptionState.REDEMPTION_STATE_CONFIRMED);
  await reserve(discounts, context, { discountId, holderId: last });
  await eventually(() => {
    expect(checksOf(`session ${last}`)).not.toEqual([]);
  });
  expect([...checksOf(`session ${confirmed}`), ...checksOf(`session ${released}`)]).toEqual([]);
});
