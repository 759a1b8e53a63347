import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import { notFound, unlessNotFound } from '@billing/kernel/domain-error';
import type { Peers } from './peers';
import { type CustomerName, nameKey } from './customer-directory';

/** Throws if the customer is unknown. */
export async function requireCustomer(
  peers: Pick<Peers, 'customer'>,
  id: string,
  context: CallContext,
): Promise<void> {
  const found = await findCustomer(peers, id, context);
  if (found === undefined) throw notFound('Customer');
}

/** Returns the id of a customer; undefined if unknown. */
async function findCustomer(
  { customer: customers }: Pick<Peers, 'customer'>,
  id: string,
  context: CallContext,
): Promise<string | undefined> {
  if (!isId(id)) return undefined;
  const found = await unlessNotFound(customers.getCustomer({ id }, context));
  return found?.customer?.id;
}

/** Returns the ids of known customers, by name key, with one call. */
export async function findCustomers(
  { customer: customers }: Pick<Peers, 'customer'>,
  names: readonly CustomerName[],
  context: CallContext,
): Promise<Map<string, string>> {
  const ids = names.filter(({ kind, value }) => kind === 'id' && isId(value));
  const externalIds = names.filter(({ kind }) => kind === 'externalId');
  if (ids.length + externalIds.length === 0) return new Map();
  const known = await customers.identifyCustomers(
    { ids: ids.map(({ value }) => value), externalIds: externalIds.map(({ value }) => value) },
    context,
  );
  const byId = known.ids.map((id) => [nameKey({ kind: 'id', value: id }), id] as const);
  const byExternalId = known.externalCustomers.map(
    ({ externalId, id }) => [nameKey({ kind: 'externalId', value: externalId }), id] as const,
  );
  return new Map([...byId, ...byExternalId]);
}
