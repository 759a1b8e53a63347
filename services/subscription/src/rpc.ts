import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { checkMetadata } from '@billing/chassis/metadata';
import { readPage } from '@billing/chassis/page';
import { rpcService } from '@billing/chassis/rpc';
import { expectedVersionOf, maskedFields } from '@billing/chassis/update-mask';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type CreateSubscriptionRequest,
  type SubscriptionServiceServer,
  SubscriptionServiceService,
  type UpdateSubscriptionRequest,
} from '@billing/proto/billing/subscription/v1/subscription';
import { cancel, uncancel } from './cancellation';
import { changeFields, type SubscriptionChanges } from './change';
import { applyCollectionResult } from './collection';
import { createSubscription, isSettled } from './creation';
import {
  checkCurrency,
  checkInput,
  checkQuantity,
  checkRepeat,
  inputText,
  subscribablePrice,
  type SubscriptionInput,
} from './creation-input';
import { fromProtoCollectionResult } from './invoice-rpc';
import { customerHasInvoice, fetchCustomer, fetchProduct, type Peers } from './peers';
import { changeSubscription, decisionOn, subscriptionsWith } from './store';
import type { Subscription } from './subscription';
import { fromProtoStatus, toProtoSubscription } from './subscription-rpc';

// The gateway waits 10 s; an answer with the state reached must be on its way before that.
const settleWithinMs = 8_000;
const answerAheadMs = 500;

/** What the calls are answered from. */
export interface SubscriptionRpcParts {
  readonly subscriptions: AggregateCollection<Subscription>;
  readonly peers: Peers;
  readonly clock: Clock;
}

/** The service's calls. */
export function subscriptionRpc(parts: SubscriptionRpcParts) {
  const { subscriptions } = parts;
  return rpcService<SubscriptionServiceServer>(
    SubscriptionServiceService,
    {
      createSubscription: async (request, context) => {
        const until = answerBy(context, parts.clock);
        const stored = await create(fromProtoInput(request), context, parts);
        const settled = await settle(stored, { until, context, subscriptions });
        return { subscription: toProtoSubscription(settled) };
      },

      getSubscription: async ({ id }, context) => ({
        subscription: toProtoSubscription(await subscriptions.within(context).get(id)),
      }),

      listSubscriptions: async (request, context) => {
        const { customerId, productId, status } = request;
        const filter = subscriptionsWith({
          customerId,
          productId,
          status: status === undefined ? undefined : fromProtoStatus(status),
        });
        const { data, total } = await subscriptions
          .within(context)
          .list({ filter, ...readPage(request) });
        return { subscriptions: data.map(toProtoSubscription), total };
      },

      updateSubscription: async (request, context) => {
        const changes = fromProtoChanges(request);
        const metadataProblems = checkMetadata(changes.metadata);
        const stored = await changeSubscription(
          subscriptions,
          request.id,
          context,
          (current, decision) => changeFields(current, changes, { ...decision, metadataProblems }),
          expectedVersionOf(request),
        );
        return { subscription: toProtoSubscription(stored) };
      },

      cancelSubscription: async ({ id, atPeriodEnd, ...request }, context) => {
        const stored = await changeSubscription(
          subscriptions,
          id,
          context,
          (current, decision) => cancel(current, { ...decision, atPeriodEnd }),
          expectedVersionOf(request),
        );
        return { subscription: toProtoSubscription(stored) };
      },

      uncancelSubscription: async ({ id, ...request }, context) => {
        const expected = expectedVersionOf(request);
        const stored = await changeSubscription(subscriptions, id, context, uncancel, expected);
        return { subscription: toProtoSubscription(stored) };
      },

      applyCollectionResult: async (request, context) => {
        const result = fromProtoCollectionResult(request);
        await changeSubscription(
          subscriptions,
          request.subscriptionId,
          context,
          (current, decision) => applyCollectionResult(current, result, decision),
        );
        return {};
      },

      createFromCheckout: notReady,
      checkSubscriptionRedemption: notReady,
    },
    // Unlimited: calls that create subscriptions wait for it, and would else keep the service full.
    { unlimited: ['applyCollectionResult'] },
  );
}

/**
 * Stores the subscription that was asked for. An authorised payment derives its id, so a repeat, also one in parallel, finds what the
 * first call stored; what a repeat asks for was checked then, and may not be possible any more.
 */
async function create(
  input: SubscriptionInput,
  context: CallContext,
  { subscriptions, peers }: SubscriptionRpcParts,
): Promise<Stored<Subscription>> {
  const { authorizedTransactionId } = input;
  const { environmentId } = context.tenant;
  const id =
    authorizedTransactionId === null
      ? newResourceId(context, 'subscription')
      : derivedId(environmentId, 'authorized-transaction', authorizedTransactionId);
  const fingerprint = derivedId(environmentId, inputText(input));
  const store = subscriptions.within(context);

  const mayRepeat = authorizedTransactionId !== null || context.resourceSeed !== undefined;
  const earlier = mayRepeat ? await store.find(id) : undefined;
  if (earlier?.state.fingerprint === fingerprint) return earlier;
  checkInput(input, { now: context.now, metadataProblems: checkMetadata(input.metadata) });
  if (earlier !== undefined) checkRepeat(earlier.state, { fingerprint });

  const customer = await fetchCustomer(peers, input.customerId, context);
  const product = await fetchProduct(peers, input.productId, context);
  const price = subscribablePrice(product);
  checkQuantity(price, input.quantity);
  if (price.currency !== customer.currency) {
    const hasInvoice = await customerHasInvoice(peers, customer.id, context);
    checkCurrency(price, customer, { hasInvoice });
  }
  const transition = createSubscription(input, {
    ...decisionOn(id, context.tenant, context.now),
    id,
    itemId: derivedId(environmentId, id, 'item'),
    fingerprint,
    customer,
    productName: product.name,
    price,
  });
  const { stored } = await store.insert(transition);
  checkRepeat(stored.state, { fingerprint });
  return stored;
}

/** Waits for what creation began. The subscription is stored: when it cannot be read for a while, the state known is the answer. */
async function settle(
  created: Stored<Subscription>,
  {
    until,
    context,
    subscriptions,
  }: {
    until: Date;
    context: CallContext;
    subscriptions: AggregateCollection<Subscription>;
  },
): Promise<Stored<Subscription>> {
  const isReached = ({ state }: Stored<Subscription>) => isSettled(state);
  try {
    return await subscriptions.waitFor(created.state.id, context, { isReached, until });
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'unavailable') return created;
    throw error;
  }
}

function answerBy({ deadline }: CallContext, clock: Clock): Date {
  return new Date(
    Math.min(clock.now().getTime() + settleWithinMs, deadline.getTime() - answerAheadMs),
  );
}

function fromProtoInput(request: CreateSubscriptionRequest): SubscriptionInput {
  const { customerId, productId, authorizedTransactionId, startAt, metadata, quantity } = request;
  return {
    customerId,
    productId,
    authorizedTransactionId: authorizedTransactionId ?? null,
    startAt: startAt ?? null,
    metadata: metadata ?? {},
    quantity: quantity ?? 1,
  };
}

function fromProtoChanges({
  metadata,
  updateMask,
}: UpdateSubscriptionRequest): SubscriptionChanges {
  return maskedFields({ metadata: metadata ?? {} }, updateMask);
}

function notReady(): Promise<never> {
  return Promise.reject(new DomainError('unavailable', 'NOT_READY', 'Service unavailable'));
}
