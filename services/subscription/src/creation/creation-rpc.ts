import type { Stored } from '@billing/chassis/aggregate';
import {
  answerBy,
  type CallContext,
  mayHaveRun,
  newResourceId,
} from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId, newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { checkMetadata } from '@billing/chassis/request-fields';
import { invalidInput, unlessNotFound } from '@billing/kernel/domain-error';
import type {
  CreateFromCheckoutRequest,
  CreateSubscriptionRequest,
} from '@billing/proto/billing/subscription/v1/subscription';
import { fetchProduct, fromProtoPrice } from '../peer/catalog';
import { createFromCheckout, createSubscription, isSettled, type Purchase } from './creation';
import {
  checkCurrency,
  checkInput,
  checkQuantity,
  checkRepeat,
  inputText,
  type SubscriptionInput,
} from './input';
import { fetchCustomer, fixCurrency, fromProtoCustomer } from '../peer/customer';
import { fromProtoDiscount, reserveRedemption } from '../peer/discount';
import { billedCurrency } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import { recurringPrice, subscribablePrice } from '../subscription/product';
import type { Subscription } from '../subscription/subscription';
import {
  decisionOn,
  existingSubscription,
  isAbandoned,
  type Subscriptions,
} from '../subscription-store';

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
  request: CreateSubscriptionRequest,
  context: CallContext,
  dependencies: CreationDependencies,
): Promise<Stored<Subscription>> {
  const until = settleBy(context, dependencies.clock);
  const stored = await storeSubscription(fromProtoInput(request), context, dependencies);
  return awaitOutcome(stored, { until, context, dependencies });
}

/** Creates the subscription that a session sold. A retry finds the stored one. */
export async function createSold(
  request: CreateFromCheckoutRequest,
  context: CallContext,
  { subscriptions, peers }: Pick<CreationDependencies, 'subscriptions' | 'peers'>,
): Promise<Stored<Subscription>> {
  const { productId, completedAt: at } = request;
  const { set } = await peers.catalog.getMeterPrices({ productId, at }, context);
  const purchase = fromProtoPurchase(request, set);
  const { customer, price } = purchase;
  // A sold subscription keeps its currency, even if another one was fixed before.
  if (!customer.isCurrencyFixed) {
    const wanted = { id: customer.id, currency: price.currency };
    await unlessNotFound(fixCurrency(peers, wanted, context));
  }
  const transition = createFromCheckout(purchase);
  return subscriptions.insert(transition, context);
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
  const { discountId } = input;
  const { environmentId } = context.tenant;
  const fingerprint = derivedId(environmentId, inputText(input));
  const { id, earlier } = await findPlace(input, context, subscriptions);
  if (earlier?.state.fingerprint === fingerprint) return earlier;
  checkInput(input, { now: context.now, metadataProblems: checkMetadata(input.metadata) });
  if (earlier !== undefined) checkRepeat(earlier.state, { fingerprint });

  const offer = await fetchOffer(input, context, peers);
  const { customer, productName, price, meterPriceSet } = offer;
  const { productId } = input;
  const { currency } = price;
  // Follows every check that could refuse the creation: from here on a redemption is reserved until
  // the subscription is stored.
  const discount =
    discountId === null
      ? null
      : await reserveRedemption(
          peers,
          { subscriptionId: id, discountId, productId, currency },
          context,
        );
  const transition = createSubscription(input, {
    ...decisionOn(id, context.tenant, context.now),
    id,
    itemId: newId(),
    fingerprint,
    customer,
    productName,
    price,
    meterPriceSet,
    discount,
  });
  // Its first invoice follows immediately. Of two creations in different currencies one fixes the
  // customer's currency, and the other is refused.
  if (transition.state.periodIndex !== null && !customer.isCurrencyFixed) {
    const fixed = await fixCurrency(peers, { id: customer.id, currency }, context);
    checkCurrency(price, fixed.currency);
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

/** Reads the payer and the product; refuses what cannot be subscribed to. */
async function fetchOffer(input: SubscriptionInput, context: CallContext, peers: Peers) {
  const customer = await fetchCustomer(peers, input.customerId, context);
  const product = await fetchProduct(peers, input.productId, context);
  const price = subscribablePrice(product);
  checkQuantity(price, input.quantity);
  if (price.currency !== customer.currency) {
    checkCurrency(price, await billedCurrency(peers, customer, context));
  }
  return { customer, productName: product.name, price, meterPriceSet: product.meterPriceSet };
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

function settleBy(context: CallContext, clock: Clock): Date {
  return new Date(Math.min(clock.now().getTime() + settleWithinMs, answerBy(context).getTime()));
}

function fromProtoInput(request: CreateSubscriptionRequest): SubscriptionInput {
  const { customerId, productId, metadata, quantity } = request;
  return {
    customerId,
    productId,
    authorizedTransactionId: request.authorizedTransactionId ?? null,
    startAt: request.startAt ?? null,
    metadata: metadata ?? {},
    quantity: quantity ?? 1,
    discountId: request.discountId ?? null,
  };
}

function fromProtoPurchase(request: CreateFromCheckoutRequest, meterPriceSet: number): Purchase {
  const { id, productId, productName, quantity, metadata, discount, attempt } = request;
  const invoice = required('invoice', request.invoice);
  const price = recurringPrice(fromProtoPrice(required('price', request.price)));
  const completedAt = required('completedAt', request.completedAt);
  return {
    id,
    itemId: newId(),
    // A session sells one subscription: every call with its id asks for the same.
    fingerprint: id,
    customer: fromProtoCustomer(required('customer', request.customer)),
    productId,
    productName,
    price,
    meterPriceSet,
    quantity,
    metadata: metadata ?? {},
    discount: discount === undefined ? null : fromProtoDiscount(discount),
    completedAt,
    invoice: { id: invoice.id, form: invoice },
    attempt,
  };
}

function required<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw invalidInput({ [field]: ['Required'] });
  return value;
}
