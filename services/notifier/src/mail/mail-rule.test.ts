import type { InvoiceFacts, MailEvent } from './mail-event';
import { mailedTypes, mailKindOf } from './mail-rule';

const at = new Date('2026-01-31T00:00:00.000Z');

const openInvoice: InvoiceFacts['invoice'] = {
  id: 'invoice',
  customerId: 'customer',
  subscriptionId: null,
  number: 'INV-000001',
  status: 'OPEN',
  billingReason: 'SUBSCRIPTION_CYCLE',
  currency: 'USD',
  total: 2900n,
  amountDue: 2900n,
  amountPaid: 0n,
  balanceApplied: 0n,
  finalizedAt: at,
  dueDate: null,
  paidAt: null,
  hostedUrl: 'https://billing.example/i/1',
  lineItems: [],
};

function invoiceEvent(
  type: string,
  data: Partial<InvoiceFacts> = {},
  invoice: Partial<InvoiceFacts['invoice']> = {},
): MailEvent {
  return { kind: 'INVOICE', type, data: { ...data, invoice: { ...openInvoice, ...invoice } } };
}

function subscriptionEvent(type: string, phase: string, isEndScheduled = false): MailEvent {
  const subscription = {
    id: 'subscription',
    customerId: 'customer',
    productId: 'product',
    phase,
    trialEnd: null,
    currentPeriodEnd: at,
    endedAt: null,
  };
  return { kind: 'SUBSCRIPTION', type, data: { subscription, isEndScheduled } };
}

function creditNoteEvent(type: string): MailEvent {
  const creditNote = {
    id: 'note',
    customerId: 'customer',
    number: 'CN-000001',
    currency: 'USD',
    total: 500n,
  };
  return { kind: 'CREDIT_NOTE', type, data: { creditNote, invoice: openInvoice } };
}

function cardEvent(type: string): MailEvent {
  const paymentMethod = { brand: 'visa', last4: '4242', expiryMonth: 5, expiryYear: 2026 };
  return { kind: 'CARD', type, data: { customerId: 'customer', paymentMethod } };
}

const scheduled = { initiator: 'SCHEDULE', collection: 'WAITING', attempt: 1 };
const declined = { ...scheduled, failureCode: 'card_declined' };

describe('the mail of an event', () => {
  test.each<[string, MailEvent, string | undefined]>([
    ['an invoice that is sent', invoiceEvent('invoice.created'), 'INVOICE_ISSUED'],
    ['an invoice that is charged', invoiceEvent('invoice.created', { charging: true }), undefined],
    [
      'an invoice that nothing is owed of',
      invoiceEvent('invoice.created', {}, { amountDue: 0n }),
      undefined,
    ],
    [
      'an invoice that was paid at once',
      invoiceEvent('invoice.created', {}, { status: 'PAID' }),
      undefined,
    ],
    [
      'the invoice of a checkout',
      invoiceEvent('invoice.created', {}, { billingReason: 'CHECKOUT' }),
      undefined,
    ],
    ['a payment', invoiceEvent('invoice.paid', {}, { amountPaid: 2900n }), 'RECEIPT'],
    [
      'a payment from the balance',
      invoiceEvent('invoice.paid', {}, { balanceApplied: 2900n }),
      'RECEIPT',
    ],
    ['an invoice of zero', invoiceEvent('invoice.paid', {}, { total: 0n }), undefined],
    ['a declined charge', invoiceEvent('invoice.payment_failed', declined), 'PAYMENT_FAILED'],
    [
      'a charge that the bank wants confirmed',
      invoiceEvent('invoice.payment_failed', {
        ...scheduled,
        failureCode: 'authentication_required',
      }),
      'ACTION_REQUIRED',
    ],
    [
      'the first charge without a card',
      invoiceEvent('invoice.payment_failed', { ...scheduled, failureCode: 'no_payment_method' }),
      undefined,
    ],
    [
      'the second charge without a card',
      invoiceEvent('invoice.payment_failed', {
        ...scheduled,
        failureCode: 'no_payment_method',
        attempt: 2,
      }),
      'PAYMENT_REMINDER',
    ],
    ...['CALLER', 'PAYER', 'NEW_METHOD'].map((initiator): [string, MailEvent, undefined] => [
      `a charge that failed for ${initiator}`,
      invoiceEvent('invoice.payment_failed', { ...declined, initiator }),
      undefined,
    ]),
    ...['TRYING_OTHER', 'ENDED'].map((collection): [string, MailEvent, undefined] => [
      `a failed charge with collection ${collection}`,
      invoiceEvent('invoice.payment_failed', { ...declined, collection }),
      undefined,
    ]),
    ['an overdue invoice', invoiceEvent('invoice.overdue'), 'PAYMENT_REMINDER'],
    ['a reminder', invoiceEvent('invoice.reminded'), 'PAYMENT_REMINDER'],
    ['a voided invoice', invoiceEvent('invoice.voided'), undefined],
    ['a credit note', creditNoteEvent('credit_note.created'), 'CREDIT_NOTE_ISSUED'],
    ['another event of a credit note', creditNoteEvent('credit_note.updated'), undefined],
    ['a card that expires soon', cardEvent('payment_method.expiring'), 'CARD_EXPIRING'],
    ['a new card', cardEvent('payment_method.added'), undefined],
    [
      'the end of a trial that is near',
      subscriptionEvent('subscription.trial_ending', 'TRIAL'),
      'TRIAL_ENDING',
    ],
    [
      'a renewal that is near',
      subscriptionEvent('subscription.renewal_upcoming', 'REGULAR'),
      'RENEWAL_UPCOMING',
    ],
    ['a trial', subscriptionEvent('subscription.created', 'TRIAL'), 'TRIAL_STARTED'],
    [
      'a subscription without trial',
      subscriptionEvent('subscription.created', 'REGULAR'),
      undefined,
    ],
    [
      'a scheduled end',
      subscriptionEvent('subscription.updated', 'REGULAR', true),
      'CANCELLATION_SCHEDULED',
    ],
    ['another change', subscriptionEvent('subscription.updated', 'REGULAR'), undefined],
    ['an end', subscriptionEvent('subscription.canceled', 'ENDED'), 'SUBSCRIPTION_CANCELED'],
    ['a renewal', subscriptionEvent('subscription.renewed', 'REGULAR'), undefined],
  ])('about %s', (_, event, kind) => {
    expect(mailKindOf(event)).toBe(kind);
    if (kind !== undefined) expect(mailedTypes).toContain(event.type);
  });
});
