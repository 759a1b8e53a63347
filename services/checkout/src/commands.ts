import type { CommandDelivery, CommandHandler } from '@billing/chassis/aggregate-collection';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type ApplyCollectionResultRequest,
  CollectionOutcome as ProtoCollectionOutcome,
} from '@billing/proto/billing/subscription/v1/subscription';
import type { CollectionOutcome } from './collection';
import type { CollectionWorker } from './collection-worker';
import { toProtoInvoice } from './invoice-rpc';
import type { Peers } from './peers';
import { type CollectionResult, type CollectionResultPayload, readCollectionResult } from './store';

const protoOutcome: Readonly<Record<CollectionOutcome, ProtoCollectionOutcome>> = {
  SUCCEEDED: ProtoCollectionOutcome.COLLECTION_OUTCOME_SUCCEEDED,
  FAILED: ProtoCollectionOutcome.COLLECTION_OUTCOME_FAILED,
  NOTHING_DUE: ProtoCollectionOutcome.COLLECTION_OUTCOME_NOTHING_DUE,
  VOIDED: ProtoCollectionOutcome.COLLECTION_OUTCOME_VOIDED,
};

/** What is done about the commands of an invoice. */
export function invoiceCommands({
  worker,
  peers,
  logger,
}: {
  worker: CollectionWorker;
  peers: Peers;
  logger: Logger;
}): Record<string, CommandHandler> {
  return {
    openInvoice: (_payload, { aggregateId, context }: CommandDelivery) =>
      worker.open(aggregateId, context),
    applyCollectionResult: async (
      payload: CollectionResultPayload,
      { context }: CommandDelivery,
    ) => {
      const request = toProtoCollectionResult(readCollectionResult(payload, context));
      try {
        await peers.subscription.applyCollectionResult(request, context);
      } catch (error) {
        // An invoice never outlives its subscription. The result is money and is repeated for ever rather than dropped.
        if (error instanceof DomainError && error.kind === 'not_found') {
          const { subscriptionId, invoice } = request;
          logger.error(
            { err: error, subscriptionId, invoiceId: invoice?.id },
            'result has no taker',
          );
        }
        throw error;
      }
    },
  };
}

function toProtoCollectionResult(result: CollectionResult): ApplyCollectionResultRequest {
  return {
    subscriptionId: result.invoice.state.subscriptionId,
    resultNumber: result.resultNumber,
    outcome: protoOutcome[result.outcome],
    attempt: result.attempt,
    invoice: toProtoInvoice(result.invoice),
    nextAttemptAt: undefined,
  };
}
