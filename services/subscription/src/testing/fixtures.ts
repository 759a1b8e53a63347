import { DomainError } from '@billing/kernel/domain-error';
import { createSubscription, type Creation } from '../creation/creation';
import type { SubscriptionInput } from '../creation/input';
import type { OfferedItem } from '../creation/offer';
import type { CustomerFacts } from '../subscription/customer';
import type { DiscountSnapshot, PriceSnapshot, Subscription } from '../subscription/subscription';
import type { Decision, SubscriptionTransition } from '../subscription/transition';

// Fixtures of the rule tests: one product, one customer, and subscriptions created by the rule
// itself.

/** Readable ids of invoices, for tests alone. */
export const invoiceIdOf = (periodIndex: number): string => `invoice-${String(periodIndex)}`;

/** A day of 2026, at midnight UTC: `day('01-31')`. */
export function day(monthAndDay: string): Date {
  return new Date(`2026-${monthAndDay}T00:00:00.000Z`);
}

/** The inputs of a rule at a time. */
export function at(now: Date): Decision {
  return {
    ...{ now, invoiceIdOf },
    resumeIdOf: (periodIndex) => `resume-${String(periodIndex)}`,
    pauseInvoiceIdOf: (periodIndex) => `pause-${String(periodIndex)}`,
    usageInvoiceIdOf: (periodIndex) => `usage-${String(periodIndex)}`,
  };
}

/** 29.00 USD a month, no trial. */
export function aPrice(parts: Partial<PriceSnapshot> = {}): PriceSnapshot {
  return {
    id: '01900000-0000-7000-8000-0000000000c1',
    type: 'FLAT',
    currency: 'USD',
    amount: 2900n,
    billingInterval: 'MONTHLY',
    intervalCount: 1,
    trialDays: null,
    tiers: null,
    active: true,
    metadata: {},
    lookupKey: null,
    createdAt: day('01-01'),
    updatedAt: day('01-01'),
    ...parts,
  };
}

/** Ada, who is charged automatically in USD. */
export function aCustomer(parts: Partial<CustomerFacts> = {}): CustomerFacts {
  return {
    id: '01900000-0000-7000-8000-0000000000a1',
    email: 'ada@example.com',
    name: 'Ada',
    currency: 'USD',
    isCurrencyFixed: false,
    collectionMethod: 'CHARGE_AUTOMATICALLY',
    ...parts,
  };
}

/** An input without special wishes: all defaults. */
export function anInput(parts: Partial<SubscriptionInput> = {}): SubscriptionInput {
  return {
    customerId: aCustomer().id,
    productId: '01900000-0000-7000-8000-0000000000b1',
    priceId: null,
    authorizedTransactionId: null,
    startAt: null,
    metadata: {},
    quantity: 1,
    discountId: null,
    items: null,
    ...parts,
  };
}

/** Half off the first period that costs anything. */
export function aDiscount(parts: Partial<DiscountSnapshot> = {}): DiscountSnapshot {
  return {
    id: '01900000-0000-7000-8000-0000000000f1',
    name: 'Half off',
    type: 'PERCENTAGE',
    value: '50',
    duration: 'ONCE',
    durationInMonths: null,
    productIds: [],
    ...parts,
  };
}

/** An item in addition to the main one. */
export function anOtherItem(parts: Partial<OfferedItem> = {}): OfferedItem {
  return {
    id: '01900000-0000-7000-8000-0000000000e2',
    productId: '01900000-0000-7000-8000-0000000000b2',
    productName: 'Support',
    price: aPrice({ id: '01900000-0000-7000-8000-0000000000c2', amount: 1000n }),
    meterPriceSet: 0,
    quantity: 1,
    ...parts,
  };
}

/** The facts of a creation on 31 January. */
export function aCreation(parts: Partial<Creation> = {}): Creation {
  return {
    id: '01900000-0000-7000-8000-0000000000d1',
    itemId: '01900000-0000-7000-8000-0000000000e1',
    otherItems: [],
    fingerprint: 'fingerprint',
    customer: aCustomer(),
    productName: 'Pro',
    price: aPrice(),
    meterPriceSet: 0,
    discount: null,
    ...at(day('01-31')),
    ...parts,
  };
}

/** The creation of a subscription; without a start it starts now. */
export function aNewSubscription(
  input: SubscriptionInput,
  creation: Creation,
): SubscriptionTransition {
  const startAt = input.startAt ?? creation.now;
  return createSubscription({ ...input, startAt }, creation);
}

/** A subscription right after its creation. */
export function aSubscription(
  input: Partial<SubscriptionInput> = {},
  creation: Partial<Creation> = {},
): Subscription {
  return aNewSubscription(anInput(input), aCreation(creation)).state;
}

/** Calls a function that must throw, and returns the fields of the refusal. */
export function refusedFields(refuse: () => unknown): unknown {
  try {
    refuse();
  } catch (error) {
    if (error instanceof DomainError) return error.fields ?? error.reason;
    throw error;
  }
  return undefined;
}
