import { brandColors } from '@billing/kernel/brand-colors';
import { mailKinds } from '@billing/presentation/mail-kind';
import type { InvoiceFacts, PaymentFacts } from './mail-event';
import { type MailFacts, mailValues } from './mail-values';
import { sampleEvent } from './sample-event';

const facts: MailFacts = {
  customer: { email: 'ada@example.com', name: undefined },
  seller: { name: 'Acme', email: undefined, supportUrl: undefined },
  brand: {
    colors: brandColors('#2447C9'),
    ...{ supportUrl: undefined, termsUrl: undefined, privacyUrl: undefined },
  },
  portalUrl: 'https://billing.example/portal/sign-in/environment',
  locale: 'en',
  productName: 'Pro',
};

const pages: Readonly<Record<string, string | undefined>> = {
  CARD_EXPIRING: facts.portalUrl,
  TRIAL_STARTED: facts.portalUrl,
  TRIAL_ENDING: facts.portalUrl,
  RENEWAL_UPCOMING: facts.portalUrl,
  CANCELLATION_SCHEDULED: facts.portalUrl,
  SUBSCRIPTION_CANCELED: facts.portalUrl,
  PORTAL_LINK: 'https://billing.example/portal/sample',
};

test.each(mailKinds)('the link of %s is the page of its invoice, or of the portal', (kind) => {
  const event = sampleEvent(kind, {}, new Date('2026-01-31T00:00:00.000Z'));
  const { link } = mailValues(event, facts, 'en');
  expect(link).toBe(pages[kind] ?? 'https://billing.example/invoice/sample');
});

test('the description of an invoice is in the language of the mail', () => {
  const event = sampleEvent('INVOICE_ISSUED', {}, new Date('2026-01-31T00:00:00.000Z'));
  if (event.kind !== 'INVOICE') throw new Error('Not of an invoice');
  const line = { description: 'Unused time on Pro', amount: -1_450n, quantity: '1' };
  const lineItems = [{ ...line, kind: 'UNUSED_TIME' }];
  const invoice = { ...event.data.invoice, lineItems };
  const values = mailValues({ ...event, data: { invoice } }, facts, 'de');
  expect(values['invoice.description']).toBe('Nicht genutzte Zeit für Pro');
});

describe('the card of a mail', () => {
  const at = new Date('2026-01-31T00:00:00.000Z');
  const declined = { status: 'FAILED', card: { brand: 'mastercard', last4: '4444' } };
  const charged = { status: 'SUCCEEDED', card: { brand: 'visa', last4: '4242' } };
  const transferred = { status: 'SUCCEEDED', card: null };

  function cardOf(status: string, data: Partial<InvoiceFacts>, payments: readonly PaymentFacts[]) {
    const event = sampleEvent('INVOICE_ISSUED', {}, at);
    if (event.kind !== 'INVOICE') throw new Error('Not of an invoice');
    const invoice = { ...event.data.invoice, status, payments };
    return mailValues({ ...event, data: { ...data, invoice } }, facts, 'en').card;
  }

  test.each([
    ['a receipt is the one that paid', 'PAID', {}, [declined, charged], 'Visa ···· 4242'],
    ['a failure is the one that failed', 'OPEN', { payment: declined }, [], 'Mastercard ···· 4444'],
    ['a reminder is the last that failed', 'OPEN', {}, [declined], 'Mastercard ···· 4444'],
    ['an invoice without payments is empty', 'OPEN', {}, [], undefined],
    ['a receipt of a transfer is empty', 'PAID', {}, [declined, transferred], undefined],
    ['a receipt of an earlier release is empty', 'PAID', {}, [{ status: 'SUCCEEDED' }], undefined],
  ])('of %s', (_name, status, data, payments, expected) => {
    expect(cardOf(status, data, payments)).toBe(expected);
  });

  test.each(mailKinds)('is shown in the preview of %s if a card paid or failed', (kind) => {
    const shown = ['RECEIPT', 'PAYMENT_FAILED', 'ACTION_REQUIRED', 'CARD_EXPIRING'].includes(kind);
    const { card } = mailValues(sampleEvent(kind, {}, at), facts, 'en');
    expect(card).toBe(shown ? 'Visa ···· 4242' : undefined);
  });
});
