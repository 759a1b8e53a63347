import { only } from '@billing/kernel/transition';
import { type Email, requireResendable, withoutSecret } from './email';

const at = new Date('2026-01-31T00:00:00.000Z');

function emailOf(changes: Partial<Email>): Email {
  return {
    id: 'email',
    kind: 'PORTAL_LINK',
    customerId: 'customer',
    invoiceId: null,
    creditNoteId: null,
    subscriptionId: null,
    webhookEventId: null,
    to: 'ada@example.com',
    from: { name: '', address: 'billing@acme.example' },
    replyTo: null,
    locale: 'en',
    subject: 'Your sign-in link',
    content: { text: 'link', html: 'link', headers: [] },
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

describe('a mail with a sign-in link', () => {
  test.each(['SENT', 'FAILED', 'UNKNOWN', 'BOUNCED'] as const)(
    'loses its content once it is %s',
    (status) => {
      expect(withoutSecret(only(emailOf({ status }))).state.content).toBeNull();
    },
  );

  test('keeps its content while it waits', () => {
    expect(withoutSecret(only(emailOf({ status: 'PENDING' }))).state.content).not.toBeNull();
  });

  test('is not sent again', () => {
    expect(() => {
      requireResendable(emailOf({}));
    }).toThrow('This email cannot be sent again');
  });
});

test('a mail without a secret keeps its content', () => {
  expect(withoutSecret(only(emailOf({ kind: 'RECEIPT' }))).state.content).not.toBeNull();
});
