import {
  addMonths,
  type BillingInterval,
  periodContaining,
  trialEnd as endOfTrial,
} from '@billing/kernel/billing-period';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { refuseProblems, textProblems, wholeNumberProblems } from '@billing/kernel/input-problems';
import { created, type SubscriptionTransition } from './announcement';
import { type Decision, enterPeriod } from './billing';
import type {
  CollectionMethod,
  CustomerSnapshot,
  PriceSnapshot,
  Subscription,
  SubscriptionPhase,
} from './subscription';

const quantityMax = 1_000_000;
const authorizedTransactionIdLengthMax = 255;
const startBackMonthsMax = 12;
const startAheadMonthsMax = 60;

/** A subscription as it was asked for. */
export interface SubscriptionInput {
  readonly customerId: string;
  readonly productId: string;
  /** Null: the customer's saved method pays. */
  readonly authorizedTransactionId: string | null;
  /** Null: now. */
  readonly startAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly quantity: number;
}

/** What the customer's owner says of the payer. */
export interface CustomerFacts extends CustomerSnapshot {
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly collectionMethod: CollectionMethod;
}

/** What the product's owner says of the product. */
export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly price: Omit<PriceSnapshot, 'billingInterval'> & {
    readonly billingInterval: BillingInterval;
  };
}

/** What a creation is given beside its input. */
export interface Creation extends Decision {
  readonly id: string;
  readonly itemId: string;
  readonly fingerprint: string;
  readonly customer: CustomerFacts;
  readonly productName: string;
  readonly price: PriceSnapshot;
}

/** Refuses the input once, for everything that is wrong with it by itself; metadata is checked alike by all services. */
export function checkInput(
  input: SubscriptionInput,
  { now, metadataProblems }: { now: Date; metadataProblems: readonly string[] },
): void {
  const { customerId, productId, authorizedTransactionId, startAt, quantity } = input;
  refuseProblems({
    customerId: customerId === '' ? ['Required'] : [],
    productId: productId === '' ? ['Required'] : [],
    authorizedTransactionId:
      authorizedTransactionId === null
        ? []
        : textProblems(authorizedTransactionId, { min: 1, max: authorizedTransactionIdLengthMax }),
    startAt: startAt === null ? [] : startProblems(startAt, now),
    metadata: metadataProblems,
    quantity: wholeNumberProblems(quantity, { min: 1, max: quantityMax }),
  });
}

/** The price of a product that can be subscribed to. */
export function subscribablePrice({ active, price }: ProductFacts): PriceSnapshot {
  if (!active) throw notFound('Product');
  const { billingInterval } = price;
  if (billingInterval === 'ONE_TIME') {
    throw invalidInput({ productId: ['A one-time product cannot be subscribed to'] });
  }
  return { ...price, billingInterval };
}

/** A customer who has an invoice keeps its currency. */
export function checkCurrency(
  price: Pick<PriceSnapshot, 'currency'>,
  customer: Pick<CustomerFacts, 'currency'>,
  { hasInvoice }: { hasInvoice: boolean },
): void {
  if (!hasInvoice || price.currency === customer.currency) return;
  throw invalidInput({
    productId: [`Currency ${price.currency} differs from the customer's, ${customer.currency}`],
  });
}

/** The text that two inputs share exactly when they ask for the same. */
export function inputText(input: SubscriptionInput): string {
  const { customerId, productId, startAt, quantity } = input;
  const metadata = Object.entries(input.metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([customerId, productId, startAt, quantity, metadata]);
}

/** An authorised payment starts one subscription; asking for another one with it is refused. */
export function checkRepeat(
  existing: Pick<Subscription, 'fingerprint'>,
  { fingerprint }: Pick<Subscription, 'fingerprint'>,
): void {
  if (existing.fingerprint === fingerprint) return;
  throw invalidInput({
    authorizedTransactionId: ['Has already started a subscription with other input'],
  });
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

function startProblems(startAt: Date, now: Date): string[] {
  if (startAt < addMonths(now, -startBackMonthsMax)) {
    return ['Must be at most one year in the past'];
  }
  return startAt > addMonths(now, startAheadMonthsMax) ? ['Must be at most five years ahead'] : [];
}
