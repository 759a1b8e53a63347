import type { Stored } from '@billing/chassis/aggregate';
import {
  type CallContext,
  mayHaveRun,
  newResourceId,
  waitAtMost,
} from '@billing/chassis/call-context';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { checkMetadata } from '@billing/chassis/request-fields';
import { isRefusal } from '@billing/kernel/domain-error';
import { fixCurrency } from '../peer/customer';
import { reserveRedemption } from '../peer/discount';
import type { Peers } from '../peer/peers';
import {
  decisionOn,
  existingSubscription,
  isAbandoned,
  type Subscriptions,
} from '../storage/subscription-store';
import type { DiscountSnapshot, Subscription } from '../subscription/subscription';
import { createSubscription, isSettled } from './creation';
import { asStalePurchase, type PromisedPurchase } from './describe-purchase';
import { currencyField, fetchOffer, type PurchaseFacts } from './find-offer';
import {
  type CheckedInput,
  checkInput,
  checkRepeat,
  inputText,
  type SubscriptionInput,
} from './input';
import { checkCurrency } from './offer';
import { checkTaxedTotal } from './read-purchase';
import { releaseUnused, reserveBalance } from './reserve-balance';

// The gateway's deadline is 10 s; the answer with the state reached must be sent before that.
const settleWithinMs = 8_000;

