import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import { only } from '@billing/kernel/transition';
import { bounce, type Email, settle } from './email';
import { emailDefinition } from './email-document';

const service = 'notifier';
const at = new Date('2026-01-02T00:00:00.000Z');
const now = new Date('2026-01-02T09:30:00.000Z');
const claimId = '0197a000-0000-7000-8000-0000000000f1';

const pending: Email = {
  id: '0197a000-0000-7000-8000-0000000000f0',
  kind: 'RECEIPT',
  customerId: '01900000-0000-7000-8000-0000000000c1',
  invoiceId: '01900000-0000-7000-8000-0000000000e1',
  creditNoteId: null,
  subscriptionId: '01900000-0000-7000-8000-0000000000d1',
  webhookEventId: '01900000-0000-7000-8000-0000000000a1',
  to: 'ada@example.com',
  from: { name: 'Acme', address: 'billing@acme.example' },
  replyTo: 'help@acme.example',
  locale: 'en',
  subject: 'Receipt for INV-000001',
  content: { text: 'text', html: 'html', headers: [] },
  status: 'PENDING',
  reason: null,
  attempts: 1,
  resendOf: null,
  sentAt: null,
  madeAt: new Date('2026-01-01T09:00:00.000Z'),
  changedAt: new Date('2026-01-01T09:00:00.000Z'),
  sendAt: new Date('2026-01-02T09:31:00.000Z'),
  claimId,
  isHandedOver: true,
};
const sent: Email = {
  ...pending,
  status: 'SENT',
  sentAt: new Date('2026-01-01T09:00:01.000Z'),
  sendAt: null,
};
const refused = settle(pending, {
  ...{ claimId, now, spread: 1 },
  outcome: { kind: 'REFUSED', reason: 'smtp_550' },
});
const bounced = bounce(sent, { reason: 'hard_bounce', now });

test.each([
  ['failed', { before: pending, transition: refused }],
  ['bounced', { before: sent, transition: bounced }],
])('the event of email-%s.json is announced as the file has it', (name, write) => {
  expect(announcedEvents(emailDefinition, { service, at, ...write })).toEqual([
    exampleEvent(`email-${name}`),
  ]);
});

test('a mail that fails when it is made announces it', () => {
  const transition = only({ ...pending, status: 'FAILED', reason: 'cannot_render' } as const);
  const [event] = announcedEvents(emailDefinition, { service, transition });
  expect(event).toMatchObject({ type: 'billing.email.failed', sequence: 1 });
});

test.each([
  ['is sent', pending, sent],
  ['waits', pending, { ...pending, reason: 'smtp_450' }],
  ['is unknown', pending, { ...pending, status: 'UNKNOWN' as const }],
  ['is skipped', pending, { ...pending, status: 'SKIPPED' as const }],
  ['was announced, and is erased', bounced.state, { ...bounced.state, to: '', content: null }],
])('a mail that %s announces nothing', (_name, before, after) => {
  const transition = only(after);
  expect(announcedEvents(emailDefinition, { service, before, transition })).toEqual([]);
});
