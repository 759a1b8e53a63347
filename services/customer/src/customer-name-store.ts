import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { decodeCustomer } from './customer-message';
import { customerDefinition, type CustomerDocument, externalIdKey } from './store';

type NameDocument = Pick<
  CustomerDocument,
  'externalId' | 'externalIdKey' | 'erasedAt' | 'erasedCustomer'
> & {
  readonly _id: string;
  readonly environmentId: string;
};

/** Known customer names: ids, and external ids with the id of their customer. */
export interface KnownNames {
  readonly ids: string[];
  readonly externalCustomers: { readonly externalId: string; readonly id: string }[];
}

/** Resolves any number of customer names with one query per kind of name. */
export class CustomerNameStore {
  private readonly customers: Collection<NameDocument>;

  constructor(db: Db) {
    this.customers = db.collection<NameDocument>(customerDefinition.collection);
  }

  async identify(
    tenant: Tenant,
    {
      ids,
      externalIds,
    }: { readonly ids: readonly string[]; readonly externalIds: readonly string[] },
  ): Promise<KnownNames> {
    const [byId, byExternalId] = await Promise.all([
      this.find(tenant, '_id', ids),
      this.find(tenant, 'externalIdKey', externalIds.map(externalIdKey)),
    ]);
    return {
      ids: byId.map(({ _id }) => _id),
      externalCustomers: byExternalId.flatMap(({ _id: id, externalId }) =>
        externalId === null ? [] : [{ externalId, id }],
      ),
    };
  }

  /** Real time of the latest deletion of a customer with an external id; undefined: none. */
  async freedAt(
    { environmentId }: Tenant,
    { externalId, after }: { readonly externalId: string; readonly after: Date },
  ): Promise<Date | undefined> {
    const deleted = await retryTransient(() =>
      this.customers
        .find({ environmentId, erasedAt: { $gt: after } })
        .project<Pick<CustomerDocument, 'erasedAt' | 'erasedCustomer'>>({
          erasedAt: 1,
          erasedCustomer: 1,
        })
        .toArray(),
    );
    const times = deleted.flatMap(({ erasedAt, erasedCustomer }) =>
      erasedAt && erasedCustomer && decodeCustomer(erasedCustomer).externalId === externalId
        ? [erasedAt.getTime()]
        : [],
    );
    return times.length === 0 ? undefined : new Date(Math.max(...times));
  }

  private async find(
    { environmentId }: Tenant,
    field: '_id' | 'externalIdKey',
    values: readonly string[],
  ): Promise<Pick<NameDocument, '_id' | 'externalId'>[]> {
    if (values.length === 0) return [];
    return retryTransient(() =>
      this.customers
        .find({ environmentId, [field]: { $in: [...values] }, erasedAt: null })
        .project<Pick<NameDocument, '_id' | 'externalId'>>({ externalId: 1 })
        .toArray(),
    );
  }
}
