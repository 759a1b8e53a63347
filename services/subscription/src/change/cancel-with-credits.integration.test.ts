import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { ChangeProration } from '@billing/proto/billing/subscription/v1/change';
import { ChangeSettlement } from '@billing/proto/billing/subscription/v1/change_service';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { serviceForTests } from '../testing/service-for-tests';
import { type ServiceUnderTest } from '../testing/service-under-test';

const under = serviceForTests();

const proration = ChangeProration.CHANGE_PRORATION_PRORATE;
const endedAt = day('02-14');
const canceled = SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED;

/** A subscription from 31 January whose first invoice is paid, and a call two weeks later. */
async function aPaidSubscription() {
  const context = testContext({ now: day('01-31') });
  const { id } = await under.create({}, context);
  await eventually(() => {
    const made = under.peers.invoices.find(({ request }) => request.subscriptionId === id);
    if (made === undefined) throw new Error('Not invoiced yet');
    under.peers.paid.add(made.request.invoiceId);
  });
  const { tenant } = context;
  const call = (now = endedAt): CallContext => ({
    ...testContext({ now }),
    tenant,
    retrySeed: { seed: newId(), isRetry: true },
  });
  return { id, call };
}

const cancelNow = (
  id: string,
  call: CallContext,
  previewToken?: string,
): ReturnType<ServiceUnderTest['subscription']['cancelSubscription']> =>
  under.subscription.cancelSubscription({ id, atPeriodEnd: false, proration, previewToken }, call);

const preview = (subscriptionId: string, call: CallContext) =>
  under.change.previewCancellation({ subscriptionId, atPeriodEnd: false, proration }, call);

test('a cancellation as previewed reserves its credits, ends at the instant of the preview, and issues them', async () => {
  const { id, call } = await aPaidSubscription();
  const shown = await preview(id, call());
  expect(shown).toMatchObject({ at: endedAt, effectiveAt: endedAt });
  expect(shown.creditNotes).toMatchObject([
    { amount: 1450n, settledBy: ChangeSettlement.CHANGE_SETTLEMENT_BALANCE },
  ]);
  const later = new Date(endedAt.getTime() + 60_000);
  const { subscription } = await cancelNow(id, call(later), shown.token);
  expect(subscription).toMatchObject({ status: canceled, endedAt });
  const { credits, creditNotes } = under.peers;
  expect(credits.made).toMatchObject([{ credits: [{ amount: 1450n }] }]);
  await eventually(() => {
    expect(creditNotes.map(({ request }) => request)).toMatchObject([
      { invoiceId: shown.creditNotes[0]?.invoiceId, lines: [{ amount: 1450n }] },
    ]);
  });
});

test('the deletion of the customer waits for the credits of an end', async () => {
  const { id, call } = await aPaidSubscription();
  under.peers.isCheckoutDown = true;
  await cancelNow(id, call());
  const deletion = async () => {
    await under.subscription.billEndedSubscriptions({ customerId: 'customer' }, call());
    return under.peers.creditNotes.length;
  };
  const waited = deletion();
  expect(await Promise.race([waited, delay(1_000, 'waiting')])).toBe('waiting');
  under.peers.isCheckoutDown = false;
  expect(await waited).toBe(1);
});

test('a retry of a cancellation that has reserved and died issues the same credits once', async () => {
  const { id, call } = await aPaidSubscription();
  const { token } = await preview(id, call());
  const asked = call();
  under.peers.credits.isAnswerLost = true;
  await expect(cancelNow(id, asked, token)).rejects.toMatchObject({ kind: 'unavailable' });
  under.peers.credits.isAnswerLost = false;
  await cancelNow(id, asked, token);
  expect((await cancelNow(id, asked, token)).subscription).toMatchObject({ status: canceled });
  const [first, ...others] = under.peers.credits.made;
  expect(others.every(({ changeId }) => changeId === first?.changeId)).toBe(true);
  await eventually(() => {
    expect(new Set(under.peers.creditNotes.map(({ request }) => request.creditNoteId)).size).toBe(
      1,
    );
  });
});

test('a token is refused for another request, after 15 minutes, and after its use', async () => {
  const { id, call } = await aPaidSubscription();
  const { token } = await preview(id, call());
  const other = { id, atPeriodEnd: true, previewToken: token };
  await expect(
    under.subscription.cancelSubscription(
      { ...other, proration: ChangeProration.CHANGE_PRORATION_UNSPECIFIED },
      call(),
    ),
  ).rejects.toMatchObject({ fields: { previewToken: ['Preview is for another request'] } });
  const tooLate = new Date(endedAt.getTime() + 16 * 60_000);
  await expect(cancelNow(id, call(tooLate), token)).rejects.toMatchObject({
    message: 'Preview is stale: time',
  });
  expect((await cancelNow(id, call(), token)).subscription).toMatchObject({ status: canceled });
  await expect(cancelNow(id, call(), token)).rejects.toMatchObject({
    message: 'Preview is stale: subscription',
  });
  await expect(cancelNow(id, call(tooLate), token)).rejects.toMatchObject({
    message: 'Preview is stale: time, subscription',
  });
  await expect(preview(id, call())).rejects.toMatchObject({ reason: 'SUBSCRIPTION_CANCELED' });
});

test('checkout learns of a round of a cancellation whether it is stored', async () => {
  const { id, call } = await aPaidSubscription();
  await cancelNow(id, call());
  const [made] = under.peers.credits.made;
  if (made === undefined) throw new Error('Nothing was reserved');
  const { changeId, round } = made;
  const asked = { subscriptionId: id, changeId };
  expect(await under.subscription.checkChange({ ...asked, round }, call())).toMatchObject({
    exists: true,
  });
  expect(await under.subscription.checkChange({ ...asked, round: 2 }, call())).toMatchObject({
    exists: false,
  });
});

test('a cancellation during a renewal ends the period that has begun, at the time of the renewal', async () => {
  const { id, call } = await aPaidSubscription();
  const [until, before] = [day('02-28'), new Date(day('02-28').getTime() - 1)];
  const context = call(until);
  under.peers.onInvoiceRead = async () => {
    under.peers.onInvoiceRead = () => Promise.resolve();
    const { environmentId } = context.tenant;
    const workClass = WorkClass.WORK_CLASS_RENEWAL;
    await under.dueWork.runDue({ environmentId, until, workClass }, context);
  };
  const { subscription } = await cancelNow(id, call(before));
  expect(subscription).toMatchObject({
    ...{ status: canceled, currentPeriodStart: until, endedAt: until },
  });
});

test('an unknown subscription is refused before the token and the proration are', async () => {
  const context = testContext({ now: endedAt });
  const id = newId();
  const notFound = { reason: 'SUBSCRIPTION_NOT_FOUND' };
  for (const atPeriodEnd of [false, true]) {
    const request = { id, atPeriodEnd, proration, previewToken: 'x.y' };
    const call = { ...context, retrySeed: { seed: newId(), isRetry: false } };
    await expect(under.subscription.cancelSubscription(request, call)).rejects.toMatchObject(
      notFound,
    );
    const { id: subscriptionId } = request;
    const previewed = under.change.previewCancellation(
      { subscriptionId, atPeriodEnd, proration },
      call,
    );
    await expect(previewed).rejects.toMatchObject(notFound);
  }
});
