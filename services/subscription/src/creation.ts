import { periodContaining, trialEnd as endOfTrial } from '@billing/kernel/billing-period';
import { created, type SubscriptionTransition } from './announcement';
import { type Decision, enterPeriod } from './billing';
import type { CustomerFacts, SubscriptionInput } from './creation-input';
import type { PriceSnapshot, Subscription, SubscriptionPhase } from './subscription';

/** What a creation is given beside its input. */
export interface Creation extends Decision {
  readonly id: string;
  readonly itemId: string;
  readonly fingerprint: string;
  readonly customer: CustomerFacts;
  readonly productName: string;
  readonly price: PriceSnapshot;
}

/**
 * A new subscription. It begins in one of three ways: a start that lies ahead is waited for; a trial runs, free of charge, from the start;
 * else the period that contains `now` is billed at once, earlier ones never.
 *
 * Without an invoice now, the authorisation is turned into a saved method at once, because it might lapse until the first one.
 */
export function createSubscription(
  input: SubscriptionInput,
  creation: Creation,
): SubscriptionTransition {
  const { now, price, invoiceIdOf } = creation;
  const begun = begin(input, creation);
  if (begun.phase !== 'REGULAR') return resolvingAuthorization(begun);
  const { index } = periodContaining(begun.anchor, price, now);
  const { state, command } = enterPeriod(begun, index, {
    reason: 'SUBSCRIPTION_CREATE',
    authorizedTransactionId: begun.authorizedTransactionId,
    invoiceIdOf,
  });
  return { state, events: [created(state)], commands: [command] };
}

/** Where it stands before any period is billed. */
function begin(input: SubscriptionInput, creation: Creation): Subscription {
  const { id, itemId, fingerprint, customer, productName, price, now } = creation;
  const startAt = input.startAt ?? now;
  const trialEnd =
    price.trialDays === null || price.trialDays === 0 ? null : endOfTrial(startAt, price.trialDays);
  return {
    id,
    itemId,
    fingerprint,
    customer: { id: customer.id, email: customer.email, name: customer.name },
    collectionMethod: customer.collectionMethod,
    productId: input.productId,
    productName,
    price,
    quantity: input.quantity,
    authorizedTransactionId: input.authorizedTransactionId,
    isAuthorizing: false,
    metadata: input.metadata,
    status: 'ACTIVE',
    phase: phaseAt(now, { startAt, trialEnd }),
    startAt,
    trialStart: trialEnd === null ? null : startAt,
    trialEnd,
    anchor: trialEnd ?? startAt,
    periodIndex: null,
    cancelAtPeriodEnd: false,
    canceledAt: null,
    endedAt: null,
    cancelReason: null,
    openInvoices: [],
    latestInvoice: null,
  };
}

function phaseAt(
  now: Date,
  { startAt, trialEnd }: { startAt: Date; trialEnd: Date | null },
): SubscriptionPhase {
  if (startAt > now) return 'SCHEDULED';
  return trialEnd !== null && trialEnd > now ? 'TRIAL' : 'REGULAR';
}

function resolvingAuthorization(subscription: Subscription): SubscriptionTransition {
  const { authorizedTransactionId } = subscription;
  if (authorizedTransactionId === null) {
    return { state: subscription, events: [created(subscription)], commands: [] };
  }
  const state: Subscription = { ...subscription, isAuthorizing: true };
  return {
    state,
    events: [created(state)],
    commands: [{ type: 'resolveAuthorization', payload: { authorizedTransactionId } }],
  };
}

/** The saved method stands behind the customer now. */
export function authorizationResolved(subscription: Subscription): Subscription {
  return subscription.isAuthorizing ? { ...subscription, isAuthorizing: false } : subscription;
}

/** Whether nothing that creation began is under way any more, as far as it goes by itself. */
export function isSettled({ status, isAuthorizing, openInvoices }: Subscription): boolean {
  return status === 'CANCELED' || !(isAuthorizing || openInvoices.some((one) => one.isSettling));
}
