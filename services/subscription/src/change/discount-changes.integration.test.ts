import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { recoverInTest } from '@billing/chassis/testing/recover';
import { notFound } from '@billing/kernel/domain-error';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { DiscountDuration, RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import {
  ChangeAt,
  ChangeKind,
  ChangeProration,
  ChangeStatus,
} from '@billing/proto/billing/subscription/v1/change';
import { day } from '../testing/fixtures';
import { aProtoDiscount } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';

const under = serviceForTests((peers) => {
  const { DISCOUNT_DURATION_FOREVER: duration } = DiscountDuration;
  for (const id of ['first', 'second']) {
    peers.discounts.set(id, aProtoDiscount({ id, duration }));
  }
});

const { CHANGE_STATUS_APPLIED: applied, CHANGE_STATUS_PENDING: pending } = ChangeStatus;
const { CHANGE_STATUS_CANCELED: canceled } = ChangeStatus;
const { CHANGE_AT_UNSPECIFIED: auto, CHANGE_AT_PERIOD_END: periodEnd } = ChangeAt;

/** A subscription that runs since January, and the context of calls in its period. */
async function running() {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({}, context);
  await eventually(() => {
    expect(under.peers.invoices.some(({ request }) => request.subscriptionId === id)).toBe(true);
  });
  const { tenant } = context;
  const call = (): CallContext => ({
    ...testContext({ now: day('02-14') }),
    tenant,
  });
  return { id, call };
}

function asking(subscriptionId: string, id: string | undefined, at = auto) {
  const change = {
    ...{
      kind: ChangeKind.CHANGE_KIND_UPDATE,
      resumeAt: undefined,
      notBefore: undefined,
      ofItems: false,
      otherItems: [],
      at,
    },
    proration: ChangeProration.CHANGE_PRORATION_UNSPECIFIED,
    discount: { id },
  };
  return { subscriptionId, change, metadata: undefined };
}

type Held = NonNullable<(typeof under.peers.reservations)[number]['request']['change']>;

function heldChange(index = 0): Held & { readonly holderId: string } {
  const request = under.peers.reservations[index]?.request;
  if (request?.change === undefined) throw new Error('No change has reserved a redemption');
  return { ...request.change, holderId: request.holderId };
}

/** Asks like the sweeper of the discount service. */
async function sweeperAnswer(
  context: CallContext,
  { subscriptionId, changeId, round } = heldChange(),
) {
  return under.subscription.checkChange({ subscriptionId, changeId, round }, context);
}

test('a change reserves a redemption before it is stored, and confirms it afterwards', async () => {
  const { id, call } = await running();
  const before: unknown[] = [];
  under.peers.onReservation = async () => {
    before.push((await under.get(id, call())).discountId);
  };
  const { change } = await under.change.createChange(asking(id, 'first'), call());

  expect(change).toMatchObject({ status: applied, to: { discountId: 'first' } });
  expect(before).toEqual([undefined]);
  expect(await under.get(id, call())).toMatchObject({ discountId: 'first' });
  const { changeId, holderId } = heldChange();
  expect(changeId).toBe(change?.id);
  await eventually(() => {
    const confirmed = under.peers.confirmations.map(({ request }) => request);
    expect(confirmed).toEqual([{ discountId: 'first', holderId }]);
  });
  expect(await sweeperAnswer(call())).toEqual({
    exists: true,
    redemption: RedemptionState.REDEMPTION_STATE_CONFIRMED,
  });
});

test('a change that waits holds its redemption, and gives it back when it is canceled', async () => {
  const { id, call } = await running();
  const { change } = await under.change.createChange(asking(id, 'first', periodEnd), call());
  expect(change).toMatchObject({ status: pending });
  expect((await under.get(id, call())).discountId).toBeUndefined();
  const { REDEMPTION_STATE_HELD: held, REDEMPTION_STATE_RELEASED: released } = RedemptionState;
  expect(await sweeperAnswer(call())).toEqual({ exists: true, redemption: held });

  const { change: other } = await under.change.createChange(
    asking(id, 'second', periodEnd),
    call(),
  );
  const [first, second] = [heldChange(0), heldChange(1)];
  await eventually(() => {
    expect(under.peers.releases.map(({ request }) => request)).toEqual([
      { discountId: 'first', holderId: first.holderId },
    ]);
  });
  await under.change.cancelChange({ subscriptionId: id, id: other?.id ?? '' }, call());
  await eventually(() => {
    expect(under.peers.releases[1]?.request).toEqual({
      discountId: 'second',
      holderId: second.holderId,
    });
  });
  expect(await sweeperAnswer(call(), second)).toEqual({ exists: true, redemption: released });
  const found = await under.change.getChange({ subscriptionId: id, id: other?.id ?? '' }, call());
  expect(found.change?.status).toBe(canceled);
  expect(under.peers.confirmations).toEqual([]);
});

test('a change whose reservation was swept before it is stored is refused, and its retry reserves again', async () => {
  const { id, call } = await running();
  const answers: unknown[] = [];
  under.peers.onReservation = async () => {
    if (answers.length === 0) answers.push(await sweeperAnswer(call()));
  };
  const retried = { ...call(), retrySeed: { seed: newId(), isRetry: true } };
  await expect(under.change.createChange(asking(id, 'first'), retried)).rejects.toMatchObject({
    kind: 'unavailable',
  });
  expect(answers).toEqual([{ exists: false }]);
  expect((await under.get(id, call())).discountId).toBeUndefined();
  const { change } = await under.change.createChange(asking(id, 'first'), retried);
  expect(change?.status).toBe(applied);
  const rounds = under.peers.reservations.map(({ request }) => request.change?.round);
  expect(rounds).toEqual([1, 2]);
  expect(new Set(under.peers.reservations.map(({ request }) => request.holderId)).size).toBe(2);
  // The same call once more finds the change.
  expect((await under.change.createChange(asking(id, 'first'), retried)).change).toEqual(change);
});

test('a retry after a lost answer finds the redemption that its first call has reserved', async () => {
  const { id, call } = await running();
  under.peers.onReservation = () => Promise.reject(new Error('lost'));
  const retried = { ...call(), retrySeed: { seed: newId(), isRetry: true } };
  await expect(under.change.createChange(asking(id, 'first'), retried)).rejects.toThrow();
  await eventually(() => {
    expect(under.peers.releases).toHaveLength(1);
  });
  under.peers.onReservation = () => Promise.resolve();
  const { change } = await under.change.createChange(asking(id, 'first'), retried);
  expect(change?.status).toBe(applied);
  expect(under.peers.releases[0]?.request.holderId).toBe(heldChange(0).holderId);
  expect(heldChange(1).holderId).not.toBe(heldChange(0).holderId);
});

test('of 20 changes for the last redemption one is applied, and the others are refused', async () => {
  const places = [await running(), await running()];
  const holders = new Set<string>();
  under.peers.onReservation = ({ holderId }) => {
    if (holders.size > 0 && !holders.has(holderId)) return Promise.reject(notFound('Discount'));
    holders.add(holderId);
    return Promise.resolve();
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => {
      const { id, call } = places[index % places.length] ?? {};
      if (id === undefined || call === undefined) throw new Error('No place');
      return under.change.createChange(asking(id, 'first'), call());
    }),
  );
  const statuses = outcomes.flatMap((one) =>
    one.status === 'fulfilled' ? [one.value.change?.status] : [],
  );
  expect(statuses).toEqual([applied]);
  const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  for (const refusal of refusals) {
    expect(['invalid_input', 'failed_precondition', 'unavailable']).toContain(refusal.kind);
  }
  const found = await Promise.all(places.map(async ({ id, call }) => under.get(id, call())));
  expect(found.map(({ discountId }) => discountId ?? 'none').sort()).toEqual(['first', 'none']);
});

