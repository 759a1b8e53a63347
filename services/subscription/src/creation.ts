import { periodContaining, trialEnd as endOfTrial } from '@billing/kernel/billing-period';
import { created, paymentSucceeded, type SubscriptionTransition } from './announcement';
import type { InvoiceForm } from './announcement';
import { type BillingCommand, type Decision, enterPeriod } from './billing';
import type { CustomerFacts, SubscriptionInput } from './creation-input';
import { takeDiscount } from './discount';
import type {
  DiscountSnapshot,
  PriceSnapshot,
  Subscription,
  SubscriptionPhase,
} from './subscription';
import { noUsageBilling, pinRates } from './usage-period';

/** What a new subscription is made of, however it comes to be. */
export interface SubscriptionDependencies {
  readonly id: string;
  readonly itemId: string;
  readonly fingerprint: string;
  readonly customer: CustomerFacts;
  readonly productName: string;
  readonly price: PriceSnapshot;
  /** The number of the product's set of meter prices that is in force. */
  readonly meterPriceSet: number;
  /** What was redeemed for it; null: nothing. */
  readonly discount: DiscountSnapshot | null;
}

/** What a creation is given beside its input. */
export type Creation = SubscriptionDependencies & Decision;

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
  const { now, price, invoiceIdOf, discount } = creation;
  const begun = begin({ ...input, startAt: input.startAt ?? now }, creation, now);
  // Last, because a discount service that is away must not keep anybody from being billed.
  const confirmation: BillingCommand[] =
    discount === null ? [] : [{ type: 'confirmRedemption', payload: { discountId: discount.id } }];
  if (begun.phase !== 'REGULAR') {
    const { state, events, commands } = resolvingAuthorization(begun);
    return { state, events, commands: [...commands, ...confirmation] };
  }
  const { index } = periodContaining(begun.anchor, price, now);
  const rated = pinRates(begun, { periodIndex: index, set: creation.meterPriceSet });
  const { state, command } = enterPeriod(rated, index, {
    reason: 'SUBSCRIPTION_CREATE',
    authorizedTransactionId: begun.authorizedTransactionId,
    invoiceIdOf,
  });
  const { invoiceId } = command.payload;
  return { state, events: [created(state, invoiceId)], commands: [command, ...confirmation] };
}

/** What a checkout session sold. */
export interface Purchase extends SubscriptionDependencies {
  readonly productId: string;
  readonly quantity: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When the payer paid or confirmed: the anchor, or the start of the trial. */
  readonly completedAt: Date;
  /** The session's invoice, PAID: that of period 0, or the trial's. */
  readonly invoice: { readonly id: string; readonly form: InvoiceForm };
  /** Which attempt paid it, from 1; 0 where nothing was due. */
  readonly attempt: number;
}

/**
 * The subscription that a checkout session sold. Its invoice is paid: that of period 0 is never asked for again, and after a trial period 0
 * is billed like any other. Its discount was redeemed by the session and begins with the session's invoice, where that costs anything.
 */
export function createFromCheckout(purchase: Purchase): SubscriptionTransition {
  const { completedAt, invoice, attempt } = purchase;
  const origin = { ...purchase, startAt: completedAt, authorizedTransactionId: null };
  const begun = begin(origin, purchase, completedAt);
  const state =
    begun.phase === 'TRIAL'
      ? { ...begun, latestInvoice: { id: invoice.id, periodIndex: null } }
      : takeDiscount(
          {
            ...pinRates(begun, { periodIndex: 0, set: purchase.meterPriceSet }),
            periodIndex: 0,
            latestInvoice: { id: invoice.id, periodIndex: 0 },
          },
          0,
        ).state;
  const payment = { invoice: invoice.form, attempt, nextAttemptAt: null };
  return {
    state,
    events: [
      created(state, invoice.id),
      ...(attempt > 0 ? [paymentSucceeded(state, payment)] : []),
    ],
    commands: [],
  };
}

/** How it was asked for. */
interface Origin extends Pick<
  SubscriptionInput,
  'productId' | 'quantity' | 'metadata' | 'authorizedTransactionId'
> {
  readonly startAt: Date;
}

/** Where it stands before any period is billed. */
function begin(origin: Origin, dependencies: SubscriptionDependencies, now: Date): Subscription {
  const { id, itemId, fingerprint, customer, productName, price, discount } = dependencies;
  const { productId, quantity, metadata, authorizedTransactionId, startAt } = origin;
  const trialEnd =
    price.trialDays === null || price.trialDays === 0 ? null : endOfTrial(startAt, price.trialDays);
  return {
    isTombstone: false,
    id,
    itemId,
    fingerprint,
    customer: { id: customer.id, email: customer.email, name: customer.name },
    collectionMethod: customer.collectionMethod,
    productId,
    productName,
    price,
    quantity,
    discount: discount === null ? null : { ...discount, firstPeriodStart: null },
    authorizedTransactionId,
    isAuthorizing: false,
    metadata,
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
    endedBeforeStart: false,
    cancelReason: null,
    openInvoices: [],
    latestInvoice: null,
    usage: noUsageBilling,
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
    return { state: subscription, events: [created(subscription, null)], commands: [] };
  }
  const state: Subscription = { ...subscription, isAuthorizing: true };
  return {
    state,
    events: [created(state, null)],
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
