import type { MailKind } from '@billing/presentation/mail-kind';
import type { InvoiceFacts, MailEvent, SubscriptionFacts } from './mail-event';

/** Kind of the mail that an event causes; undefined if payers get no mail for it. */
export function mailKindOf(event: MailEvent): MailKind | undefined {
  switch (event.kind) {
    case 'INVOICE':
      return invoiceMail(event.type, event.data);
    case 'CREDIT_NOTE':
      return event.type === 'credit_note.created' ? 'CREDIT_NOTE_ISSUED' : undefined;
    case 'CARD':
      return event.type === 'payment_method.expiring' ? 'CARD_EXPIRING' : undefined;
    case 'PORTAL':
      return 'PORTAL_LINK';
    case 'SUBSCRIPTION':
      return subscriptionMail(event.type, event.data);
  }
}

/** Types of events that may cause a mail. */
export const mailedTypes: ReadonlySet<string> = new Set([
  'invoice.created',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.overdue',
  'invoice.reminded',
  'credit_note.created',
  'payment_method.expiring',
  'subscription.created',
  'subscription.trial_ending',
  'subscription.renewal_upcoming',
  'subscription.updated',
  'subscription.canceled',
]);

function invoiceMail(type: string, data: InvoiceFacts): MailKind | undefined {
  const { invoice } = data;
  switch (type) {
    case 'invoice.created': {
      const isOwed = invoice.status === 'OPEN' && invoice.amountDue > 0n;
      const isFirstNews = data.charging !== true && invoice.billingReason !== 'CHECKOUT';
      return isOwed && isFirstNews ? 'INVOICE_ISSUED' : undefined;
    }
    case 'invoice.paid':
      return invoice.amountPaid + invoice.balanceApplied > 0n ? 'RECEIPT' : undefined;
    case 'invoice.payment_failed':
      return failureMail(data);
    case 'invoice.overdue':
    case 'invoice.reminded':
      return 'PAYMENT_REMINDER';
    default:
      return undefined;
  }
}

// A failure in front of the payer, or of a call, needs no mail; nor does one after which another
// card is tried, or the attempt that gives the invoice up.
function failureMail(data: InvoiceFacts): MailKind | undefined {
  const { initiator, collection, failureCode, attempt = 1 } = data;
  if (initiator !== 'SCHEDULE' || collection !== 'WAITING') return undefined;
  if (failureCode === 'authentication_required') return 'ACTION_REQUIRED';
  if (failureCode !== 'no_payment_method') return 'PAYMENT_FAILED';
  // The first time, the payer has just got the invoice.
  return attempt > 1 ? 'PAYMENT_REMINDER' : undefined;
}

function subscriptionMail(type: string, data: SubscriptionFacts): MailKind | undefined {
  switch (type) {
    case 'subscription.created':
      return data.subscription.phase === 'TRIAL' ? 'TRIAL_STARTED' : undefined;
    case 'subscription.trial_ending':
      return data.subscription.phase === 'TRIAL' ? 'TRIAL_ENDING' : undefined;
    case 'subscription.renewal_upcoming':
      return 'RENEWAL_UPCOMING';
    case 'subscription.updated':
      return data.isEndScheduled ? 'CANCELLATION_SCHEDULED' : undefined;
    case 'subscription.canceled':
      return 'SUBSCRIPTION_CANCELED';
    default:
      return undefined;
  }
}
