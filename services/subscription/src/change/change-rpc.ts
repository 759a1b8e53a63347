import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { readPage, expectedVersionOf } from '@billing/chassis/request-fields';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import {
  type ChangeServiceServer,
  ChangeServiceService,
} from '@billing/proto/billing/subscription/v1/change_service';
import { changeStatuses } from '@billing/proto/values/subscription';
import { changeCallers } from '../peer/callers';
import { cancelChange } from '../lifecycle/apply-change';
import { decideAfterDueSteps } from '../lifecycle/due-steps';
import { toProtoChange } from '../message/subscription-message';
import { fromProtoCancellation, fromProtoChangeInput } from './change-message';
import { previewCancellation } from './describe-cancellation';
import { previewNextInvoice } from './describe-next-invoice';
import { previewChange, type PreviewDependencies, promiseOf } from './describe-change';
import { change, type ChangeCall, type Promised, readWanted } from './create-change';

/** The calls that change the items of subscriptions. */
export function changeRpc(
  dependencies: PreviewDependencies,
  purchases: Pick<AsyncHandlers<ChangeServiceServer>, 'previewPurchase'>,
) {
  const { subscriptions, changes } = dependencies;
  return rpcService<ChangeServiceServer>(
    ChangeServiceService,
    {
      createChange: async (request, context) => {
        const { subscriptionId, metadata } = request;
        const input = fromProtoChangeInput(request.change, { metadata, now: context.now });
        const { expectedVersion } = expectedVersionOf(request);
        const { previewToken: token } = request;
        const asked = { subscriptionId, input };
        const promised =
          token === undefined ? undefined : await promisedBy(token, asked, context, dependencies);
        const call = { ...asked, expectedVersion, promised };
        const changed = await change(call, context, dependencies);
        return { change: toProtoChange(changed.change, changed.stored.state) };
      },

      getChange: async ({ subscriptionId, id }, context) => {
        const { state } = await subscriptions.get(subscriptionId, context);
        return { change: toProtoChange(await changes.get(state, id, context), state) };
      },

      listChanges: async ({ subscriptionId, status, ...request }, context) => {
        const { state } = await subscriptions.get(subscriptionId, context);
        const named = status === undefined ? undefined : changeStatuses.knownName(status);
        if (status !== undefined && named === undefined) {
          throw invalidInput({ status: ['Invalid status'] });
        }
        const listed = { ...readPage(request), status: named };
        const { data, total } = await changes.list(state, listed, context);
        return { changes: data.map((one) => toProtoChange(one, state)), total };
      },

      previewChange: async ({ subscriptionId, ...request }, context) => {
        const asked = { metadata: undefined, now: context.now };
        const input = fromProtoChangeInput(request.change, asked);
        return previewChange({ subscriptionId, input }, context, dependencies);
      },

      previewCancellation: async ({ subscriptionId, ...request }, context) => {
        const input = fromProtoCancellation(request);
        return previewCancellation({ subscriptionId, input }, context, dependencies);
      },

      ...purchases,

      previewNextInvoice: ({ subscriptionId }, context) =>
        previewNextInvoice(subscriptionId, context, dependencies),

      cancelChange: async ({ subscriptionId, id }, context) => {
        const before = await subscriptions.get(subscriptionId, context);
        await changes.get(before.state, id, context);
        const { state } = await subscriptions.change(subscriptionId, context, (current, decision) =>
          decideAfterDueSteps(current, decision, (caughtUp) =>
            cancelChange(caughtUp, id, decision.now),
          ),
        );
        const { status } = await changes.get(state, id, context);
        if (status !== 'CANCELED') throw notPending();
        return {};
      },
    },
    { callers: changeCallers },
  );
}

/** Reads a token; an unknown subscription, and all other inputs, are refused before a token is. */
async function promisedBy(
  token: string,
  asked: Pick<ChangeCall, 'subscriptionId' | 'input'>,
  context: CallContext,
  dependencies: PreviewDependencies,
): Promise<Promised> {
  try {
    return await promiseOf(token, asked, context, dependencies);
  } catch (error) {
    const stored = await dependencies.subscriptions.get(asked.subscriptionId, context);
    await readWanted(newId(), { stored, input: asked.input }, context, dependencies);
    throw error;
  }
}

function notPending(): DomainError {
  const message = 'Change is no longer pending';
  return new DomainError('failed_precondition', 'CHANGE_NOT_PENDING', message);
}
