import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { cancel, runningInvoice } from './cancellation';
import { voidInvoice } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import type { Subscription } from '../subscription/subscription';
import { decisionOn, type Subscriptions } from '../subscription-store';

// The gateway's deadline is 10 s. The answer must be sent before that.
const voidWithinMs = 8_000;

export interface CancellationDependencies {
  readonly subscriptions: Subscriptions;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A cancellation as requested by a caller. */
export interface CancellationRequest {
  readonly id: string;
  readonly atPeriodEnd: boolean;
}

/**
 * Cancels a subscription. When the subscription ends immediately, the call waits until the unpaid
 * invoice of its running period is void, at most 8 s. If checkout refuses or fails, the call does
 * not wait: the command `close` voids the invoice later.
 */
export async function cancelForCaller(
  { id, atPeriodEnd }: CancellationRequest,
  expected: { readonly expectedVersion?: number },
  context: CallContext,
  dependencies: CancellationDependencies,
): Promise<Stored<Subscription>> {
  const before = { isCanceled: false };
  const stored = await dependencies.subscriptions.change(
    id,
    context,
    (current, decision) => {
      before.isCanceled = current.status === 'CANCELED';
      return cancel(current, { ...decision, atPeriodEnd });
    },
    expected,
  );
  if (!before.isCanceled) await voidRunningInvoice(stored.state, context, dependencies);
  return stored;
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
