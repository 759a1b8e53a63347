import { examineEach, type Invariant, repeated, together } from './picture/invariant';
import type { DiscountPicture, Picture, SubscriptionPicture } from './picture/picture';

export const redemptionsAreLimited: Invariant = {
  id: 'I3',
  title: 'redemptions ≤ maximum, one for each session or subscription',
  examine: (picture) =>
    examineEach(picture.discounts, (discount) => [
      limitProblem(discount),
      holderProblem(discount, picture),
    ]),
};

function limitProblem({ id, maxRedemptions, redemptionCount }: DiscountPicture): string | false {
  return (
    maxRedemptions !== null &&
    redemptionCount > maxRedemptions &&
    `discount ${id}: ${String(redemptionCount)} redemptions of ${String(maxRedemptions)}`
  );
}

/** Exact only if all sessions are known; subscriptions alone must not exceed the redemptions. */
function holderProblem(
  { id, redemptionCount }: DiscountPicture,
  { sessions, subscriptions, changes }: Picture,
): string | false {
  // A subscription that a session created shares its redemption.
  const ofSessions = new Set(sessions?.map(({ subscriptionId }) => subscriptionId));
  const holders = [
    ...(sessions ?? []).filter(
      ({ discountId, hasRedemption }) => discountId === id && hasRedemption,
    ),
    ...subscriptions
      .flatMap((one) => heldBy(one, { isOfSession: ofSessions.has(one.id), changes }))
      .filter((discountId) => discountId === id),
  ].length;
  const isRight = sessions === undefined ? redemptionCount >= holders : redemptionCount === holders;
  return (
    !isRight &&
    `discount ${id}: ${String(redemptionCount)} redemptions for ${String(holders)} holders`
  );
}

/** Discounts that a subscription holds a redemption of: each change has its own. */
function heldBy(
  subscription: SubscriptionPicture,
  { isOfSession, changes }: Pick<Picture, 'changes'> & { readonly isOfSession: boolean },
): (string | null)[] {
  const ofDiscount = changes.filter(
    ({ subscriptionId, status, from, to }) =>
      subscriptionId === subscription.id &&
      status !== 'FAILED' &&
      status !== 'CANCELED' &&
      from.discountId !== to.discountId,
  );
  const [first] = ofDiscount;
  const created = first === undefined ? subscription.discountId : first.from.discountId;
  const held = [...(isOfSession ? [] : [created]), ...ofDiscount.map(({ to }) => to.discountId)];
  return isEndedBeforeStart(subscription) ? held.slice(0, -1) : held;
}

/** The redemption of its last discount was freed. */
function isEndedBeforeStart({ endedAt, startAt }: SubscriptionPicture): boolean {
  return endedAt !== null && new Date(endedAt) < new Date(startAt);
}

export const sessionsEndTogether: Invariant = {
  id: 'I7',
  title: 'session COMPLETE ⇔ invoice PAID ⇔ exactly one subscription (none if ONE_TIME)',
  examine: ({ sessions, invoices, subscriptions }) => {
    if (sessions === undefined) return undefined;
    const invoicesById = new Map(invoices.map((invoice) => [invoice.id, invoice]));
    const subscriptionIds = new Set(subscriptions.map(({ id }) => id));
    const made = sessions.flatMap(({ subscriptionId }) => subscriptionId ?? []);
    const billed = new Set(sessions.map(({ invoiceId }) => invoiceId));
    const settled = sessions.filter(({ isChanging }) => !isChanging);
    const outcomes = examineEach(settled, ({ id, status, isOneTime, ...session }) => {
      const invoice = invoicesById.get(session.invoiceId ?? '');
      const isComplete = status === 'COMPLETE';
      const hasSubscription = subscriptionIds.has(session.subscriptionId ?? '');
      const expected = { OPEN: 'OPEN', COMPLETE: 'PAID', EXPIRED: 'VOID' }[status];
      return [
        (invoice?.status ?? 'VOID') !== expected &&
          `session ${id}: ${status} with an invoice ${invoice?.status ?? 'that does not exist'}`,
        hasSubscription !== (isComplete && !isOneTime) &&
          `session ${id}: ${status} ${hasSubscription ? 'with' : 'without'} a subscription`,
        isComplete &&
          invoice !== undefined &&
          invoice.subscriptionId !== session.subscriptionId &&
          `session ${id}: its invoice belongs to another subscription`,
      ];
    });
    return together(outcomes, {
      examined: made.length,
      findings: [
        ...repeated(made).map(
          ([id, count]) => `subscription ${id} belongs to ${String(count)} sessions`,
        ),
        // The void invoice of an expired session outlives it.
        ...invoices
          .filter(
            ({ id, billingReason, status }) =>
              billingReason === 'CHECKOUT' && status !== 'VOID' && !billed.has(id),
          )
          .map(({ id }) => `invoice ${id} of a checkout belongs to no session`),
      ],
    });
  },
};
