import { type AggregateDocument, type Stored, tenantOf } from '@billing/chassis/aggregate';
import type { CommandHandler } from '@billing/chassis/aggregate-collection';
import { type CallContext, workContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { blankEvents, eraseFailureTexts } from '@billing/chassis/event-blanking';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type { StepCounts } from '@billing/chassis/recovery';
import type { Service } from '@billing/chassis/service';
import type { Customer as ProtoCustomer } from '@billing/proto/billing/customer/v1/customer';
import { erasureSteps } from '@billing/proto/values/erasure';
import type { Customers } from './customer-store';
import { decodeCustomer } from './customer-message';
import type { Customer } from './customer';
import { begunOrders, continueErasure, type EraseCustomer, type ErasureStep } from './erasure';
import type { Peers } from './peers';
import type { PortalSessionStore } from './portal-session-store';

export interface ErasureDependencies {
  readonly customers: Customers;
  readonly sessions: Pick<PortalSessionStore, 'deleteOf'>;
  readonly peers: Pick<Peers, 'erasure'>;
  readonly service: Pick<Service, 'db'>;
  readonly clock: Clock;
  /** True for an environment whose data is being deleted. */
  readonly isDeleted: (environmentId: string) => boolean;
}

const batchMax = 100;

/** Takes the steps of erasures, in all environments, by real time. */
export class ErasureWorker {
  constructor(private readonly dependencies: ErasureDependencies) {}

  ensureIndexes(): Promise<void> {
    const { documents } = this.dependencies.customers.records;
    return ensureIndexes(documents, [{ name: 'eraseAt', key: { eraseAt: 1 } }]);
  }

  /** Begins the steps that are due. */
  async sweep(stopping: AbortSignal): Promise<void> {
    const { customers, clock, isDeleted } = this.dependencies;
    for (const document of await this.due()) {
      if (stopping.aborted) return;
      if (isDeleted(document.environmentId)) continue;
      const { _id: id, updatedAt: at } = document;
      const work = { at, clock, requestId: `${id}/erasure`, stopping };
      const context = workContext(tenantOf(document), work);
      await customers.decide(id, (customer) => continueErasure(customer, clock.now()), context);
    }
  }

  /** Handlers of the commands of a deleted customer. */
  commands(): Readonly<Record<EraseCustomer['type'], CommandHandler>> {
    const { peers } = this.dependencies;
    return {
      eraseCustomer: async (
        { service, step, customer, isFirst }: EraseCustomer['payload'],
        { aggregateId: customerId, context },
      ) => {
        const before = customer === null ? undefined : decodeCustomer(customer);
        if (isFirst) await this.eraseOwn(customerId, { step, before }, context);
        await peers.erasure[service].eraseCustomer(
          { customerId, step: erasureSteps.valueOf(step), customer: before },
          context,
        );
      },
    };
  }

  /** Takes the steps that have begun again, because a restore may have undone them elsewhere. */
  async reassert({ state }: Stored<Customer>, context: CallContext): Promise<StepCounts> {
    const ordered = begunOrders(state);
    const { eraseCustomer } = this.commands();
    for (const [index, { payload }] of ordered.entries()) {
      const delivery = { aggregateId: state.id, context, sequence: index + 1 };
      await eraseCustomer(payload as never, delivery);
    }
    return ordered.length === 0 ? {} : { erased: 1 };
  }

  private async eraseOwn(
    customerId: string,
    { step, before }: { readonly step: ErasureStep; readonly before: ProtoCustomer | undefined },
    context: CallContext,
  ): Promise<void> {
    const { customers, sessions } = this.dependencies;
    const { db } = this.dependencies.service;
    const { documents } = customers.records;
    const { environmentId } = context.tenant;
    const own = { documents, filter: { environmentId, _id: customerId } };
    if (step === 'EVENTS') await blankEvents(db, own);
    await eraseFailureTexts(db, own);
    await sessions.deleteOf(customerId, context.tenant);
    if (before !== undefined) await customers.releaseExternalId(before, context);
  }

  private due(): Promise<AggregateDocument[]> {
    const { customers, clock } = this.dependencies;
    const due = { eraseAt: { $gt: new Date(0), $lte: clock.now() } };
    return retryTransient(() =>
      customers.records.documents.find(due).sort({ eraseAt: 1 }).limit(batchMax).toArray(),
    );
  }
}
