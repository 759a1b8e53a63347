import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { reassertChanged, type ScanDependencies } from '@billing/chassis/changed-aggregates';
import type { RecoveryContext, StepCounts } from '@billing/chassis/recovery';
import { addCounts } from '@billing/chassis/visit-all';
import { DomainError, isNotFound, unlessNotFound } from '@billing/kernel/domain-error';
import { notifySubscription, toProtoCollectionResult } from '../collection/send-collection-result';
import type { SentResult } from '../invoice/attempt';
import { resultCommand } from '../invoice/collection-result';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import type { InvoicePages } from '../invoice/rpc';
import { heldRedemption, holdCode, holdRedemption } from '../peer/discount';
import type { Peers } from '../peer/peers';
import { subscribe } from '../sales/commands';
import { productIdsOf, type Session, type SessionRecord } from '../sales/session';
import { knownResults } from './known-results';

/** Dependencies of doing again what sessions and invoices have done at others. */
export interface CheckoutReassertion extends ScanDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly pages: InvoicePages;
  readonly peers: Peers;
}

/**
 * Does again, after a restore, what the state of sessions and invoices says was done at others: it
 * is missing where their databases were put back to an earlier instant. Sessions come first,
 * because results are of subscriptions that sessions have created.
 */
export async function reassertCheckout(
  recovery: RecoveryContext,
  dependencies: CheckoutReassertion,
): Promise<StepCounts> {
  const { sessions, invoices } = dependencies;
  const counts: Record<string, number> = {};
  const reassertOne = async ({ state }: Stored<SessionRecord>, context: CallContext) => {
    if (!state.isTombstone) await reassertSession(state, context, dependencies);
    return {};
  };
  addCounts(counts, await reassertChanged(sessions, recovery, reassertOne, dependencies));
  const resendResults = (stored: Stored<InvoiceRecord>, context: CallContext) =>
    reassertResults(stored, context, dependencies);
  addCounts(counts, await reassertChanged(invoices, recovery, resendResults, dependencies));
  return counts;
}

async function reassertSession(
  session: Session,
  context: CallContext,
  dependencies: CheckoutReassertion,
): Promise<void> {
  const { peers } = dependencies;
  const { phase, isDelivered, subscriptionId, discountId, snapshots } = session;
  if (phase === 'READY' || phase === 'PAYING') await holdAgain(session, context, dependencies);
  // The commands of an end that is not delivered are in the outbox.
  if (!isDelivered) return;
  if (phase === 'EXPIRED' && discountId !== undefined) {
    await peers.discount.releaseRedemption(heldRedemption(session), context);
  }
  if (phase !== 'COMPLETE') return;
  if (subscriptionId !== undefined) await subscribe(session, context, dependencies);
  if (snapshots.discount === undefined || discountId === undefined) return;
  const held = heldRedemption(session);
  const confirm = () => unlessNotFound(peers.discount.confirmRedemption(held, context));
  if ((await confirm()) !== undefined) return;
  await holdAgain(session, context, dependencies);
  await confirm();
}

/** Holds a redemption that discount may have lost. If others have taken all since, they keep it. */
async function holdAgain(
  session: Session,
  context: CallContext,
  { peers }: Pick<CheckoutReassertion, 'peers'>,
): Promise<void> {
  const { id: sessionId, snapshots, discountId, codes, currency } = session;
  if (snapshots.discount === undefined || discountId === undefined) return;
  if (codes?.held === undefined) {
    await holdRedemption(peers, session, context);
    return;
  }
  const { holderId, round } = codes.held;
  const bought = { productIds: productIdsOf(session), currency };
  await holdCode(peers, { discountId, holderId, sessionId, round, ...bought }, context);
}

/** Sends the results of an invoice again, in their order; the subscription skips those it has. */
async function reassertResults(
  { state, ...stored }: Stored<InvoiceRecord>,
  context: CallContext,
  dependencies: CheckoutReassertion,
): Promise<StepCounts> {
  if (state.isTombstone || state.subscriptionId === undefined) return {};
  const invoice = { ...stored, state };
  const { results, isIncomplete } = knownResults(state);
  for (const [index, sent] of results.entries()) {
    const result = { ...sent, nextAttemptAt: sent.nextAttemptAt ?? undefined, invoice };
    const request = toProtoCollectionResult(result, dependencies.pages);
    try {
      await notifySubscription(request, context, dependencies);
    } catch (error) {
      // An operator decides about an invoice whose subscription is lost.
      if (isNotFound(error)) return { withoutSubscription: 1 };
      if (!isTooEarly(error)) throw error;
      await postpone(state, results.slice(index), context, dependencies);
      return { resultsPostponed: results.length - index };
    }
  }
  return {
    ...(results.length > 0 && { resultsSent: results.length }),
    ...(isIncomplete && { resultsUnknown: 1 }),
  };
}

/** Leaves results to the relay: the subscription has yet to enter their period again. */
async function postpone(
  { id }: Invoice,
  results: readonly SentResult[],
  context: CallContext,
  { invoices }: Pick<CheckoutReassertion, 'invoices'>,
): Promise<void> {
  await invoices.within(context).mutate(id, (state) => ({
    state,
    events: [],
    commands: results.map(resultCommand),
  }));
}

function isTooEarly(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'RESULT_TOO_EARLY';
}
