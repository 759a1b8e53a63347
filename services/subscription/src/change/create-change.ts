import type { Stored } from '@billing/chassis/aggregate';
import {
  type CallContext,
  mayHaveRun,
  newResourceId,
  waitAtMost,
} from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { derivedId } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type ChangeRequest,
  checkChangeable,
  isStoredChange,
  requestChange,
} from '../lifecycle/apply-change';
import { decideAfterDueSteps } from '../lifecycle/renewals';
import { fetchTaxCategory } from '../peer/catalog';
import type { Peers } from '../peer/peers';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { mainItem, type Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import { type ChangeInput, resolveWanted } from './read-wanted-change';
import { type FactDependencies, fetchPeriodFacts } from './find-period-facts';
import { isStoredElseReleased, nextRound } from './find-reserved-change';
import type { Changes } from './change-store';
import { subscriptionDigest } from './subscription-digest';

const attemptsMax = 8;
const answerWithinMs = 8_000;

export interface ChangeDependencies extends FactDependencies {
  readonly changes: Changes;
  readonly peers: Peers;
  readonly logger: Logger;
}

/** A change and its subscription. */
export interface ChangedSubscription {
  readonly change: SubscriptionChange;
  readonly stored: Stored<Subscription>;
}

/** A call that asks for a change. */
export interface ChangeCall {
  readonly subscriptionId: string;
  readonly input: ChangeInput;
  readonly expectedVersion: number | undefined;
  /** What a preview has promised; undefined: the call names none. */
  readonly promised: Promised | undefined;
}

/** What a preview has promised. */
export interface Promised {
  readonly at: Date;
  /** Amount that the customer's balance pays. */
  readonly balanceApplied: bigint;
  /** Throws `preview_stale` if the change has another result. */
  readonly check: (
    request: ChangeRequest,
    subscription: Stored<Subscription>,
    customer: CustomerFacts | undefined,
  ) => Promise<void>;
}

/**
 * Stores a change and waits until it has an outcome, at most 8 s. A retry with the same idempotency
 * key finds the change of the first call.
 */
export async function change(
  call: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<ChangedSubscription> {
  const { subscriptions, changes, clock } = dependencies;
  const until = waitAtMost(answerWithinMs, context, clock.now());
  const id = newResourceId(context, 'change');
  const { subscriptionId } = call;
  const before = await subscriptions.get(subscriptionId, context);
  const earlier = mayHaveRun(context) ? await changes.find(before.state, id, context) : undefined;
  if (earlier === undefined) await storeChange(id, call, context, dependencies);
  const isReached = (current: Subscription) => current.changes.paying?.id !== id;
  const stored = await subscriptions.waitFor(subscriptionId, context, { isReached, until });
  return { change: await changes.get(stored.state, id, context), stored };
}

async function storeChange(
  changeId: string,
  call: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<void> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    try {
      if (await tryToStore(changeId, call, context, dependencies)) return;
    } catch (error) {
      throw call.promised === undefined ? error : asStale(error);
    }
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/** False if the subscription has moved since the facts were read. */
async function tryToStore(
  changeId: string,
  { subscriptionId, input, promised, expectedVersion }: ChangeCall,
  context: CallContext,
  dependencies: ChangeDependencies,
): Promise<boolean> {
  const { subscriptions, peers } = dependencies;
  const stored = await subscriptions.get(subscriptionId, context);
  const customer = await peers.customers.find(stored.state.customer.id, context);
  const asked = { stored, customer, input };
  const request = await requestFor(changeId, asked, context, dependencies);
  const round = promised === undefined ? null : nextRound(stored.state, changeId);
  const wanted = { ...request, balanceRound: round, instant: promised?.at ?? null };
  if (promised !== undefined) {
    await promised.check(wanted, stored, customer);
    await reserveBalance(wanted, { stored, balance: promised.balanceApplied }, context, peers);
  }
  const known = subscriptionDigest(stored.state);
  let isOutdated = false as boolean;
  try {
    await subscriptions.change(
      subscriptionId,
      context,
      (current, decision) =>
        decideAfterDueSteps(current, decision, (caughtUp) => {
          const isStored = isStoredChange(caughtUp.changes, changeId);
          isOutdated = !isStored && subscriptionDigest(caughtUp) !== known;
          if (isOutdated) throw factsOutdated();
          return requestChange(withCustomer(caughtUp, customer), wanted, decision);
        }),
      expectedVersion === undefined ? {} : { expectedVersion },
    );
    return true;
  } catch (error) {
    if (round !== null) {
      const reserved = { subscriptionId, changeId, round };
      if (await isStoredElseReleased(reserved, context, dependencies)) return true;
    }
    if (isOutdated) return false;
    throw error;
  }
}

/** Reads what a change needs to know; refuses what no state of the subscription allows. */
export async function requestFor(
  changeId: string,
  {
    stored,
    customer,
    input,
  }: {
    readonly stored: Stored<Subscription>;
    readonly customer: CustomerFacts | undefined;
    readonly input: ChangeInput;
  },
  context: CallContext,
  dependencies: Pick<ChangeDependencies, 'subscriptions' | 'peers' | 'clock'>,
): Promise<ChangeRequest> {
  const { state } = stored;
  const wanted = await resolveWanted(state, input, context, dependencies.peers);
  checkChangeable(state);
  const productId = wanted.product?.productId ?? mainItem(state).productId;
  const [facts, taxCategory] = await Promise.all([
    fetchPeriodFacts(stored, context, dependencies),
    fetchTaxCategory(dependencies.peers, productId, context),
  ]);
  return {
    changeId,
    wanted,
    at: input.at,
    requirePayment: input.requirePayment,
    metadata: input.metadata,
    invoiceId: derivedId(context.tenant.environmentId, state.id, 'change', changeId),
    balanceRound: null,
    instant: null,
    facts,
    taxFacts: { buyer: customer?.buyer ?? null, taxCategory: taxCategory ?? null },
  };
}

async function reserveBalance(
  { changeId, balanceRound, invoiceId }: ChangeRequest,
  { stored, balance }: { readonly stored: Stored<Subscription>; readonly balance: bigint },
  context: CallContext,
  { checkout }: Peers,
): Promise<void> {
  const { id: subscriptionId, customer, items } = stored.state;
  await checkout.reserveForChange(
    {
      changeId,
      round: balanceRound ?? 1,
      subscriptionId,
      customerId: customer.id,
      currency: items[0].price.currency,
      changeInvoiceId: invoiceId,
      credits: [],
      balance,
    },
    context,
  );
}

function factsOutdated(): DomainError {
  return new DomainError('unavailable', 'FACTS_OUTDATED', 'Service unavailable');
}

/** Refusal of a token whose preview does not hold any more. */
export function previewStale(names: readonly string[]): DomainError {
  const message = `Preview is stale: ${names.join(', ')}`;
  return new DomainError('failed_precondition', 'PREVIEW_STALE', message);
}

/** With a token, a refusal for the state of a fact is that of a stale preview. */
function asStale(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  if (error.reason === 'BALANCE_MOVED') return previewStale(['balance']);
  if (error.reason === 'PRODUCT_NOT_FOUND') return previewStale(['price']);
  const isOfState = error.kind === 'failed_precondition' && error.reason !== 'PREVIEW_STALE';
  return isOfState ? previewStale(['subscription']) : error;
}
