import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { isId } from '@billing/chassis/ids';
import type { AuditEntry } from '@billing/proto/billing/identity/v1/operator';
import { liveTenantOf } from '../../access/live-tenant';
import { tenantOf } from '../../access/environment';
import { bestEffort } from '../../peer/best-effort';
import type { Peers } from '../../peer/peers';
import type { OperatorDependencies, OperatorRequest } from '../route/route';

/** Names of resources, by id. */
type ResourceNames = ReadonlyMap<string, string>;

/** A page of entries of more environments names the resources of the first ones. */
const environmentsMax = 10;
const idsMax = 100;
const newest = { page: 1, perPage: idsMax } as const;
/** Log message of names that cannot be read. */
const failure = 'audit log without names';

const kinds = [
  'customer',
  'subscription',
  'product',
  'discount',
  'invoice',
  'webhook_endpoint',
] as const;
type Kind = (typeof kinds)[number];

/** Names of the resources that the entries concern, of those that can be read now. */
export async function auditNamesOf(
  entries: readonly AuditEntry[],
  { session, signedIn, call }: Pick<OperatorRequest, 'session' | 'signedIn' | 'call'>,
  { peers, operatorAccess, logger }: OperatorDependencies,
): Promise<ResourceNames> {
  const environmentIds = [...new Set(entries.flatMap(({ environmentId }) => environmentId ?? []))];
  const tenantBy = async (id: string, limit: Pick<CallContext, 'deadline'>) =>
    id === signedIn.liveEnvironmentId
      ? liveTenantOf(signedIn)
      : tenantOf(await operatorAccess.environment(session, id, { ...call, ...limit }));
  const named = await Promise.all(
    environmentIds.slice(0, environmentsMax).map((id) => {
      const wanted = entries
        .filter(({ environmentId }) => environmentId === id)
        .flatMap(referencesOf);
      const read = async (limit: Pick<CallContext, 'deadline'>) => {
        if (wanted.length === 0) return [];
        const tenant = await tenantBy(id, limit);
        const context = { ...call, ...limit, tenant, now: systemClock.now(), scopes: [] };
        return namesOf(wanted, { context, peers, logger });
      };
      return bestEffort(read, { call, logger, failure });
    }),
  );
  return new Map(named.flatMap((names) => names ?? []));
}

/** The names that an entry needs. */
export function namesIn(entry: AuditEntry, names: ResourceNames): Record<string, string> {
  return Object.fromEntries(
    referencesOf(entry).flatMap(({ id }) => {
      const name = names.get(id);
      return name === undefined ? [] : [[id, name]];
    }),
  );
}

interface Reference {
  readonly kind: Kind;
  readonly id: string;
}

/** Resources that an entry names by id alone: the target, and fields such as `productId`. */
function referencesOf({ target, changes }: AuditEntry): readonly Reference[] {
  return kinds.flatMap((kind) => {
    const noun = kind === 'webhook_endpoint' ? 'webhookEndpoint' : kind;
    const own = target?.type === kind && target.name === undefined ? [target.id] : [];
    const values = changes
      .filter(({ field }) => field === `${noun}Id` || field === `${noun}Ids`)
      .flatMap(({ fromJson, toJson }) => [fromJson, toJson])
      .flatMap((json) => (json === undefined ? [] : [JSON.parse(json) as unknown]))
      .flat();
    const ids = [...own, ...values].filter((id) => typeof id === 'string').filter(isId);
    return ids.map((id) => ({ kind, id }));
  });
}

type Names = readonly (readonly [string, string])[];

/** Names that a service cannot tell now are left out, those of the others stay. */
async function namesOf(
  wanted: readonly Reference[],
  {
    context,
    peers,
    logger,
  }: Pick<OperatorDependencies, 'peers' | 'logger'> & { context: CallContext },
): Promise<Names> {
  const idsOf = (kind: Kind) => wanted.filter((one) => one.kind === kind).map(({ id }) => id);
  const readers = readersOf(context, peers);
  const readAny = async <T>(
    ids: readonly string[],
    read: (ids: readonly string[]) => Promise<readonly T[]>,
  ): Promise<readonly T[]> => {
    const different = [...new Set(ids)].slice(0, idsMax);
    if (different.length === 0) return [];
    return (await bestEffort(() => read(different), { call: context, logger, failure })) ?? [];
  };
  const subscriptions = await readAny(idsOf('subscription'), readers.subscriptions);
  const customerIds = subscriptions.map(({ customerId }) => customerId);
  const productIds = subscriptions.map(({ productId }) => productId);
  const [customers, products, discounts, invoices, endpoints] = await Promise.all([
    readAny([...idsOf('customer'), ...customerIds], readers.customers),
    readAny([...idsOf('product'), ...productIds], readers.products),
    readAny(idsOf('discount'), readers.discounts),
    readAny(idsOf('invoice'), readers.invoices),
    readAny(idsOf('webhook_endpoint'), readers.endpoints),
  ]);
  const customerNames = new Map(customers.map(({ id, name, email }) => [id, name ?? email]));
  const productNames = new Map(products.map(({ id, name }) => [id, name]));
  const named: Names = [
    ...customerNames,
    ...productNames,
    ...discounts.map(({ id, name }) => [id, name] as const),
    ...invoices.map(({ id, number = '' }) => [id, number] as const),
    ...endpoints.map(({ id, url }) => [id, url] as const),
    ...subscriptions.map(({ id, customerId, productId }) => {
      const parts = [productNames.get(productId) ?? '', customerNames.get(customerId) ?? ''];
      return [id, parts.filter((name) => name !== '').join(' of ')] as const;
    }),
  ];
  // Drafts have no number, deleted customers no name.
  return named.filter(([, name]) => name !== '');
}

function readersOf(context: CallContext, peers: Peers) {
  const of = (list: readonly string[]) => ({ ...newest, ids: { ids: [...list] } });
  const any = { active: undefined, customerId: undefined, status: undefined };
  const ofAnyPlan = { ...any, productId: undefined, phase: undefined, renewsBefore: undefined };
  return {
    customers: async (ids: readonly string[]) =>
      (await peers.customer.getCustomers({ ids: [...ids] }, context)).customers,
    subscriptions: async (ids: readonly string[]) =>
      (await peers.subscription.listSubscriptions({ ...ofAnyPlan, ...of(ids) }, context))
        .subscriptions,
    products: async (ids: readonly string[]) =>
      (await peers.catalog.listProducts({ ...any, lookupKey: undefined, ...of(ids) }, context))
        .products,
    discounts: async (ids: readonly string[]) =>
      (await peers.discount.listDiscounts({ ...any, code: undefined, ...of(ids) }, context))
        .discounts,
    invoices: async (ids: readonly string[]) =>
      (
        await peers.checkout.listInvoices(
          { ...any, subscriptionId: undefined, ...of(ids) },
          context,
        )
      ).invoices,
    // The list has no filter, and few rows.
    endpoints: async () =>
      (await peers.notifier.listWebhookEndpoints({ ...newest, oldestFirst: false }, context))
        .webhookEndpoints,
  };
}
