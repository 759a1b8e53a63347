import { periodContaining, trialEnd as endOfTrial } from '@billing/kernel/billing-period';
import { enterPeriod } from '../lifecycle/billed-period';
import { withoutMissedWarning } from '../lifecycle/warnings';
import { created, type InvoiceForm, paymentSucceeded } from '../subscription/announcement';
import { type BillingCommand, type InvoiceFacts, taxCategoriesOf } from '../subscription/command';
import type { CustomerFacts } from '../subscription/customer';
import { takeDiscount } from '../subscription/discount';
import type {
  DiscountSnapshot,
  Subscription,
  SubscriptionItem,
  SubscriptionPhase,
} from '../subscription/subscription';
import type { Decision, SubscriptionTransition } from '../subscription/transition';
import { noChanges } from '../subscription/subscription-change';
import { noUsageBilling, type PeriodSets } from '../subscription/usage-billing';
import { pinRates } from '../usage/usage-period';
import type { CheckedInput } from './input';
import type { Offer, OfferedItem } from './offer';

/** Facts that a new subscription is created from; product, price and quantity of the main item. */
interface SubscriptionDependencies extends Offer {
  readonly id: string;
  readonly itemId: string;
  /** The other items, in their order. */
  readonly otherItems: readonly OfferedItem[];
  readonly fingerprint: string;
  readonly customer: CustomerFacts;
  /** The redeemed discount; null: none. */
  readonly discount: DiscountSnapshot | null;
  /** True: its first invoice takes what is reserved of the balance. Absent: false. */
  readonly isBalanceReserved?: boolean;
}

/** Facts of a creation in addition to its input. */
export type Creation = SubscriptionDependencies & Decision;

/**
 * Creates a subscription. It begins in one of three ways:
 * - A start in the future is waited for.
 * - A trial runs, free of charge, from the start.
 * - Otherwise the period that contains `now` is billed immediately, earlier ones never.
 *
 * Without an invoice now, the authorization is immediately turned into a saved method, because it
 * might lapse before the first invoice.
 */
export function createSubscription(
  input: CheckedInput,
  creation: Creation,
): SubscriptionTransition {
  const { now, price, invoiceIdOf, discount } = creation;
  const begun = begin(input, creation, now);
  // Last, because an outage of the discount service must not delay billing.
  const confirmation: BillingCommand[] =
    discount === null ? [] : [{ type: 'confirmRedemption', payload: { discountId: discount.id } }];
  if (begun.phase !== 'REGULAR') {
    const warned = withoutMissedWarning(undefined, begun, now);
    const { state, events, commands } = resolvingAuthorization(warned);
    return { state, events, commands: [...commands, ...confirmation] };
  }
  const { index } = periodContaining(begun.anchor, price, now);
  const rated = pinRates(begun, { periodIndex: index, ...setsOf(creation) });
  const { state: entered, command } = enterPeriod(rated, index, {
    reason: 'SUBSCRIPTION_CREATE',
    authorizedTransactionId: begun.authorizedTransactionId,
    invoiceIdOf,
    facts: factsOf(creation),
  });
  const { invoiceId } = command.payload;
  const state = withoutMissedWarning(
    undefined,
    { ...entered, ...(creation.isBalanceReserved === true && { reservedInvoiceId: invoiceId }) },
    now,
  );
  return { state, events: [created(state, invoiceId)], commands: [command, ...confirmation] };
}

function factsOf({
  customer: { buyer },
  taxCategory,
  otherItems,
}: Pick<Creation, 'customer' | 'taxCategory' | 'otherItems'>): InvoiceFacts | undefined {
  if (buyer === undefined) return undefined;
  const others = otherItems.map((item) => [item.productId, item.taxCategory ?? null] as const);
  return { buyer, ...taxCategoriesOf(taxCategory ?? null, others) };
}

function setsOf({
  meterPriceSet: set,
  otherItems,
}: Pick<Creation, 'meterPriceSet' | 'otherItems'>): PeriodSets {
  if (otherItems.length === 0) return { set };
  const others = otherItems.map((item) => ({
    productId: item.productId,
    set: item.meterPriceSet,
  }));
  return { set, others };
}