test.each([
  ['unknown', 'unknown'],
  ['empty', ''],
])('a change for an %s discount is refused, and so is its preview', async (_name, discountId) => {
  const { id, call } = await running();
  const refused = { kind: 'invalid_input', fields: { discountId: ['Discount is not valid'] } };
  const { metadata: _metadata, ...previewed } = asking(id, discountId);
  await expect(under.change.createChange(asking(id, discountId), call())).rejects.toMatchObject(
    refused,
  );
  await expect(under.change.previewChange(previewed, call())).rejects.toMatchObject(refused);
  expect(under.peers.reservations).toEqual([]);
});

test('a change that waits remembers that it wants no discount', async () => {
  const { id, call } = await running();
  const none = asking(id, undefined, periodEnd);
  await expect(under.change.createChange(none, call())).rejects.toMatchObject({
    reason: 'NOTHING_TO_CHANGE',
  });
  const asked = { ...none, change: { ...none.change, quantity: 2 } };
  const { change } = await under.change.createChange(asked, call());
  expect(change).toMatchObject({ status: pending });
  await under.change.createChange(asking(id, 'first'), call());
  const found = await under.change.getChange({ subscriptionId: id, id: change?.id ?? '' }, call());
  expect(found.change?.status).toBe(pending);
  const now = day('02-28');
  const { environmentId } = call().tenant;
  const later = { ...testContext({ now }), tenant: call().tenant };
  const workClass = WorkClass.WORK_CLASS_RENEWAL;
  await under.dueWork.runDue({ environmentId, until: now, workClass }, later);
  expect(await under.get(id, later)).toMatchObject({ quantity: 2, discountId: undefined });
});

