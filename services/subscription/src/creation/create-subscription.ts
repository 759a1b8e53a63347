import type { Stored } from '@billing/chassis/aggregate';
import {
  type CallContext,
  mayHaveRun,
  newResourceId,
  waitAtMost,
} from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId, newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { checkMetadata } from '@billing/chassis/request-fields';
import { fetchNamedProduct, fetchProduct } from '../peer/catalog';
import { billedCurrency } from '../peer/checkout';
import { fetchCustomer, fixCurrency } from '../peer/customer';
import { reserveRedemption } from '../peer/discount';
import type { Peers } from '../peer/peers';
import {
  decisionOn,
  existingSubscription,
  isAbandoned,
  type Subscriptions,
} from '../subscription-store';
import type { DiscountSnapshot, Subscription } from '../subscription/subscription';
import { createSubscription, type Creation, isSettled } from './creation';
import {
  type CheckedInput,
  checkInput,
  checkRepeat,
  inputText,
  type SubscriptionInput,
} from './input';
import { checkCurrency, type Offer, type OfferedItem, offerOf, offersOf } from './offer';

// The gateway's deadline is 10 s; the answer with the state reached must be sent before that.
const settleWithinMs = 8_000;

export interface CreationDependencies {
  readonly subscriptions: Subscriptions;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the requested subscription, and waits for its first charge and authorization. */
export async function create(
  input: SubscriptionInput,
  context: CallContext,
  dependencies: CreationDependencies,
): Promise<Stored<Subscription>> {
  const until = waitAtMost(settleWithinMs, context, dependencies.clock.now());
  const stored = await storeSubscription(input, context, dependencies);
  return awaitOutcome(stored, { until, context, dependencies });
}

/**
 * Stores the requested subscription. An authorized payment derives its id, so a retry, also a
 * concurrent one, finds the subscription that the first call stored. The input was validated then
 * and might be refused by now.
 */
async function storeSubscription(
  input: SubscriptionInput,
  context: CallContext,
  { subscriptions, peers }: CreationDependencies,
): Promise<Stored<Subscription>> {
  const { environmentId } = context.tenant;
  const fingerprint = derivedId(environmentId, inputText(input));
  const { id, earlier } = await findPlace(input, context, subscriptions);
  if (earlier?.state.fingerprint === fingerprint) return earlier;
  const metadataProblems = checkMetadata(input.metadata);
  const checked = checkInput(input, { now: context.now, metadataProblems });
  if (earlier !== undefined) checkRepeat(earlier.state, { fingerprint });

  const offer = await fetchOffer(checked, context, peers);
  // Follows every check that could refuse the creation: from here on a redemption is reserved until
  // the subscription is stored.
  const discount = await reserveDiscount(id, { ...checked, ...offer }, context, peers);
  const { productId, quantity, ...facts } = offer;
  const transition = createSubscription(
    { ...checked, productId, quantity },
    {
      ...decisionOn(id, context.tenant, context.now),
      ...facts,
      ...{ id, fingerprint, discount },
    },
  );
  // Its first invoice follows immediately. Of two creations in different currencies one fixes the
  // customer's currency, and the other is refused.
  const { customer, price } = offer;
  if (transition.state.periodIndex !== null && !customer.isCurrencyFixed) {
    const wanted = { id: customer.id, currency: price.currency };
    const fixed = (await fixCurrency(peers, wanted, context)).currency;
    checkCurrency(price, fixed, currencyField(input));
  }
  const stored = await subscriptions.insert(transition, context);
  checkRepeat(stored.state, { fingerprint });
  return stored;
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

/** The payer, and the items at their present terms; the main one stands by its fields. */
type PurchaseFacts = Pick<Creation, 'customer' | 'itemId' | 'otherItems'> &
  Offer &
  Pick<OfferedItem, 'productId' | 'quantity'>;

/** Reads the payer and the products; refuses what cannot be subscribed to. */
async function fetchOffer(
  input: CheckedInput,
  context: CallContext,
  peers: Peers,
): Promise<PurchaseFacts> {
  const customer = await fetchCustomer(peers.customers, input.customerId, context);
  const [main, ...others] = await fetchItems(input, context, peers);
  if (main === undefined) throw new Error('A purchase has no items');
  if (main.price.currency !== customer.currency) {
    const billed = await billedCurrency(peers, customer, context);
    checkCurrency(main.price, billed, currencyField(input));
  }
  const itemId = newId();
  return {
    ...main,
    customer,
    itemId,
    otherItems: others.map((item) => ({ id: newId(), ...item })),
  };
}

async function fetchItems(
  { productId, quantity, items }: CheckedInput,
  context: CallContext,
  peers: Peers,
): Promise<ReturnType<typeof offersOf>> {
  if (items === null) {
    const offer = offerOf(await fetchProduct(peers, productId, context), quantity);
    return [{ productId, quantity, ...offer }];
  }
  const products = await Promise.all(items.map((item) => fetchNamedProduct(peers, item, context)));
  return offersOf(products, items);
}

function currencyField({ items }: Pick<SubscriptionInput, 'items'>): 'productId' | 'items' {
  return items === null ? 'productId' : 'items';
}

async function reserveDiscount(
  subscriptionId: string,
  { discountId, productId, otherItems, price }: PurchaseFacts & Pick<CheckedInput, 'discountId'>,
  context: CallContext,
  peers: Peers,
): Promise<DiscountSnapshot | null> {
  if (discountId === null) return null;
  const otherProductIds = otherItems.map((item) => item.productId);
  const { currency } = price;
  const wanted = { subscriptionId, discountId, productId, otherProductIds, currency };
  return reserveRedemption(peers, wanted, context);
}

/**
 * Waits for the first charge and authorization. The subscription is stored: after any later error
 * the answer is the known state.
 */
async function awaitOutcome(
  created: Stored<Subscription>,
  {
    until,
    context,
    dependencies: { subscriptions, logger },
  }: { until: Date; context: CallContext; dependencies: CreationDependencies },
): Promise<Stored<Subscription>> {
  try {
    return await subscriptions.waitFor(created.state.id, context, { isReached: isSettled, until });
  } catch (error) {
    const facts = { err: error, subscriptionId: created.state.id };
    logger.warn(facts, 'waiting for first invoice failed, returning subscription as stored');
    return created;
  }
}
