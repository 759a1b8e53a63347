import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, newResourceId, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { isStoredChange } from '../lifecycle/apply-change';
import { cancel, runningInvoice } from '../lifecycle/cancellation';
import { checkNotCanceled } from '../lifecycle/check-change';
import { voidInvoice } from '../peer/checkout';
import type { Subscription } from '../subscription/subscription';
import { decisionOn } from '../storage/subscription-store';
import {
  type CancellationInput,
  checkCancellation,
  planCancellation,
  promiseOfCancellation,
  type PromisedEnd,
} from './describe-cancellation';
import { type TokenDependencies } from '@billing/chassis/preview-promise';
import { staleInputOf } from './sign-preview';
import {
  caughtUp,
  creditsOf,
  decisionTime,
  type ReservedWriteDependencies,
  storeReserved,
  untilStored,
} from './reserve-and-store';

// The gateway's deadline is 10 s. The answer must be sent before that.
const voidWithinMs = 8_000;

export interface CancellationDependencies extends ReservedWriteDependencies, TokenDependencies {
  readonly clock: Clock;
}

/** A cancellation as requested by a caller. */
export interface CancellationRequest {
  readonly subscriptionId: string;
  readonly input: CancellationInput;
  /** Token of a preview; undefined: none. */
  readonly previewToken: string | undefined;
  readonly expectedVersion: number | undefined;
}

/**
 * Cancels a subscription. When the subscription ends immediately, the call waits until the unpaid
 * invoice of its running period is void, at most 8 s. If checkout refuses or fails, the call does
 * not wait: the command `close` voids the invoice later.
 */
export async function cancelForCaller(
  request: CancellationRequest,
  context: CallContext,
  dependencies: CancellationDependencies,
): Promise<Stored<Subscription>> {
  const { subscriptionId, input, previewToken } = request;
  const isPlain = input.proration === 'NONE' && previewToken === undefined;
  if (isPlain) return cancelPlainly(request, context, dependencies);
  // An unknown subscription is refused before the input and the token are.
  await dependencies.subscriptions.get(subscriptionId, context);
  checkCancellation(input);
  return cancelWithCredits(request, context, dependencies);
}

async function cancelPlainly(
  { subscriptionId, input: { atPeriodEnd }, expectedVersion }: CancellationRequest,
  context: CallContext,
  dependencies: CancellationDependencies,
): Promise<Stored<Subscription>> {
  const stored = await dependencies.subscriptions.change(
    subscriptionId,
    context,
    (current, decision) => cancel(current, { ...decision, atPeriodEnd }),
    expectedVersion === undefined ? {} : { expectedVersion },
  );
  await voidRunningInvoice(stored.state, context, dependencies);
  return stored;
}

/** A retry with the same idempotency key finds the cancellation of the first call. */
async function cancelWithCredits(
  request: CancellationRequest,
  context: CallContext,
  dependencies: CancellationDependencies,
): Promise<Stored<Subscription>> {
  const { previewToken } = request;
  const id = newResourceId(context, 'cancellation');
  const promised =
    previewToken === undefined
      ? undefined
      : await promiseOfCancellation(previewToken, request, context, dependencies);
  const attempt = { id, request, promised };
  try {
    const stored = await untilStored(() => tryToCancel(attempt, context, dependencies));
    await voidRunningInvoice(stored.state, context, dependencies);
    return stored;
  } catch (error) {
    const stale = promised === undefined ? undefined : staleInputOf(error);
    throw stale === undefined || promised === undefined ? error : await promised.refusedBy(stale);
  }
}

/** Undefined if the subscription or an invoice has moved since the facts were read. */
async function tryToCancel(
  {
    id,
    request: { subscriptionId, input, expectedVersion },
    promised,
  }: {
    readonly id: string;
    readonly request: CancellationRequest;
    readonly promised: PromisedEnd | undefined;
  },
  context: CallContext,
  dependencies: CancellationDependencies,
): Promise<Stored<Subscription> | undefined> {
  const stored = await caughtUp(subscriptionId, context, dependencies.subscriptions);
  const { state } = stored;
  const isStored = ({ changes }: Subscription) => isStoredChange(changes, id);
  if (isStored(state)) return stored;
  if (promised !== undefined) checkNotCanceled(state);
  if (state.status === 'CANCELED') return stored;
  const at = promised?.at ?? decisionTime(stored, context);
  const planned = await planCancellation(id, { stored, input, at }, context, dependencies);
  promised?.check(state, planned);
  const { call, credits } = planned;
  const { reservedRound: round, facts } = call;
  const reservation =
    round === null
      ? null
      : {
          ...{ round, credits: creditsOf(credits.kept), balance: undefined, redemption: null },
          // No invoice is made, and nothing is taken from the balance.
          invoiceId: derivedId(context.tenant.environmentId, subscriptionId, 'change', id),
        };
  return storeReserved(
    {
      ...{ id, stored, facts, reservation, isStored, expectedVersion },
      decide: (current, decision) =>
        cancel(current, { ...decision, atPeriodEnd: input.atPeriodEnd, call }),
    },
    context,
    dependencies,
  );
}

// The same step as the command's: the second of the two finds the invoice void.
async function voidRunningInvoice(
  subscription: Subscription,
  context: CallContext,
  { peers, clock, logger }: CancellationDependencies,
): Promise<void> {
  const { invoiceIdOf } = decisionOn(subscription.id, context.tenant, context.now);
  const invoice = runningInvoice(subscription, invoiceIdOf);
  if (invoice === undefined) return;
  const deadline = waitAtMost(voidWithinMs, context, clock.now());
  const limited: CallContext = { ...context, deadline };
  try {
    await voidInvoice(invoice.invoiceId, subscription, limited, peers);
  } catch (error) {
    // The end is stored, so the answer reports it. The command retries what this call could not
    // finish.
    const facts = { err: error, subscriptionId: subscription.id, invoiceId: invoice.invoiceId };
    logger.warn(facts, 'voiding invoice of cancellation failed, left to its command');
  }
}
