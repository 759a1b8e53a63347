import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import {
  ChangeAt,
  ChangeKind,
  ChangeProration,
  ChangeStatus,
} from '@billing/proto/billing/subscription/v1/change';
import { SubscriptionPhase } from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct, type ServiceUnderTest } from '../testing/service-under-test';
import { asking, later, usageScene } from '../testing/usage-scene';

const under = serviceForTests((peers) => {
  peers.products.set('pro', aProduct({ id: 'pro' }, { amount: 5000n }));
  peers.products.set('trial', aProduct({ id: 'trial' }, { trialDays: 20 }));
});

const { subscribe } = usageScene(under);
const { CHANGE_KIND_PAUSE: PAUSE, CHANGE_KIND_RESUME: RESUME } = ChangeKind;
const {
  CHANGE_PRORATION_NONE: NONE,
  CHANGE_PRORATION_PRORATE: PRORATE,
  CHANGE_PRORATION_FULL_AND_RESET: FULL_AND_RESET,
} = ChangeProration;
const staleBySubscription = {
  ...{ kind: 'failed_precondition', message: 'Preview is stale: subscription' },
};

const shownAt = day('02-14');
const minute = (count: number) => new Date(shownAt.getTime() + count * 60_000);

const change = (
  asked: ReturnType<typeof asking>,
  context: CallContext,
  previewToken?: string,
): ReturnType<ServiceUnderTest['change']['createChange']> =>
  under.change.createChange({ ...asked, metadata: undefined, previewToken }, context);

/** Runs a call that is refused, and expects that it changes nothing. */
async function refuses(id: string, context: CallContext, call: () => Promise<unknown>) {
  const before = await decided(id, context);
  await expect(call()).rejects.toMatchObject(staleBySubscription);
  expect(await decided(id, context)).toEqual(before);
}

/** What calls decide of a subscription; its invoices come later. */
async function decided(subscriptionId: string, context: CallContext) {
  const { status, phase, items, pendingChange, ...found } = await under.get(
    subscriptionId,
    context,
  );
  const { currentPeriodStart, currentPeriodEnd } = found;
  const listed = { subscriptionId, status: undefined, page: 1, perPage: 10 };
  const { total } = await under.change.listChanges(listed, context);
  return { status, phase, items, pendingChange, currentPeriodStart, currentPeriodEnd, total };
}

test.each([
  ['a new cycle', 'product', { proration: FULL_AND_RESET }],
  ['a new cycle that ends a trial', 'trial', { proration: FULL_AND_RESET }],
  ['a change that waits', 'product', { at: ChangeAt.CHANGE_AT_PERIOD_END }],
])('a second use of the token of %s is stale', async (_name, productId, parts) => {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({ productId }, context);
  const asked = asking(id, 'pro', parts);
  const { token } = await under.change.previewChange(asked, later(context, shownAt));
  await change(asked, later(context, shownAt), token);
  await refuses(id, context, () => change(asked, later(context, minute(1)), token));
  expect(await decided(id, context)).toMatchObject({ total: 1 });
});

test('a token of a change that waits is honored once the one that it would replace is taken back', async () => {
  const { id, context } = await subscribe('product');
  const at = ChangeAt.CHANGE_AT_PERIOD_END;
  const earlier = await change(asking(id, 'trial', { at }), later(context, minute(0)));
  const asked = asking(id, 'pro', { at });
  const { token } = await under.change.previewChange(asked, later(context, minute(1)));
  const withdrawn = { subscriptionId: id, id: earlier.change?.id ?? '' };
  await under.change.cancelChange(withdrawn, later(context, minute(2)));
  const made = await change(asked, later(context, minute(3)), token);
  expect(made.change).toMatchObject({ status: ChangeStatus.CHANGE_STATUS_PENDING });
  await refuses(id, context, () => change(asked, later(context, minute(4)), token));

  // Another one waits: the promise was to replace none, or the one before.
  const { token: next } = await under.change.previewChange(asked, later(context, minute(5)));
  await change(asking(id, 'trial', { at }), later(context, minute(6)));
  await refuses(id, context, () => change(asked, later(context, minute(7)), next));
});

test('a token of a pause is stale in a cycle that began after its instant', async () => {
  const { id, context } = await subscribe('product');
  const pause = asking(id, '', { kind: PAUSE });
  const { token } = await under.change.previewChange(pause, later(context, shownAt));
  await change(asking(id, 'pro', { proration: FULL_AND_RESET }), later(context, minute(5)));
  await refuses(id, context, () => change(pause, later(context, minute(6)), token));
  const { phase, currentPeriodStart } = await under.get(id, context);
  expect(phase).toBe(SubscriptionPhase.SUBSCRIPTION_PHASE_REGULAR);
  expect(currentPeriodStart).toEqual(minute(5));
});

test('a token of a resume is stale in a later pause', async () => {
  const { id, context } = await subscribe('product');
  await change(asking(id, '', { kind: PAUSE }), later(context, day('02-10')));
  const resume = asking(id, '', { kind: RESUME, proration: PRORATE });
  const { token } = await under.change.previewChange(resume, later(context, shownAt));
  await change(resume, later(context, minute(1)));
  await change(asking(id, '', { kind: PAUSE }), later(context, minute(2)));
  await refuses(id, context, () => change(resume, later(context, minute(3)), token));
});

test('a token of an end is stale in a cycle that began after its instant', async () => {
  const { id, context } = await subscribe('product');
  const end = { atPeriodEnd: false, proration: NONE };
  const shown = await under.change.previewCancellation(
    { subscriptionId: id, ...end },
    later(context, shownAt),
  );
  await change(asking(id, 'pro', { proration: FULL_AND_RESET }), later(context, minute(5)));
  const request = { id, ...end, previewToken: shown.token };
  await refuses(id, context, () =>
    under.subscription.cancelSubscription(request, later(context, minute(6))),
  );
});

test('a preview is not made for an instant before the last change', async () => {
  const { id, context } = await subscribe('product');
  await change(asking(id, 'pro', { proration: FULL_AND_RESET }), later(context, shownAt));
  const before = later(context, new Date(shownAt.getTime() - 1));
  const pause = asking(id, '', { kind: PAUSE });
  expect(await under.change.previewChange(pause, before)).toMatchObject({
    ...{ at: shownAt, effectiveAt: shownAt },
  });
  const end = { subscriptionId: id, atPeriodEnd: false, proration: NONE };
  expect(await under.change.previewCancellation(end, before)).toMatchObject({
    ...{ at: shownAt, effectiveAt: shownAt },
  });
});
