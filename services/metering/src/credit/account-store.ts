import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { fromStoredSet, type StoredSet } from '../span/named-set';
import type { ClosedCredits, CreditAccount, CreditGrant, PeriodConsumption } from './account';

const accountsPerPage = 500;

type Count = number | bigint;

interface GrantDocument extends Omit<CreditGrant, 'details' | 'priority'> {
  readonly priority: Count;
  /** Absent in grants whose details are stored outside the account. */
  readonly name?: string | null;
  /** JSON text: the keys may contain dots, which the database would read as paths. */
  readonly metadata?: string;
}

interface ConsumptionDocument extends Omit<PeriodConsumption, 'set'> {
  readonly set?: StoredSet;
  /** Stored by earlier versions. */
  readonly limits?: unknown;
  readonly basis?: unknown;
}

/** A stored account, without the fields that every aggregate has. */
export type AccountDocument = Omit<
  CreditAccount,
  'id' | 'grants' | 'consumptions' | 'burns' | 'closed'
> & {
  readonly consumptions: readonly ConsumptionDocument[];
  /** True once the account has a grant. Absent in accounts stored before this field existed. */
  readonly hasGrants?: boolean | null;
  /** Number of grants. Absent in accounts stored before this field existed. */
  readonly openGrants?: Count;
  /** Absent in accounts stored before this field existed. */
  readonly burns?: CreditAccount['burns'];
  /** Null or absent: no grant is closed. */
  readonly closed?: (Omit<ClosedCredits, 'count'> & { readonly count: Count }) | null;
  readonly grants: readonly GrantDocument[];
};

/** Credit accounts as documents, one per customer and meter. They emit no events. */
export const accountDefinition: AggregateDefinition<CreditAccount> = {
  collection: 'creditAccounts',
  aggregate: 'credit_account',
  resource: 'Credit account',
  indexes: [
    { name: 'customer', keys: { customerId: 1, createdAt: -1, _id: -1 } },
    { name: 'granted', keys: { hasGrants: 1 } },
  ],
  toDocument: ({ id: _id, closed, ...account }): AccountDocument => ({
    ...account,
    hasGrants: account.grants.length > 0 || closed !== undefined,
    openGrants: account.grants.length,
    grants: account.grants.map(toGrantDocument),
    closed: closed ?? null,
  }),
  fromDocument: (document) => {
    const {
      _id: id,
      customerId,
      meterId,
      grants,
      consumptions,
      burns = [],
      closed,
    } = document as AccountDocument & {
      readonly _id: string;
    };
    return {
      id,
      customerId,
      meterId,
      grants: grants.map(fromGrantDocument),
      consumptions: consumptions.map(fromConsumption),
      burns,
      ...(closed && { closed: fromClosed(closed) }),
    };
  },
};

function toGrantDocument({ details, ...terms }: CreditGrant): GrantDocument {
  if (details === undefined) return terms;
  return { ...terms, name: details.name, metadata: JSON.stringify(details.metadata) };
}

function fromGrantDocument({ name, metadata, ...terms }: GrantDocument): CreditGrant {
  const grant = { ...terms, priority: Number(terms.priority) };
  if (metadata === undefined) return grant;
  const details = { name: name ?? null, metadata: JSON.parse(metadata) as Record<string, unknown> };
  return { ...grant, details };
}

export function fromConsumption({
  set,
  limits: _limits,
  basis: _basis,
  ...consumption
}: ConsumptionDocument): PeriodConsumption {
  return set === undefined ? consumption : { ...consumption, set: fromStoredSet(set) };
}

export function fromClosed(closed: NonNullable<AccountDocument['closed']>): ClosedCredits {
  return { ...closed, count: Number(closed.count) };
}

/** Indexes across environments. */
export async function ensureAccountIndexes({
  documents,
}: AggregateCollection<CreditAccount>): Promise<void> {
  await ensureIndexes(documents, [{ name: 'openGrants', key: { live: 1, openGrants: -1 } }]);
}

/** Number of grants that are not closed in the live account that has most of them. */
export async function mostOpenGrants({
  documents,
}: AggregateCollection<CreditAccount>): Promise<number> {
  const found = await retryTransient(() =>
    documents
      .find({ live: true, openGrants: { $gt: 0 } })
      .project<Pick<AccountDocument, 'openGrants'>>({ openGrants: 1 })
      .sort({ openGrants: -1 })
      .limit(1)
      .next(),
  );
  return Number(found?.openGrants ?? 0);
}

/** Id of the account of a customer for a meter. */
export function accountId(
  { tenant }: Pick<CallContext, 'tenant'>,
  { customerId, meterId }: { customerId: string; meterId: string },
): string {
  return derivedId(tenant.environmentId, 'credit-account', customerId, meterId);
}

/** All accounts of a customer. */
export async function accountsOf(
  { accounts }: { readonly accounts: AggregateCollection<CreditAccount> },
  customerId: string,
  context: CallContext,
): Promise<CreditAccount[]> {
  const store = accounts.within(context);
  const found = new Map<string, CreditAccount>();
  for (let page = 1; ; page += 1) {
    const { data } = await store.list({ filter: { customerId }, page, perPage: accountsPerPage });
    // An account created between two pages shifts the rest: some accounts occur twice.
    for (const { state } of data) found.set(state.id, state);
    if (data.length < accountsPerPage) return [...found.values()];
  }
}
