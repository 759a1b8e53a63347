import type { EmailPicture, MailPicture } from '../picture/mail-picture';

/** The mail of the event by which the first invoice of the valid environment was paid. */
export const receipt: EmailPicture = {
  id: 'email-1',
  kind: 'RECEIPT',
  customerId: 'customer-1',
  webhookEventId: 'paid-1',
  ...{ to: 'ada@example.com', subject: 'Receipt', locale: 'de' },
  ...{ status: 'SENT', attempts: 0 },
  content: {
    html: '<!doctype html>\n<html lang="de"></html>',
    headers: [
      { name: 'Message-ID', value: '<email-1@acme.example>' },
      { name: 'Content-Language', value: 'de' },
    ],
  },
};

const issued: EmailPicture = {
  ...receipt,
  ...{ id: 'email-2', kind: 'INVOICE_ISSUED', webhookEventId: 'created-2', content: null },
};

/** Texts of one kind in each language. */
const texts = ['en', 'de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'ja', 'zh'].map((language) => ({
  ...{ kind: 'RECEIPT', language, isDefault: true },
  subject: `{{invoice.number}} ${language}`,
  body: `{{#card}}{{card}} ${language}{{/card}}`,
}));

/** The mails of a valid sandbox. */
export const mail = {
  isLive: false,
  emails: [receipt, issued],
  suppressions: [{ id: 'suppression-1', emailId: 'email-1' }],
  settings: { kinds: { RECEIPT: { enabled: true } }, updatedAt: null },
  customerIds: new Set(['customer-1']),
  texts,
  handedOver: undefined,
} satisfies MailPicture;
