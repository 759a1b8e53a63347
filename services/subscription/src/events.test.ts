import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toEnvelope } from '@billing/chassis/event-log';
import {
  BillingReason,
  type Invoice,
  InvoiceStatus,
  PaymentMethodType,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { TaxReason, TaxStatus } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { createFromCheckout } from './creation/creation';
import { encodeEvent } from './events';
import { cancel, uncancel } from './lifecycle/cancellation';
import { applyCollectionResult, type CollectionOutcome } from './lifecycle/collection';
import { takeDueStep } from './lifecycle/due-steps';
import type { SubscriptionEvent } from './subscription/announcement';
import { currentPeriod, type Subscription } from './subscription/subscription';
import type { SubscriptionTransition } from './subscription/transition';
import {
  aCreation,
  aDiscount,
  aNewSubscription,
  anInput,
  aPrice,
  aSubscription,
  at,
  day,
} from './testing/fixtures';

const examples = join(__dirname, '../../../proto/examples');
const tenant = {
  organizationId: '01900000-0000-7000-8000-000000000001',
  environmentId: '01900000-0000-7000-8000-000000000002',
  live: false,
  manualClock: true,
};
const invoiceId = '6b0d5c6e-0a7f-5d1e-9a43-1c2f7d8e9b01';
const ids = {
  resumeIdOf: () => 'resume',
  pauseInvoiceIdOf: () => 'pause',
  usageInvoiceIdOf: () => 'usage',
  invoiceIdOf: () => invoiceId,
};

const input = anInput({
  authorizedTransactionId: 'txn_4242424242424242',
  metadata: { plan: 'pro', seats: 3, trial: false, note: null },
});
const creation = aCreation({
  ...ids,
  price: aPrice({ trialDays: 14, metadata: { tier: 'gold' }, lookupKey: 'pro-monthly' }),
  now: day('01-17'),
});

interface Example {
  readonly file: string;
  readonly transition: SubscriptionTransition;
  readonly version: number;
  readonly updatedAt: Date;
  /** Index of the event in the transition. */
  readonly event: number;
  readonly sequence: number;
}

const statuses: Readonly<Partial<Record<CollectionOutcome, InvoiceStatus>>> = {
  SUCCEEDED: InvoiceStatus.INVOICE_STATUS_PAID,
  FAILED: InvoiceStatus.INVOICE_STATUS_OPEN,
  UNCOLLECTIBLE: InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE,
};

const trial = aNewSubscription(input, creation);
const trialEnding = takeDueStep(trial.state, { now: day('01-28'), ...ids });
const renewal = takeDueStep(trialEnding.state, { now: day('01-31'), ...ids });
const yearlyPrice = aPrice({ billingInterval: 'YEARLY', amount: 29_000n });
const yearly = aNewSubscription(input, { ...creation, price: yearlyPrice });
const upcoming = takeDueStep(yearly.state, { now: day('12-18'), ...ids });
const payment = paid(renewal.state, 'SUCCEEDED');
const failure = paid(renewal.state, 'FAILED');
const givenUp = paid(failure.state, 'UNCOLLECTIBLE', { resultNumber: 2, now: day('02-14') });
const flagged = cancel(payment.state, { atPeriodEnd: true, now: day('02-10'), ...ids });
const end = takeDueStep(flagged.state, { now: day('02-28'), ...ids });

const table: readonly Example[] = [
  example('subscription-created', trial, { version: 1, updatedAt: day('01-17'), sequence: 1 }),
  example('subscription-renewed', renewal, { version: 3, updatedAt: day('01-31'), sequence: 2 }),
  example('subscription-payment-succeeded', payment, {
    version: 5,
    updatedAt: day('01-31'),
    sequence: 3,
  }),
  example('subscription-payment-failed', failure, {
    version: 5,
    updatedAt: day('01-31'),
    sequence: 3,
  }),
  {
    ...example('subscription-updated-past-due', failure, {
      version: 5,
      updatedAt: day('01-31'),
      sequence: 4,
    }),
    event: 1,
  },
  example('subscription-updated', flagged, { version: 6, updatedAt: day('02-10'), sequence: 4 }),
  example('subscription-canceled', end, { version: 7, updatedAt: day('02-28'), sequence: 5 }),
  example('subscription-canceled-payment-failed', givenUp, {
    version: 6,
    updatedAt: day('02-14'),
    sequence: 5,
  }),
  example('subscription-trial-ending', trialEnding, {
    version: 3,
    updatedAt: day('01-28'),
    sequence: 2,
  }),
  example('subscription-renewal-upcoming', upcoming, {
    version: 5,
    updatedAt: day('12-18'),
    sequence: 3,
  }),
  example('subscription-created-by-checkout', soldOn(day('01-17')), {
    version: 1,
    updatedAt: day('01-17'),
    sequence: 1,
  }),
];

function example(
  name: string,
  transition: SubscriptionTransition,
  parts: Pick<Example, 'version' | 'updatedAt' | 'sequence'>,
): Example {
  return { file: `${name}.json`, transition, event: 0, ...parts };
}

/** A subscription sold by a session, with three discounted months. */
function soldOn(completedAt: Date): SubscriptionTransition {
  return createFromCheckout({
    ...aCreation(),
    discount: aDiscount({ duration: 'REPEATING', durationInMonths: 3 }),
    productId: input.productId,
    quantity: 1,
    metadata: {},
    completedAt,
    invoice: { id: invoiceId, form: undefined },
    attempt: 0,
  });
}

function paid(
  subscription: Subscription,
  outcome: CollectionOutcome,
  { resultNumber = 1, now = day('01-31') } = {},
): SubscriptionTransition {
  const invoice = anInvoice(subscription, outcome);
  const nextAttemptAt = outcome === 'FAILED' ? day('02-03') : null;
  return applyCollectionResult(
    subscription,
    {
      invoiceId,
      resultNumber,
      outcome,
      collectionMethod: subscription.collectionMethod,
      payment: { invoice, attempt: 1, nextAttemptAt },
    },
    { now, ...ids },
  );
}

function anInvoice(subscription: Subscription, outcome: CollectionOutcome): Invoice {
  const { start, end: periodEnd } = currentPeriod(subscription);
  const isPaid = outcome === 'SUCCEEDED';
  return {
    id: invoiceId,
    organizationId: tenant.organizationId,
    customerId: subscription.customer.id,
    subscriptionId: subscription.id,
    number: 'INV-000001',
    status: statuses[outcome] ?? InvoiceStatus.INVOICE_STATUS_UNSPECIFIED,
    collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
    billingReason: BillingReason.BILLING_REASON_SUBSCRIPTION_CYCLE,
    currency: 'USD',
    subtotal: 2900n,
    discountAmount: 0n,
    tax: 0n,
    total: 2900n,
    amountPaid: isPaid ? 2900n : 0n,
    amountDue: outcome === 'FAILED' ? 2900n : 0n,
    balanceApplied: 0n,
    amountReduced: 0n,
    amountCredited: 0n,
    amountRefunded: 0n,
    creditNoteIds: [],
    dueDate: undefined,
    lastPaymentError: undefined,
    paidAt: isPaid ? day('01-31') : undefined,
    periodStart: start,
    periodEnd,
    metadata: {},
    createdAt: day('01-31'),
    updatedAt: day('01-31'),
    lineItems: [
      {
        id: '6b0d5c6e-0a7f-5d1e-9a43-1c2f7d8e9b02',
        invoiceId,
        description: 'Pro',
        quantity: '1',
        unitAmount: '2900',
        amount: 2900n,
        discountAmount: 0n,
        priceId: subscription.items[0].price.id,
        periodStart: start,
        periodEnd,
        details: {
          exactAmount: '2900',
          billedQuantity: '1',
          includedUnits: '0',
          tiers: [],
          creditsUsed: [],
        },
        metadata: {},
        ...{ pricedAmount: 0n, taxAmount: 0n, total: 0n, taxedAs: undefined },
        taxReason: TaxReason.TAX_REASON_UNSPECIFIED,
      },
    ],
    ...{ seller: undefined, buyer: undefined, finalizedAt: undefined, taxes: [] },
    ...{ taxStatus: TaxStatus.TAX_STATUS_UNSPECIFIED, pricesIncludeTax: false, taxEvidence: [] },
    payments: [
      {
        id: '6b0d5c6e-0a7f-5d1e-9a43-1c2f7d8e9b03',
        invoiceId,
        attempt: 1,
        amountRefunded: 0n,
        disputeId: undefined,
        amount: 2900n,
        currency: 'USD',
        provider: 'sandbox',
        providerPaymentId: isPaid ? 'ch_1' : undefined,
        status: isPaid
          ? PaymentStatus.PAYMENT_STATUS_SUCCEEDED
          : PaymentStatus.PAYMENT_STATUS_FAILED,
        failureCode: isPaid ? undefined : 'card_declined',
        createdAt: day('01-31'),
        method: PaymentMethodType.PAYMENT_METHOD_TYPE_CARD,
        receivedAt: undefined,
        overpayment: 0n,
        card: undefined,
        metadata: {},
      },
    ],
    version: 3n,
    discounts: [],
  };
}

function announce({ transition, event: index, version, updatedAt, sequence }: Example): string {
  const event = transition.events[index];
  if (event === undefined) throw new Error('No such event');
  const { state } = transition;
  const stored = { state, tenant, version, createdAt: day('01-17'), updatedAt };
  return toEnvelope({
    service: 'subscription',
    aggregate: 'subscription',
    aggregateId: state.id,
    sequence,
    type: event.type,
    at: updatedAt,
    tenant,
    data: JSON.stringify(encodeEvent(event, stored)),
  });
}

describe('an encoded event', () => {
  // The notifier reads the very same files.
  test.each(table)('equals the example $file', (row) => {
    const expected: unknown = JSON.parse(readFileSync(join(examples, row.file), 'utf8'));
    expect(JSON.parse(announce(row))).toEqual(expected);
  });
});

describe('the list of changes', () => {
  const changesOf = (event: SubscriptionEvent | undefined, state: Subscription) => {
    const stored = { state, tenant, version: 2, createdAt: day('01-17'), updatedAt: day('02-10') };
    return event && (encodeEvent(event, stored) as { changes: unknown }).changes;
  };

  test('names every field that a cancellation at period end sets', () => {
    expect(changesOf(flagged.events[0], flagged.state)).toEqual({
      cancelAtPeriodEnd: { from: false, to: true },
      canceledAt: { from: null, to: '2026-02-10T00:00:00.000Z' },
      cancelReason: { from: null, to: 'REQUESTED' },
      nextInvoiceAt: { from: '2026-02-28T00:00:00.000Z', to: null },
    });
  });

  test('names the same fields in reverse when the cancellation is undone', () => {
    const back = uncancel(flagged.state, { now: day('02-11'), ...ids });
    expect(changesOf(back.events[0], back.state)).toEqual({
      cancelAtPeriodEnd: { from: true, to: false },
      canceledAt: { from: '2026-02-10T00:00:00.000Z', to: null },
      cancelReason: { from: 'REQUESTED', to: null },
      nextInvoiceAt: { from: null, to: '2026-02-28T00:00:00.000Z' },
    });
  });

  test('names the status alone when a payment fails', () => {
    expect(changesOf(failure.events[1], failure.state)).toEqual({
      status: { from: 'ACTIVE', to: 'PAST_DUE' },
    });
  });

  test('is absent from every other event', () => {
    const stored = {
      state: aSubscription(),
      tenant,
      version: 1,
      createdAt: day('01-31'),
      updatedAt: day('01-31'),
    };
    const { events } = cancel(stored.state, { atPeriodEnd: false, ...at(day('02-01')) });
    expect(events.map((event) => encodeEvent(event, stored))).toEqual([
      expect.not.objectContaining({ changes: expect.anything() }),
    ]);
  });
});
