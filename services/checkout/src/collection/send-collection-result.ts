import type { CallContext } from '@billing/chassis/call-context';
import type { Logger } from '@billing/chassis/logging';
import { isNotFound } from '@billing/kernel/domain-error';
import type { ApplyCollectionResultRequest } from '@billing/proto/billing/subscription/v1/subscription';
import { collectionOutcomes } from '@billing/proto/values/subscription';
import { type InvoicePages, toProtoInvoice } from '../invoice/rpc';
import type { CollectionResult } from '../invoice/document/store';
import type { Peers } from '../peer/peers';

/** Sends a result to the subscription of its invoice. */
export async function notifySubscription(
  request: ApplyCollectionResultRequest,
  context: CallContext,
  { peers, logger }: { readonly peers: Peers; readonly logger: Logger },
): Promise<void> {
  try {
    await peers.subscription.applyCollectionResult(request, context);
  } catch (error) {
    // An invoice never outlives its subscription. The result stands for money and is retried
    // forever instead of dropped.
    if (isNotFound(error)) {
      const { subscriptionId, invoice } = request;
      logger.error(
        { err: error, subscriptionId, invoiceId: invoice?.id },
        'collection result not accepted: subscription not found',
      );
    }
    throw error;
  }
}

export function toProtoCollectionResult(
  result: CollectionResult,
  pages: InvoicePages,
): ApplyCollectionResultRequest {
  const { id, subscriptionId } = result.invoice.state;
  if (subscriptionId === undefined) throw new Error(`Invoice ${id} has no subscription`);
  return {
    subscriptionId,
    resultNumber: result.resultNumber,
    outcome: collectionOutcomes.valueOf(result.outcome),
    attempt: result.attempt,
    invoice: toProtoInvoice(result.invoice, pages),
    nextAttemptAt: result.nextAttemptAt,
  };
}