/** A purchase completed by a checkout session. */
export interface Purchase extends SubscriptionDependencies {
  readonly productId: string;
  readonly quantity: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Time of the payment or confirmation: the anchor, or the start of the trial. */
  readonly completedAt: Date;
  /** The session's invoice, PAID: that of period 0, or the trial's. */
  readonly invoice: { readonly id: string; readonly form: InvoiceForm };
  /** Number of the attempt that paid it, from 1; 0 where nothing was due. */
  readonly attempt: number;
  /** Environment time of the creation, later than the completion where checkout calls late. */
  readonly now: Date;
}

/**
 * Creates the subscription that a checkout session sold. Its invoice is paid: period 0 is never
 * billed again, and after a trial period 0 is billed like any other. The session redeemed the
 * discount, whose span begins with the session's invoice if that costs anything.
 */
export function createFromCheckout(purchase: Purchase): SubscriptionTransition {
  const { completedAt, invoice, attempt } = purchase;
  const origin = { ...purchase, startAt: completedAt, authorizedTransactionId: null };
  const begun = begin(origin, purchase, completedAt);
  const sold =
    begun.phase === 'TRIAL'
      ? { ...begun, latestInvoice: { id: invoice.id, periodIndex: null } }
      : takeDiscount(
          {
            ...pinRates(begun, { periodIndex: 0, ...setsOf(purchase) }),
            periodIndex: 0,
            latestInvoice: { id: invoice.id, periodIndex: 0 },
          },
          0,
        ).state;
  const state = withoutMissedWarning(undefined, sold, purchase.now);
  const payment = { invoice: invoice.form, attempt, nextAttemptAt: null };
  const events = [
    created(state, invoice.id),
    ...(attempt > 0 ? [paymentSucceeded(state, payment)] : []),
  ];
  return { state, events, commands: [] };
}

/** The request that a subscription originates from. */
type Origin = Pick<
  CheckedInput,
  'productId' | 'quantity' | 'metadata' | 'authorizedTransactionId' | 'startAt'
>;

/** The state of a subscription before any period is billed. */
function begin(origin: Origin, dependencies: SubscriptionDependencies, now: Date): Subscription {
  const { id, itemId, fingerprint, customer, productName, price, discount } = dependencies;
  const { otherItems } = dependencies;
  const { productId, quantity, metadata, authorizedTransactionId, startAt } = origin;
  const trialEnd =
    price.trialDays === null || price.trialDays === 0 ? null : endOfTrial(startAt, price.trialDays);
  return {
    isTombstone: false,
    id,
    fingerprint,
    customer: { id: customer.id, email: customer.email, name: customer.name },
    collectionMethod: customer.collectionMethod,
    items: [{ id: itemId, productId, productName, price, quantity }, ...otherItems.map(toItem)],
    discount: discount === null ? null : { ...discount, firstPeriodStart: null, holderId: null },
    authorizedTransactionId,
    isAuthorizing: false,
    metadata,
    status: 'ACTIVE',
    phase: phaseAt(now, { startAt, trialEnd }),
    startAt,
    trialStart: trialEnd === null ? null : startAt,
    trialEnd,
    anchor: trialEnd ?? startAt,
    cycles: [],
    periodIndex: null,
    ...{ pausedAt: null, resumeAt: null },
    cancelAtPeriodEnd: false,
    canceledAt: null,
    endedAt: null,
    endedBeforeStart: false,
    cancelReason: null,
    openInvoices: [],
    latestInvoice: null,
    warnedOf: null,
    usage: noUsageBilling,
    changes: noChanges,
  };
}

function toItem({ id, productId, productName, price, quantity }: OfferedItem): SubscriptionItem {
  return { id, productId, productName, price, quantity };
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

/** Records that the authorized method is saved for the customer. */
export function authorizationResolved(subscription: Subscription): Subscription {
  return subscription.isAuthorizing ? { ...subscription, isAuthorizing: false } : subscription;
}

/** True once the first charge and the authorization have an outcome. */
export function isSettled({ status, isAuthorizing, openInvoices }: Subscription): boolean {
  return status === 'CANCELED' || !(isAuthorizing || openInvoices.some((one) => one.isSettling));
}
