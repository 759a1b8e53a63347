import type { Db } from 'mongodb';
import {
  type EraseCustomerRequest,
  type ErasureServiceServer,
  ErasureServiceService,
  ErasureStep as ProtoErasureStep,
} from '@billing/proto/billing/erasure/v1/erasure';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import type { CallContext } from '../grpc/call-context';
import { erasureCallers } from '../grpc/callers';
import { type RpcDependencies, type RpcService, rpcService } from '../grpc/rpc';
import { blankEvents, eraseFailureTexts, listSubjects } from '../outbox/event-blanking';

/** Aggregates whose events are about customers. */
export interface CustomersAggregates {
  readonly collection: Pick<AggregateCollection<never>, 'documents'>;
  /** Filter of the documents of a customer; the environment is added. */
  readonly filterOf: (
    customerId: string,
    context: CallContext,
  ) => Readonly<Record<string, unknown>>;
}

/** Erases a service's data of a deleted customer. Each function may run again. */
export interface Erasing {
  /** Erases the stored data: at the deletion, and again once no earlier request runs any more. */
  readonly eraseData: (request: EraseCustomerRequest, context: CallContext) => Promise<void>;
  /** Ends what a request that ran at the deletion has created. Absent: there is nothing. */
  readonly endLateWrites?: (request: EraseCustomerRequest, context: CallContext) => Promise<void>;
  /** Erases what could be replayed until now. Absent: there is nothing. */
  readonly eraseReplayable?: (customerId: string, context: CallContext) => Promise<void>;
  /**
   * Aggregates whose events are blanked in the log of the service, and the texts of errors of their
   * commands erased. Absent: none.
   */
  readonly announcers?: readonly CustomersAggregates[];
}

/** The calls by which the personal data of a deleted customer is erased. */
export function erasureRpc(
  { db }: { readonly db: Db },
  { eraseData, endLateWrites, eraseReplayable, announcers = [] }: Erasing,
): (dependencies: RpcDependencies) => RpcService {
  const announcing = (customerId: string, context: CallContext) =>
    announcers.map(({ collection: { documents }, filterOf }) => {
      const { environmentId } = context.tenant;
      return { documents, filter: { ...filterOf(customerId, context), environmentId } };
    });
  return rpcService<ErasureServiceServer>(
    ErasureServiceService,
    {
      eraseCustomer: async (request, context) => {
        const { customerId, step } = request;
        if (step === ProtoErasureStep.ERASURE_STEP_LATE_WRITES) {
          await endLateWrites?.(request, context);
        }
        await eraseData(request, context);
        for (const found of announcing(customerId, context)) await eraseFailureTexts(db, found);
        if (step !== ProtoErasureStep.ERASURE_STEP_EVENTS) return {};
        for (const found of announcing(customerId, context)) await blankEvents(db, found);
        await eraseReplayable?.(customerId, context);
        return {};
      },
      listAnnouncedSubjects: async ({ customerId }, context) => {
        const lists = await Promise.all(announcing(customerId, context).map(listSubjects));
        return { subjects: lists.flat() };
      },
    },
    { callers: erasureCallers },
  );
}
