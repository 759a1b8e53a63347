import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type { Series } from './hour';

/** The fields of a series that lists read. */
export interface ListedSeries extends Series {
  readonly _id: string;
  readonly environmentId: string;
}

/** Series with usage, by customer and by meter. */
export class SeriesStore {
  private readonly series: Collection<ListedSeries>;

  constructor(db: Db) {
    this.series = db.collection('usageSeries');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.series, [
      { name: 'customer', key: { environmentId: 1, customerId: 1 } },
      { name: 'meter', key: { environmentId: 1, meterId: 1, customerId: 1 } },
    ]);
  }

  /** Ids of the meters that a customer has used. */
  async metersUsed(
    { environmentId }: Pick<Tenant, 'environmentId'>,
    customerId: string,
  ): Promise<string[]> {
    const found = await retryTransient(() =>
      this.series
        .find({ environmentId, customerId })
        .project<Pick<ListedSeries, 'meterId'>>({ meterId: 1 })
        .toArray(),
    );
    return [...new Set(found.map(({ meterId }) => meterId))];
  }

  /** Ids of the customers that have used a meter. */
  async customersOf(
    { environmentId }: Pick<Tenant, 'environmentId'>,
    meterId: string,
  ): Promise<string[]> {
    const found = await retryTransient(() =>
      this.series
        .find({ environmentId, meterId })
        .project<Pick<ListedSeries, 'customerId'>>({ customerId: 1 })
        .toArray(),
    );
    return [...new Set(found.map(({ customerId }) => customerId))];
  }
}