export interface CreationDependencies {
  readonly subscriptions: Subscriptions;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A call that creates a subscription. */
interface CreationCall {
  readonly input: SubscriptionInput;
  /** Promise of a preview; undefined: the call names none. */
  readonly promised: PromisedPurchase | undefined;
}

/** Creates the requested subscription, and waits for its first charge and authorization. */
export async function create(
  call: CreationCall,
  context: CallContext,
  dependencies: CreationDependencies,
): Promise<Stored<Subscription>> {
  const until = waitAtMost(settleWithinMs, context, dependencies.clock.now());
  const stored = await storeSubscription(call, context, dependencies);
  return awaitOutcome(stored, { until, context, dependencies });
}

/**
 * Stores the requested subscription. An authorized payment derives its id, so a retry, also a
 * concurrent one, finds the subscription that the first call stored. The input was validated then
 * and might be refused by now.
 */
async function storeSubscription(
  { input, promised }: CreationCall,
  context: CallContext,
  dependencies: CreationDependencies,
): Promise<Stored<Subscription>> {
  const { environmentId } = context.tenant;
  const fingerprint = derivedId(environmentId, inputText(input));
  const { id, earlier } = await findPlace(input, context, dependencies.subscriptions);
  if (earlier?.state.fingerprint === fingerprint) return earlier;
  const metadataProblems = checkMetadata(input.metadata);
  const checked = checkInput(input, { now: promised?.at ?? context.now, metadataProblems });
  if (earlier !== undefined) checkRepeat(earlier.state, { fingerprint });
  const place: Place = { id, fingerprint, mayHaveReserved: false };
  if (promised === undefined) return insert(place, { checked, promised }, context, dependencies);
  try {
    return await insert(place, { checked, promised }, context, dependencies);
  } catch (error) {
    const stored = await storedElseReleased(place, checked, context, dependencies);
    if (stored?.state.fingerprint === fingerprint) return stored;
    throw await asStalePurchase(error, checked, promised);
  }
}

/** The id of a creation, and what happened under it. */
interface Place {
  readonly id: string;
  readonly fingerprint: string;
  /** True once something may be reserved under the id. */
  mayHaveReserved: boolean;
}

/** Stores a creation; everything that could refuse it comes before the first reservation. */
async function insert(
  place: Place,
  { checked, promised }: Pick<CreationCall, 'promised'> & { readonly checked: CheckedInput },
  context: CallContext,
  { subscriptions, peers }: CreationDependencies,
): Promise<Stored<Subscription>> {
  const { id, fingerprint } = place;
  const offer = await fetchOffer(checked, context, peers);
  const at = promised?.at ?? context.now;
  await checkTaxedTotal(checked, { offer, at }, context, peers);
  await promised?.check(checked, { id, offer });
  // Discount, checkout and customer store before this service does: a creation that is too late is
  // refused before their writes.
  context.storing?.pass();
  // From here on a redemption is reserved until the subscription is stored.
  const discount = await reserveDiscount(place, { ...checked, ...offer }, context, peers);
  if (discount !== null) promised?.checkDiscount(discount);
  const { productId, quantity, ...facts } = offer;
  const isBalanceReserved = promised !== undefined && checked.authorizedTransactionId === null;
  const transition = createSubscription(
    { ...checked, productId, quantity },
    {
      ...decisionOn(id, context.tenant, at),
      ...facts,
      ...{ id, fingerprint, discount, isBalanceReserved },
    },
  );
  const { reservedInvoiceId: invoiceId, periodIndex } = transition.state;
  if (promised !== undefined && invoiceId !== undefined) {
    const { balanceApplied: balance } = promised;
    // Also after a refusal: the round is used up.
    place.mayHaveReserved = true;
    await reserveBalance(transition.state, { invoiceId, balance }, context, peers);
  }
  // Its first invoice follows immediately. Of two creations in different currencies one fixes the
  // customer's currency, and the other is refused.
  const { customer, price } = offer;
  if (periodIndex !== null && !customer.isCurrencyFixed) {
    const wanted = { id: customer.id, currency: price.currency };
    const fixed = (await fixCurrency(peers, wanted, context)).currency;
    checkCurrency(price, fixed, currencyField(checked));
  }
  // The other services may have needed the rest of the time.
  context.storing?.close();
  const stored = await subscriptions.insert(transition, context);
  checkRepeat(stored.state, { fingerprint });
  return stored;
}

/**
 * Returns the subscription if it is stored after all. Otherwise what the creation has reserved is
 * freed, and nothing will be stored under its id. An id without reservations stays free, also for a
 * concurrent call of the same request.
 */
async function storedElseReleased(
  { id: subscriptionId, mayHaveReserved }: Place,
  { discountId }: Pick<CheckedInput, 'discountId'>,
  context: CallContext,
  { subscriptions, peers, logger }: CreationDependencies,
): Promise<Stored<Subscription> | undefined> {
  if (!mayHaveReserved) {
    const found = await subscriptions.find(subscriptionId, context);
    return found === undefined || isAbandoned(found) ? undefined : existingSubscription(found);
  }
  // Also too late for the creation: what it has reserved must be freed.
  const ungated = { ...context, storing: undefined };
  const record = await subscriptions.preventCreation(subscriptionId, ungated);
  if (!record.isTombstone) return subscriptions.get(subscriptionId, context);
  await releaseUnused({ subscriptionId, discountId }, context, { peers, logger });
  return undefined;
}

/**
 * Finds the id under which the creation stores, and the record under it. An abandoned id is never
 * used again: the next id derives from it, the same for all later callers.
 */
async function findPlace(
  { authorizedTransactionId }: SubscriptionInput,
  context: CallContext,
  subscriptions: Subscriptions,
): Promise<{ id: string; earlier?: Stored<Subscription> }> {
  const { tenant } = context;
  const isRepeatable = authorizedTransactionId !== null || mayHaveRun(context);
  let id =
    authorizedTransactionId === null
      ? newResourceId(context, 'subscription')
      : derivedId(tenant.environmentId, 'authorized-transaction', authorizedTransactionId);
  if (!isRepeatable) return { id };
  for (;;) {
    const record = await subscriptions.find(id, context);
    if (record === undefined) return { id };
    if (!isAbandoned(record)) return { id, earlier: existingSubscription(record) };
    id = derivedId(tenant.environmentId, id, 'again');
  }
}

async function reserveDiscount(
  place: Place,
  { discountId, productId, otherItems, price }: PurchaseFacts & Pick<CheckedInput, 'discountId'>,
  context: CallContext,
  peers: Peers,
): Promise<DiscountSnapshot | null> {
  if (discountId === null) return null;
  const otherProductIds = otherItems.map((item) => item.productId);
  const { currency } = price;
  const bought = { productId, otherProductIds, currency };
  const wanted = { subscriptionId: place.id, discountId, ...bought };
  try {
    const discount = await reserveRedemption(peers, wanted, context);
    place.mayHaveReserved = true;
    return discount;
  } catch (error) {
    // A refusal reserves nothing.
    place.mayHaveReserved = !isRefusal(error);
    throw error;
  }
}

/**
 * Waits for the first charge and authorization. The subscription is stored: after any later error
 * the answer is the known state.
 */
function awaitOutcome(
  created: Stored<Subscription>,
  {
    until,
    context,
    dependencies: { subscriptions, logger },
  }: { until: Date; context: CallContext; dependencies: CreationDependencies },
): Promise<Stored<Subscription>> {
  const waited = subscriptions.waitFor(created.state.id, context, { isReached: isSettled, until });
  return elseAsWritten(created, waited, { logger, subscriptionId: created.state.id });
}
