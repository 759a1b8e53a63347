import type { AttemptSource, ScheduledClaim } from '../invoice/attempt';
import { openAndCollect } from '../invoice/collection';
import { draft, type NewInvoice } from '../draft/draft';
import type { Invoice, InvoiceRecord, LineItem } from '../invoice/invoice';
import type { ChargeSource } from '../provider/port/payment-provider';

/** Secret of the tokens of public pages. */
export const testHostedPageSecret = 'a secret that is known to the tests alone';

// Invoices for tests: an invoice of 29.00 USD for January 2026, drafted on the first.

const january = {
  periodStart: new Date('2026-01-01T00:00:00.000Z'),
  periodEnd: new Date('2026-02-01T00:00:00.000Z'),
};

/** A card that was saved before. */
export const savedMethod: ChargeSource = {
  kind: 'METHOD',
  paymentMethodId: '0197a000-0000-7000-8000-00000000000a',
};

export function aLineItem(line: Partial<LineItem> = {}): LineItem {
  return {
    id: '0197a000-0000-7000-8000-000000000011',
    description: 'Pro',
    quantity: '1',
    unitAmount: '2900',
    amount: 2900n,
    discountAmount: 0n,
    meterId: undefined,
    priceId: '0197a000-0000-7000-8000-000000000004',
    ...january,
    details: {
      exactAmount: '2900',
      billedQuantity: '1',
      includedUnits: '0',
      tiers: [],
      creditsUsed: [],
    },
    metadata: {},
    ...line,
  };
}

export function aNewInvoice(input: Partial<NewInvoice> = {}): NewInvoice {
  return {
    id: '0197a000-0000-7000-8000-000000000001',
    subscriptionId: '0197a000-0000-7000-8000-000000000002',
    customerId: '0197a000-0000-7000-8000-000000000003',
    billingReason: 'SUBSCRIPTION_CREATE',
    collectionMethod: 'CHARGE_AUTOMATICALLY',
    currency: 'USD',
    ...january,
    lineItems: [aLineItem()],
    authorizedTransactionId: undefined,
    ...input,
  };
}

export function aDraft(input: Partial<NewInvoice> = {}): Invoice {
  return draft(aNewInvoice(input)).state;
}

/** Claim of an attempt; without a source by default. */
export function aClaim(claim: Partial<ScheduledClaim> = {}): ScheduledClaim {
  const source: AttemptSource = claim.source ?? { kind: 'NONE' };
  const times = { now: january.periodStart, claimedAt: january.periodStart };
  const methodId = source.kind === 'METHOD' ? source.paymentMethodId : undefined;
  const provider = source.kind === 'NONE' ? 'none' : 'sandbox';
  return { source, methodId, provider, ...times, retryDays: [3, 7, 14], ...claim };
}

/**
 * An invoice that was opened at the start of its period, with an attempt in its slot if there is a
 * source.
 */
export function anOpened(
  input: Partial<NewInvoice> = {},
  source: ChargeSource = { kind: 'NONE' },
): Invoice {
  const now = january.periodStart;
  const opening = { number: 'INV-000001', ...aClaim({ source, now, claimedAt: now }) };
  return asInvoice(openAndCollect(aDraft(input), opening).state);
}

/** The record as an invoice; a tombstone throws. */
export function asInvoice(record: InvoiceRecord): Invoice {
  if (record.isTombstone) throw new Error('A tombstone is no invoice');
  return record;
}
