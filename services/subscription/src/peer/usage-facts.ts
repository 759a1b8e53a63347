import type { CallContext } from '@billing/chassis/call-context';
import type { TaxCategories } from '../subscription/command';
import type { CustomerFacts } from '../subscription/customer';
import type { Subscription } from '../subscription/subscription';
import type { UsageLine } from '../usage/usage-line';
import { fetchTaxCategories, withLineCategories } from './catalog';
import type { Peers } from './peers';

/** Present facts about customer and products for an invoice of usage. */
export interface UsageFacts {
  /** Undefined: unknown. */
  readonly customer: CustomerFacts | undefined;
  readonly taxCategories: TaxCategories;
}

/** Reads the facts for an invoice with these lines. */
export async function fetchUsageFacts(
  { customer: { id }, items }: Subscription,
  lines: readonly UsageLine[],
  context: CallContext,
  peers: Pick<Peers, 'customers' | 'products'>,
): Promise<UsageFacts> {
  const [customer, categories] = await Promise.all([
    peers.customers.find(id, context),
    fetchTaxCategories(peers, items, context),
  ]);
  const billed = { items, lines };
  return { customer, taxCategories: await withLineCategories(peers, categories, billed, context) };
}
