import { brandColors } from '@billing/kernel/brand-colors';
import { only } from '@billing/kernel/transition';
import { defaultEmailSettings } from '../mail-settings/email-settings';
import { anEmail } from '../testing/an-email';
import {
  type Email,
  endLapsed,
  eraseEmail,
  requireResendable,
  settle,
  withoutSecret,
} from './email';
import { newEmail } from './new-email';

const at = new Date('2026-01-31T00:00:00.000Z');

const emailOf = (changes: Partial<Email>) =>
  anEmail({
    kind: 'PORTAL_LINK',
    content: { text: 'link', html: 'link', headers: [] },
    ...changes,
  });

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

  test.each([
    ['live', true, null],
    ['sandbox', false, expect.anything()],
  ])('to a suppressed address in a %s environment', (_place, isLive, content) => {
    const data = { customerId: 'customer', url: 'https://billing.example/portal/token' };
    const event = { kind: 'PORTAL', type: 'portal.link', data } as const;
    const settings = defaultEmailSettings('environment');
    const style = { settings, changed: undefined, fromDomains: [] };
    const { email } = newEmail(
      { id: 'email', kind: 'PORTAL_LINK', event, webhookEventId: null },
      {
        customer: { email: 'ada@example.com', name: 'Ada' },
        seller: { name: 'Acme', email: undefined, supportUrl: undefined },
        brand: {
          colors: brandColors('#2447C9'),
          ...{ supportUrl: undefined, termsUrl: undefined, privacyUrl: undefined },
        },
        ...{ productName: undefined, locale: 'en' },
      },
      {
        ...{ isLive, isSuppressed: true, fromAddress: 'billing@acme.example' },
        ...{ now: at, style, attachments: [] },
      },
    );
    expect(email).toMatchObject({ status: 'SKIPPED', reason: 'suppressed' });
    expect(email.content).toEqual(content);
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

test('a mail that is UNKNOWN waits for no further attempt when a refusal for now comes late', () => {
  const unknown = emailOf({ kind: 'RECEIPT', status: 'UNKNOWN', claimId: 'claim' });
  const late = { claimId: 'claim', now: at, spread: 1 };
  const postponed = { kind: 'POSTPONED', reason: 'smtp_451' } as const;
  expect(settle(unknown, { ...late, outcome: postponed }).state).toBe(unknown);
  expect(settle(unknown, { ...late, outcome: { kind: 'ACCEPTED' } }).state.status).toBe('SENT');
});

describe('a mail that the server refuses for now after its content was deleted', () => {
  const sending = { status: 'PENDING', claimId: 'claim', isHandedOver: true } as const;
  const late = { claimId: 'claim', now: at, spread: 1 };
  const postponed = { kind: 'POSTPONED', reason: 'smtp_450' } as const;

  test.each<[what: string, ended: Email]>([
    ['its customer was deleted', eraseEmail(emailOf({ ...sending, kind: 'RECEIPT' }), at).state],
    [
      'it had a sign-in link',
      withoutSecret(endLapsed(emailOf({ ...sending, sendAt: at }), at)).state,
    ],
  ])('stays UNKNOWN if %s', (_what, ended) => {
    expect(ended).toMatchObject({ status: 'UNKNOWN', content: null });
    expect(settle(ended, { ...late, outcome: postponed }).state).toBe(ended);
    expect(settle(ended, { ...late, outcome: { kind: 'ACCEPTED' } }).state.status).toBe('SENT');
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
