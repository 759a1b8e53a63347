import type { Document, MongoClient } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { sliceOf } from '@billing/chassis/slices';
import { type Documents, documentsOf, settled } from '../stage/floor-data';

const insertBatchSize = 500;

/**
 * Copies of a customer that the system has created, with its balance if it has one, directly in the
 * databases. Each is taken once.
 */
export class CustomerSeed {
  private readonly waiting: string[] = [];

  private constructor(
    private readonly customers: Documents,
    private readonly balances: Documents,
    private readonly template: Document,
    private readonly balance: Document | null,
  ) {}

  static async open(
    client: MongoClient,
    databaseOf: (service: string) => string,
    customerId: string,
  ): Promise<CustomerSeed> {
    const customers = documentsOf(client, databaseOf('customer'), 'customers');
    const balances = documentsOf(client, databaseOf('checkout'), 'balances');
    const template = await settled(customers, { _id: customerId });
    const balance = await balances.findOne({ customerId });
    return new CustomerSeed(customers, balances, template, balance);
  }

  /** Stores customers until `count` can be taken. */
  async store(count: number): Promise<void> {
    while (this.waiting.length < count) {
      const length = Math.min(insertBatchSize, count - this.waiting.length);
      const ids = Array.from({ length }, () => newId());
      const copies = ids.map((_id) => ({
        ...this.template,
        externalIdKey: `i:${_id}`,
        slice: sliceOf(_id),
        _id,
      }));
      await this.customers.insertMany(copies, { ordered: false });
      await this.storeBalances(ids);
      this.waiting.push(...ids);
    }
  }

  async take(count: number): Promise<string[]> {
    await this.store(count);
    return this.waiting.splice(0, count);
  }

  private async storeBalances(customerIds: readonly string[]): Promise<void> {
    const { balance } = this;
    if (balance === null) return;
    const environmentId = String(balance.environmentId);
    const copies = customerIds.map((customerId) => {
      const _id = `${environmentId}:${customerId}:${String(balance.currency)}`;
      return { ...balance, customerId, slice: sliceOf(_id), _id };
    });
    await this.balances.insertMany(copies, { ordered: false });
  }
}
