import {
  CollectionMethod,
  type Customer,
  TaxExempt,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type Discount,
  DiscountDuration,
  DiscountType,
} from '@billing/proto/billing/discount/v1/discount';

const createdAt = new Date('2026-01-01T00:00:00.000Z');

/** Ada, who is charged automatically in USD. */
export function aProtoCustomer(parts: Partial<Customer> = {}): Customer {
  return {
    id: 'customer',
    organizationId: 'organization',
    email: 'ada@example.com',
    name: 'Ada',
    address: undefined,
    currency: 'USD',
    collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
    taxIds: [],
    taxExempt: TaxExempt.TAX_EXEMPT_NONE,
    metadata: {},
    createdAt,
    updatedAt: createdAt,
    version: 1n,
    ...parts,
  };
}

/** Half off the first invoice. */
export function aProtoDiscount(parts: Partial<Discount> = {}): Discount {
  return {
    id: 'discount',
    organizationId: 'organization',
    name: 'Half off',
    type: DiscountType.DISCOUNT_TYPE_PERCENTAGE,
    value: '50',
    duration: DiscountDuration.DISCOUNT_DURATION_ONCE,
    redemptionCount: 1,
    startsAt: undefined,
    endsAt: undefined,
    productIds: [],
    active: true,
    metadata: {},
    createdAt,
    updatedAt: createdAt,
    version: 1n,
    ...parts,
  };
}
