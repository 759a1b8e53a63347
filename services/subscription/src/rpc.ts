import {
  checkMetadata,
  readPage,
  expectedVersionOf,
  maskedFields,
} from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import {
  type ApplyCollectionResultRequest,
  type SubscriptionPhase as ProtoPhase,
  type SubscriptionServiceServer,
  SubscriptionServiceService,
  type SubscriptionStatus as ProtoStatus,
  type UpdateSubscriptionRequest,
} from '@billing/proto/billing/subscription/v1/subscription';
import { billingReasons } from '@billing/proto/values/checkout';
import { redemptionStates } from '@billing/proto/values/discount';
import {
  collectionOutcomes,
  subscriptionPhases,
  subscriptionStatuses,
} from '@billing/proto/values/subscription';
import { type CancellationDependencies, cancelForCaller } from './change/cancel-subscription';
import { fromProtoCancellation } from './change/change-message';
import { checkChange } from './change/find-reserved-change';
import { subscriptionCallers } from './peer/callers';
import type { CreationDependencies } from './creation/create-subscription';
import { creationRpc } from './creation/rpc';
import { toProtoSubscription } from './message/subscription-message';
import {
  billEndedSubscriptions,
  type FinalBillDependencies,
} from './erasure/settle-ended-subscriptions';
import { uncancel } from './lifecycle/cancellation';
import { changeFields, type SubscriptionChanges } from './lifecycle/change';
import { applyCollectionResult, type CollectionResult } from './lifecycle/collection';
import { fromProtoCollectionMethod } from './peer/customer';
import { listUsagePeriods } from './report/list-usage-periods';
import type { SubscriptionPhase, SubscriptionStatus } from './subscription/subscription';
import { redemptionState } from './subscription/tombstone';

/** The service's calls. */
export function subscriptionRpc(
  dependencies: CreationDependencies & CancellationDependencies & FinalBillDependencies,
) {
  const { subscriptions } = dependencies;
  return rpcService<SubscriptionServiceServer>(
    SubscriptionServiceService,
    {
      ...creationRpc(dependencies),

      getSubscription: async ({ id }, context) => ({
        subscription: toProtoSubscription(await subscriptions.get(id, context)),
      }),

      listSubscriptions: async (request, context) => {
        const { customerId, customerIds, productId, status, phase, renewsBefore, ids } = request;
        const listed = {
          ids,
          customerId,
          customerIds,
          productId,
          status: status === undefined ? undefined : fromProtoStatus(status),
          phase: phase === undefined ? undefined : fromProtoPhase(phase),
          renewsBefore,
        };
        const { data, total } = await subscriptions.list(listed, readPage(request), context);
        return { subscriptions: data.map(toProtoSubscription), total };
      },

      updateSubscription: async (request, context) => {
        const changes = fromProtoChanges(request);
        const metadataProblems = checkMetadata(changes.metadata);
        const stored = await subscriptions.change(
          request.id,
          context,
          (current, decision) => changeFields(current, changes, { ...decision, metadataProblems }),
          expectedVersionOf(request),
        );
        return { subscription: toProtoSubscription(stored) };
      },

      cancelSubscription: async ({ id: subscriptionId, previewToken, ...request }, context) => {
        const input = fromProtoCancellation(request);
        const { expectedVersion } = expectedVersionOf(request);
        const asked = { subscriptionId, input, previewToken, expectedVersion };
        const stored = await cancelForCaller(asked, context, dependencies);
        return { subscription: toProtoSubscription(stored) };
      },

      uncancelSubscription: async ({ id, ...request }, context) => {
        const expected = expectedVersionOf(request);
        const stored = await subscriptions.change(id, context, uncancel, expected);
        return { subscription: toProtoSubscription(stored) };
      },

      applyCollectionResult: async (request, context) => {
        const result = fromProtoCollectionResult(request);
        await subscriptions.change(request.subscriptionId, context, (current, decision) =>
          applyCollectionResult(current, result, decision),
        );
        return {};
      },

      checkSubscriptionRedemption: async ({ subscriptionId, discountId }, context) => {
        const record = await subscriptions.preventCreation(subscriptionId, context);
        return { state: redemptionStates.valueOf(redemptionState(record, { discountId })) };
      },

      checkChange: (request, context) => checkChange(request, context, dependencies),

      listUsagePeriods: (request, context) => listUsagePeriods(request, context, dependencies),

      billEndedSubscriptions: async ({ customerId }, context) => {
        await billEndedSubscriptions(customerId, context, dependencies);
        return {};
      },
    },
    // Exempt from the limit: CreateSubscription blocks on ApplyCollectionResult, so limiting that
    // would deadlock under load; CreateFromCheckout serves a payer who has already paid.
    { unlimited: ['applyCollectionResult', 'createFromCheckout'], callers: subscriptionCallers },
  );
}

function fromProtoChanges({
  metadata,
  updateMask,
}: UpdateSubscriptionRequest): SubscriptionChanges {
  return maskedFields({ metadata: metadata ?? {} }, updateMask);
}

/** Maps the outcome of a payment attempt reported by checkout. */
function fromProtoCollectionResult(request: ApplyCollectionResultRequest): CollectionResult {
  const { invoice, resultNumber, attempt, nextAttemptAt } = request;
  const outcome = collectionOutcomes.knownName(request.outcome);
  if (invoice === undefined) throw invalidInput({ invoice: ['Required'] });
  if (outcome === undefined) throw invalidInput({ outcome: ['Required'] });
  const isOfRenewal = billingReasons.knownName(invoice.billingReason) === 'SUBSCRIPTION_CYCLE';
  return {
    invoiceId: invoice.id,
    resultNumber,
    outcome,
    collectionMethod: fromProtoCollectionMethod(invoice.collectionMethod),
    payment: { invoice, attempt, nextAttemptAt: nextAttemptAt ?? null },
    renewedAt: isOfRenewal ? invoice.periodStart : undefined,
    failure: invoice.lastPaymentError,
  };
}

/** Maps a status; refuses one that no subscription can have. */
function fromProtoStatus(sent: ProtoStatus): SubscriptionStatus {
  const known = subscriptionStatuses.knownName(sent);
  if (known === undefined) throw invalidInput({ status: ['Invalid status'] });
  return known;
}

/** Maps a phase; refuses one that no subscription can have. */
function fromProtoPhase(sent: ProtoPhase): SubscriptionPhase {
  const known = subscriptionPhases.knownName(sent);
  if (known === undefined) throw invalidInput({ phase: ['Invalid phase'] });
  return known;
}
