import { examineEach, type Invariant, repeated, together } from './invariant';
import type { DiscountPicture, Picture } from './picture';

export const redemptionsAreLimited: Invariant = {
  id: 'I3',
  title: 'redemptions ≤ maximum, one for each session or subscription',
  examine: (picture) => {
    if (picture.sessions === undefined) return undefined;
    return examineEach(picture.discounts, (discount) => redemptionProblems(discount, picture));
  },
};

function redemptionProblems(
  { id, maxRedemptions, redemptionCount }: DiscountPicture,
  { sessions = [], subscriptions }: Picture,
): (string | false)[] {
  const ofSessions = new Set(sessions.map(({ subscriptionId }) => subscriptionId));
  const holders = [
    ...sessions.filter(({ discountId, status }) => discountId === id && status !== 'EXPIRED'),
    // One that a session made shares its redemption.
    ...subscriptions.filter((one) => one.discountId === id && !ofSessions.has(one.id)),
  ].length;
  return [
    maxRedemptions !== null &&
      redemptionCount > maxRedemptions &&
      `discount ${id}: ${String(redemptionCount)} redemptions of ${String(maxRedemptions)}`,
    redemptionCount !== holders &&
      `discount ${id}: ${String(redemptionCount)} redemptions for ${String(holders)} holders`,
  ];
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
    const outcomes = examineEach(sessions, ({ id, status, isOneTime, ...session }) => {
      const invoice = invoicesById.get(session.invoiceId ?? '');
      const isComplete = status === 'COMPLETE';
      const hasSubscription = subscriptionIds.has(session.subscriptionId ?? '');
      const expected = { OPEN: 'OPEN', COMPLETE: 'PAID', EXPIRED: 'VOID' }[status];
      return [
        (invoice?.status ?? 'VOID') !== expected &&
          `session ${id}: ${status} with an invoice ${invoice?.status ?? 'that is not there'}`,
        hasSubscription !== (isComplete && !isOneTime) &&
          `session ${id}: ${status} ${hasSubscription ? 'with' : 'without'} a subscription`,
        isComplete &&
          invoice !== undefined &&
          invoice.subscriptionId !== session.subscriptionId &&
          `session ${id}: its invoice is of another subscription`,
      ];
    });
    return together(outcomes, {
      examined: made.length,
      findings: [
        ...repeated(made).map(
          ([id, count]) => `subscription ${id} is that of ${String(count)} sessions`,
        ),
        ...invoices
          .filter((one) => one.billingReason === 'CHECKOUT' && !billed.has(one.id))
          .map(({ id }) => `invoice ${id} of a checkout belongs to no session`),
      ],
    });
  },
};
