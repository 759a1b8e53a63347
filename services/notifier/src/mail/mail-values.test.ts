import { brandColors } from '@billing/kernel/brand-colors';
import { mailKinds } from '@billing/presentation/mail-kind';
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
