import type { Email } from '../mail/email';

const at = new Date('2026-01-31T00:00:00.000Z');

/** A mail to a payer that was sent, but for the given fields. */
export function anEmail(changes: Partial<Email>): Email {
  return {
    id: 'email',
    kind: 'RECEIPT',
    customerId: 'customer',
    invoiceId: null,
    creditNoteId: null,
    subscriptionId: null,
    webhookEventId: null,
    to: 'ada@example.com',
    from: { name: '', address: 'billing@acme.example' },
    replyTo: null,
    locale: 'en',
    subject: 'Your receipt',
    content: { text: 'text', html: 'html', headers: [] },
    status: 'SENT',
    reason: null,
    attempts: 1,
    resendOf: null,
    sentAt: at,
    madeAt: at,
    changedAt: at,
    sendAt: null,
    claimId: null,
    isHandedOver: true,
    ...changes,
  };
}
