import { DomainError } from '@billing/kernel/domain-error';
import type { CustomerName } from '../peer/customer-directory';

// Customers are cached for five seconds more. A deletion bills after 20 seconds what was accepted
// until then.
const knownForMsMax = 10_000;

/**
 * Refuses to acknowledge a slow batch if one of its customers was deleted since: the last bill of
 * the customer may lack its events. A batch whose customers were looked up a short time ago needs
 * no lookup.
 */
export async function requireKnown(
  customerIds: ReadonlySet<string>,
  {
    sinceMs,
    findCustomers,
  }: {
    /** Time since the batch looked its customers up. */
    readonly sinceMs: number;
    readonly findCustomers: (
      names: readonly CustomerName[],
    ) => Promise<ReadonlyMap<string, string>>;
  },
): Promise<void> {
  if (sinceMs <= knownForMsMax) return;
  const known = await findCustomers([...customerIds].map((value) => ({ kind: 'id', value })));
  if (known.size === customerIds.size) return;
  throw new DomainError('unavailable', 'CUSTOMER_DELETED', 'Service unavailable');
}
