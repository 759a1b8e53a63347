import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { notFound } from '@billing/kernel/domain-error';
import { only, unchanged } from '@billing/kernel/transition';
import {
  type ChangeDocument,
  fromDocumentChange,
  toDocumentChange,
} from '../storage/change-document';
import { erasedChange } from '../subscription/erased';
import {
  type ChangeStatus,
  findChange,
  pendingChange,
  type SubscriptionChange,
  type SubscriptionChanges,
} from '../subscription/subscription-change';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** A finished change of a subscription. */
export interface RecordedChange extends SubscriptionChange {
  readonly subscriptionId: string;
}

/** Finished changes as documents; only an erasure changes one. */
export const changeDefinition: AggregateDefinition<RecordedChange> = {
  collection: 'changes',
  aggregate: 'change',
  resource: 'Change',
  indexes: [{ name: 'subscription', keys: { subscriptionId: 1, askedAt: -1, _id: -1 } }],
  fixedFields: ['subscriptionId', 'status'],
  toDocument: ({ subscriptionId, ...change }) => {
    const { id: _id, createdAt, updatedAt, ...fields } = toDocumentChange(change);
    return { subscriptionId, ...fields, askedAt: createdAt, finishedAt: updatedAt };
  },
  fromDocument: (document) => {
    const {
      _id: id,
      subscriptionId,
      askedAt,
      finishedAt,
      ...fields
    } = document as unknown as {
      readonly _id: string;
      readonly subscriptionId: string;
      readonly askedAt: Date;
      readonly finishedAt: Date;
    } & Omit<ChangeDocument, 'id' | 'createdAt' | 'updatedAt'>;
    const change = { ...fields, id, createdAt: askedAt, updatedAt: finishedAt };
    return { ...fromDocumentChange(change), subscriptionId };
  },
};

/** The changes of subscriptions: those in their documents, and the recorded ones. */
export class Changes {
  constructor(private readonly records: AggregateCollection<RecordedChange>) {}

  /** Records a finished change; a repeat finds it recorded. */
  async record(change: RecordedChange, context: Context): Promise<void> {
    await this.records.within(context).insert(only(change));
  }

  /** Records the invoice that has billed the lines that a change has put off. */
  async recordBilledOn(id: string, billedOn: string, context: Context): Promise<void> {
    const records = this.records.within(context);
    // An end that gives lines back is no change.
    if ((await records.find(id)) === undefined) return;
    await records.mutate(id, (change) =>
      change.billedOn === billedOn ? unchanged(change) : only({ ...change, billedOn }),
    );
  }

  /** Removes the metadata of the recorded changes of a subscription. */
  async erase(subscriptionId: string, context: Context): Promise<void> {
    const records = this.records.within(context);
    for (const { state } of await records.listAll({ subscriptionId })) {
      await records.mutate(state.id, (change) => only(erasedChange(change)));
    }
  }

  /** Finds a change of a subscription. */
  async find(
    { id: subscriptionId, changes }: ChangeOwner,
    id: string,
    context: Context,
  ): Promise<SubscriptionChange | undefined> {
    const present = findChange(changes, id);
    if (present !== undefined) return present;
    const recorded = await this.records.within(context).find(id);
    return recorded?.state.subscriptionId === subscriptionId ? recorded.state : undefined;
  }

  /** Like `find`; throws not_found for an unknown change. */
  async get(owner: ChangeOwner, id: string, context: Context): Promise<SubscriptionChange> {
    const found = await this.find(owner, id, context);
    if (found === undefined) throw notFound('Change');
    return found;
  }

  /** All changes of some subscriptions by subscription, oldest first. */
  async listAll(
    owners: readonly ChangeOwner[],
    { tenant: { environmentId } }: Context,
  ): Promise<Map<string, SubscriptionChange[]>> {
    const subscriptionId = { $in: owners.map(({ id }) => id) };
    const { documents } = this.records;
    const found = await retryTransient(() =>
      documents.find({ environmentId, subscriptionId }).toArray(),
    );
    const recorded = Map.groupBy(
      found.map((document) => changeDefinition.fromDocument(document)),
      (change) => change.subscriptionId,
    );
    return new Map(
      owners.map(({ id, changes }) => {
        const unrecorded = unrecordedOf(changes);
        const ids = new Set(unrecorded.map((change) => change.id));
        const others = (recorded.get(id) ?? []).filter((change) => !ids.has(change.id));
        return [id, [...unrecorded, ...others].sort(byCreation)];
      }),
    );
  }

  /**
   * One page of the changes of a subscription and their exact count, newest first. The few changes
   * that are not recorded yet are merged in.
   */
  async list(
    { id: subscriptionId, changes }: ChangeOwner,
    { page, perPage, oldestFirst = false, status }: ChangePage,
    { tenant: { environmentId } }: Context,
  ): Promise<{ data: SubscriptionChange[]; total: number }> {
    const unrecorded = unrecordedOf(changes).filter(
      (change) => status === undefined || change.status === status,
    );
    const query = {
      ...{ environmentId, subscriptionId },
      ...(status !== undefined && { status }),
      ...(unrecorded.length > 0 && { _id: { $nin: unrecorded.map(({ id }) => id) } }),
    };
    const { documents } = this.records;
    const first = (page - 1) * perPage;
    const direction = oldestFirst ? 1 : -1;
    // At most all of the unrecorded changes come before the first one of the page.
    const skipped = Math.max(0, first - unrecorded.length);
    const [found, total] = await Promise.all([
      retryTransient(() =>
        documents
          .find(query)
          .sort({ askedAt: direction, _id: direction })
          .skip(skipped)
          .limit(first + perPage - skipped)
          .toArray(),
      ),
      retryTransient(() => documents.countDocuments(query)),
    ]);
    const recorded = found.map((document) => changeDefinition.fromDocument(document));
    const merged = [...unrecorded, ...recorded].sort((a, b) => direction * byCreation(a, b));
    return {
      data: merged.slice(first - skipped, first - skipped + perPage),
      total: unrecorded.length + total,
    };
  }
}

function unrecordedOf(changes: SubscriptionChanges): SubscriptionChange[] {
  return [pendingChange(changes), changes.waiting, ...changes.finished]
    .filter((change) => change !== null)
    .filter((change, index, all) => all.indexOf(change) === index);
}

function byCreation(a: SubscriptionChange, b: SubscriptionChange): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}

/** The subscription of changes. */
export interface ChangeOwner {
  readonly id: string;
  readonly changes: SubscriptionChanges;
}

export interface ChangePage {
  readonly page: number;
  readonly perPage: number;
  /** Newest first by default. */
  readonly oldestFirst?: boolean;
  /** Undefined: any. */
  readonly status: ChangeStatus | undefined;
}
