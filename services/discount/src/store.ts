import type { AggregateDefinition } from '@billing/chassis/aggregate';
import { discountCodeKey } from '@billing/kernel/discount-validity';
import { codeTaken, type Discount } from './discount';

// The driver returns integers as number or bigint.
type Count = number | bigint;

type DiscountDocument = Omit<
  Discount,
  'id' | 'metadata' | 'durationInMonths' | 'maxRedemptions'
> & {
  readonly durationInMonths: Count | null;
  readonly maxRedemptions: Count | null;
  /** JSON text: the keys may contain dots, which the database would read as paths. */
  readonly metadata: string;
  /** Value of the index by which lists filter. */
  readonly codeKey: string;
};

/** Discounts as documents; the code is unique in each environment, ignoring case. */
export const discountDefinition: AggregateDefinition<Discount> = {
  collection: 'discounts',
  aggregate: 'discount',
  resource: 'Discount',
  indexes: [
    { name: 'code', keys: { codeKey: 1 } },
    { name: 'active', keys: { active: 1, createdAt: -1, _id: -1 } },
  ],
  naturalKey: {
    field: 'code',
    valueOf: ({ code }) => (code === null ? null : discountCodeKey(code)),
    taken: codeTaken,
  },
  search: {
    revision: 2,
    findableOf: ({ name, code }) => ({ texts: [name, code] }),
    isForgiving: true,
  },
  toDocument: toDocumentDiscount,
  fromDocument: (document) => fromDocumentDiscount(document as DiscountDocument & { _id: string }),
};

/** List filter by active and code. */
export function discountsWith({
  active,
  code,
}: {
  readonly active?: boolean | undefined;
  readonly code?: string | undefined;
}): Record<string, unknown> {
  return {
    ...(active !== undefined && { active }),
    ...(code !== undefined && { codeKey: codeKey(code) }),
  };
}

function toDocumentDiscount({ id, ...discount }: Discount): DiscountDocument {
  const { code, metadata } = discount;
  return {
    ...discount,
    metadata: JSON.stringify(metadata),
    codeKey: code === null ? `i:${id}` : codeKey(code),
  };
}

/** The prefix keeps a code that looks like a discount id apart from that id. */
function codeKey(code: string): string {
  return `v:${discountCodeKey(code)}`;
}

function fromDocumentDiscount(document: DiscountDocument & { readonly _id: string }): Discount {
  const { _id: id, durationInMonths, maxRedemptions } = document;
  return {
    id,
    name: document.name,
    code: document.code,
    type: document.type,
    value: document.value,
    currency: document.currency,
    duration: document.duration,
    durationInMonths: durationInMonths === null ? null : Number(durationInMonths),
    maxRedemptions: maxRedemptions === null ? null : Number(maxRedemptions),
    startsAt: document.startsAt,
    endsAt: document.endsAt,
    productIds: document.productIds,
    active: document.active,
    metadata: JSON.parse(document.metadata) as Record<string, unknown>,
  };
}