test('a change that is refused reserves nothing; a wrong discount is named first', async () => {
  const { id, call } = await running();
  const cancel = (atPeriodEnd: boolean) =>
    under.subscription.cancelSubscription({ id, atPeriodEnd }, call());
  await cancel(true);
  await expect(
    under.change.createChange(asking(id, 'first', periodEnd), call()),
  ).rejects.toMatchObject({ reason: 'SUBSCRIPTION_SET_TO_CANCEL' });
  await cancel(false);
  await expect(under.change.createChange(asking(id, 'first'), call())).rejects.toMatchObject({
    reason: 'SUBSCRIPTION_CANCELED',
  });
  await expect(under.change.createChange(asking(id, 'unknown'), call())).rejects.toMatchObject({
    fields: { discountId: ['Discount is not valid'] },
  });
  expect(under.peers.reservations).toEqual([]);
});

test('a preview reserves nothing; its token is stale once the discount is not valid', async () => {
  const { id, call } = await running();
  const { metadata: _metadata, ...previewed } = asking(id, 'first');
  const { token, nextInvoice } = await under.change.previewChange(previewed, call());
  expect(nextInvoice?.subtotal).toBe(2900n);
  expect(under.peers.reservations).toEqual([]);
  const first = under.peers.discounts.get('first');
  under.peers.discounts.delete('first');
  const asked = { ...asking(id, 'first'), previewToken: token };
  await expect(under.change.createChange(asked, call())).rejects.toMatchObject({
    reason: 'PREVIEW_STALE',
    message: 'Preview is stale: discount',
  });
  if (first !== undefined) under.peers.discounts.set('first', first);
  const other = { ...asking(id, 'second'), previewToken: token };
  await expect(under.change.createChange(other, call())).rejects.toMatchObject({
    fields: { previewToken: ['Preview is for another request'] },
  });
  const { change } = await under.change.createChange(asked, call());
  expect(change?.status).toBe(applied);
});

test('after a restore, a change that waits holds its redemption again', async () => {
  const { id, call } = await running();
  await under.change.createChange(asking(id, 'first', periodEnd), call());
  const { request } = under.peers.reservations[0]!;
  under.peers.reservations.splice(0);
  await recoverInTest(under.configuration, ['reassert']);
  const ofChange = under.peers.reservations.map((one) => one.request);
  expect(ofChange.filter(({ holderId }) => holderId === request.holderId)).toEqual([request]);
});

test('after a restore, the redemption of an applied change that discount has lost is used again', async () => {
  const { id, call } = await running();
  await under.change.createChange(asking(id, 'first'), call());
  const { request } = under.peers.reservations[0]!;
  const { holderId } = request;
  const confirmed = () =>
    under.peers.confirmations.filter((one) => one.request.holderId === holderId).length;
  await eventually(() => {
    expect(confirmed()).toBe(1);
  });
  under.peers.lostRedemptions.add(holderId);
  under.peers.reservations.splice(0);
  await recoverInTest(under.configuration, ['reassert']);
  const again = under.peers.reservations.map((one) => one.request);
  expect(again.filter((one) => one.holderId === holderId)).toEqual([request]);
  expect(confirmed()).toBe(2);
});
