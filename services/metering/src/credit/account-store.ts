import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { CreditAccount, CreditGrant } from './account';

const accountsPerPage = 500;

type Count = number | bigint;

/** A stored account, without the fields that every aggregate has. */
export type AccountDocument = Omit<CreditAccount, 'id' | 'grants' | 'burns'> & {
  /** True once the account has a grant. Absent in accounts stored before this field existed. */
  readonly hasGrants?: boolean | null;
  /** Absent in accounts stored before this field existed. */
  readonly burns?: CreditAccount['burns'];
  readonly grants: readonly (Omit<CreditGrant, 'metadata' | 'priority'> & {
    readonly priority: Count;
    /** JSON text: the keys may contain dots, which the database would read as paths. */
    readonly metadata: string;
  })[];
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
  toDocument: ({ id: _id, ...account }): AccountDocument => ({
    ...account,
    hasGrants: account.grants.length > 0,
    grants: account.grants.map((grant) => ({ ...grant, metadata: JSON.stringify(grant.metadata) })),
  }),
  fromDocument: (document) => {
    const {
      _id: id,
      customerId,
      meterId,
      grants,
      consumptions,
      burns = [],
    } = document as AccountDocument & {
      readonly _id: string;
    };
    return {
      id,
      customerId,
      meterId,
      grants: grants.map((grant) => ({
        ...grant,
        priority: Number(grant.priority),
        metadata: JSON.parse(grant.metadata) as Record<string, unknown>,
      })),
      consumptions,
      burns,
    };
  },
};

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
