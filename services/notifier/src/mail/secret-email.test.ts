import { only } from '@billing/kernel/transition';
import {
  type Email,
  endLapsed,
  eraseEmail,
  requireResendable,
  settle,
  withoutSecret,
} from './email';

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

test('a mail is attempted or ended at the latest when its link expires', () => {
  const expiresAt = new Date(at.getTime() + 30_000);
  const sending = { status: 'PENDING', claimId: 'claim', isHandedOver: true } as const;
  const waiting = emailOf({ ...sending, attempts: 3, expiresAt });
  const outcome = { kind: 'POSTPONED', reason: 'smtp_450' } as const;
  const { state } = settle(waiting, { claimId: 'claim', outcome, now: at, spread: 1 });
  expect(state.sendAt).toEqual(expiresAt);
  expect(endLapsed(state, expiresAt).state).toMatchObject({ status: 'FAILED', reason: 'expired' });
});

describe('a mail that the server refuses for now after its content was deleted', () => {
  const sending = { status: 'PENDING', claimId: 'claim' } as const;
  const outcome = { kind: 'POSTPONED', reason: 'smtp_450' } as const;
  const refused = (email: Email) =>
    settle(email, { claimId: 'claim', outcome, now: at, spread: 1 }).state;

  test('is skipped if its customer was deleted', () => {
    const { state } = eraseEmail(emailOf({ ...sending, kind: 'RECEIPT' }), at);
    expect(state.status).toBe('UNKNOWN');
    expect(refused(state)).toMatchObject({ status: 'SKIPPED', reason: 'suppressed', sendAt: null });
  });

  test('fails if it had a sign-in link', () => {
    const { state } = withoutSecret(only(emailOf({ ...sending, status: 'UNKNOWN' })));
    expect(refused(state)).toMatchObject({ status: 'FAILED', reason: 'smtp_450', sendAt: null });
  });
});

test('a mail without a secret keeps its content', () => {
  expect(withoutSecret(only(emailOf({ kind: 'RECEIPT' }))).state.content).not.toBeNull();
});

test('a mail of a deleted customer loses address, texts and PDF', () => {
  const attachments = [{ filename: 'INV-1.pdf', size: 1, sha256: '00', source: 'AA==' }];
  const content = { text: 'text', html: 'html', headers: [], attachments };
  const { state } = eraseEmail(emailOf({ kind: 'RECEIPT', content }), at);
  expect(state).toMatchObject({ to: '', subject: '', content: null, status: 'SENT' });
  expect(JSON.stringify(state)).not.toContain('AA==');
});
