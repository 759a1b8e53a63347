import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { InvoiceRecord } from './invoice';

/**
 * Currency set by a customer's first invoice; undefined if there is none. A checkout session's
 * invoice counts once it is PAID, any other once it is created.
 */
export async function billedCurrency(
  customerId: string,
  invoices: Pick<ReturnType<AggregateCollection<InvoiceRecord>['within']>, 'list'>,
): Promise<string | undefined> {
  const customer = { isTombstone: false, customerId };
  // Two queries, because a single query with both conditions would not use the customer's index.
  const setters = [
    { ...customer, billingReason: { $ne: 'CHECKOUT' } },
    { ...customer, status: 'PAID' },
  ];
  const oldest = await Promise.all(
    setters.map((filter) => invoices.list({ filter, page: 1, perPage: 1, oldestFirst: true })),
  );
  const [first] = oldest
    .flatMap(({ data }) => data)
    .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  return first?.state.currency;
}
