import type { MailKind } from '@billing/presentation/mail-kind';
import type { InvoiceFacts, MailEvent, PaymentFacts, SubscriptionFacts } from './mail-event';
import type { MailFacts } from './mail-values';

/** Resources that a preview shows in place of samples. */
export interface ShownResources {
  readonly invoice?: InvoiceFacts['invoice'] | undefined;
  readonly subscription?: SubscriptionFacts['subscription'] | undefined;
}

const day = 24 * 60 * 60 * 1_000;
const sampleId = '01970000-0000-7000-8000-000000000000';

/** The customer of a preview that names none. */
export const sampleCustomer: MailFacts['customer'] = {
  email: 'ada@example.com',
  name: 'Ada Example',
};

/** An event that causes a mail of a kind, about the given resources or about samples. */
export function sampleEvent(
  kind: MailKind,
  { invoice, subscription }: ShownResources,
  now: Date,
): MailEvent {
  const shownInvoice = invoice ?? sampleInvoice(now);
  const after = (days: number) => new Date(now.getTime() + days * day);
  const shownSubscription = subscription ?? {
    id: sampleId,
    customerId: sampleId,
    productId: sampleId,
    phase: 'TRIAL',
    trialEnd: after(14),
    currentPeriodEnd: after(30),
    endedAt: null,
  };
  // An invoice that is shown has payments of its own.
  const ended = (status: 'SUCCEEDED' | 'FAILED') =>
    invoice === undefined ? samplePayment(status) : undefined;
  const ofInvoice = (data: Omit<InvoiceFacts, 'invoice'> = {}): MailEvent => ({
    kind: 'INVOICE',
    type: 'sample',
    data: { ...data, invoice: shownInvoice },
  });
  switch (kind) {
    case 'RECEIPT':
      return ofInvoice({ payment: ended('SUCCEEDED') });
    case 'INVOICE_ISSUED':
    case 'PAYMENT_REMINDER':
      return ofInvoice();
    case 'PAYMENT_FAILED':
    case 'ACTION_REQUIRED':
      return ofInvoice({
        ...{ attempt: 1, failureCode: 'card_declined', nextAttemptAt: after(3) },
        payment: ended('FAILED'),
      });
    case 'CREDIT_NOTE_ISSUED':
      return { kind: 'CREDIT_NOTE', type: 'sample', data: sampleCreditNote(shownInvoice) };
    case 'CARD_EXPIRING':
      return { kind: 'CARD', type: 'sample', data: sampleCard(now) };
    case 'PORTAL_LINK': {
      const url = 'https://billing.example/portal/sample';
      return { kind: 'PORTAL', type: 'sample', data: { customerId: sampleId, url } };
    }
    case 'TRIAL_STARTED':
    case 'TRIAL_ENDING':
    case 'RENEWAL_UPCOMING':
    case 'CANCELLATION_SCHEDULED':
    case 'SUBSCRIPTION_CANCELED':
      return {
        kind: 'SUBSCRIPTION',
        type: 'sample',
        data: {
          subscription: shownSubscription,
          isEndScheduled: kind === 'CANCELLATION_SCHEDULED',
          upcoming: {
            at: shownSubscription.trialEnd ?? shownSubscription.currentPeriodEnd,
            amount: 2_900n,
            currency: 'USD',
          },
        },
      };
  }
}

function sampleInvoice(now: Date): InvoiceFacts['invoice'] {
  return {
    id: sampleId,
    customerId: sampleId,
    subscriptionId: null,
    number: 'INV-000001',
    status: 'OPEN',
    billingReason: 'MANUAL',
    currency: 'USD',
    total: 2_900n,
    amountDue: 2_900n,
    amountPaid: 2_900n,
    balanceApplied: 0n,
    finalizedAt: now,
    dueDate: new Date(now.getTime() + 30 * day),
    paidAt: now,
    hostedUrl: 'https://billing.example/invoice/sample',
    lineItems: [{ description: 'Pro', amount: 2_900n, quantity: '1' }],
    payments: [],
  };
}

function samplePayment(status: 'SUCCEEDED' | 'FAILED'): PaymentFacts {
  return { status, card: { brand: 'visa', last4: '4242' } };
}

function sampleCreditNote(invoice: InvoiceFacts['invoice']) {
  const { customerId, currency } = invoice;
  const creditNote = { id: sampleId, customerId, number: 'CN-000001', currency, total: 500n };
  return { creditNote, invoice };
}

function sampleCard(now: Date) {
  const expiryYear = now.getUTCFullYear();
  return {
    customerId: sampleId,
    paymentMethod: {
      brand: 'visa',
      last4: '4242',
      expiryMonth: now.getUTCMonth() + 1,
      expiryYear,
    },
  };
}
