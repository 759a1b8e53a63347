import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { retryTransient } from '@billing/chassis/mongo';
import { customerDefinition, type CustomerDocument, externalIdKey } from './store';

type NameDocument = Pick<CustomerDocument, 'externalId' | 'externalIdKey' | 'erasedAt'> & {
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
