import type { EmailPicture } from '../picture/mail-picture';
import type { FeedPicture, Picture } from '../picture/picture';
import { mail, receipt } from '../mail/testing';
import { anInvoice, feed, secondInvoice } from '../testing';

const [, issued] = mail.emails;
const withMails = (...emails: EmailPicture[]): Partial<Picture> => ({ mail: { ...mail, emails } });
const content = { html: '', headers: [], ...receipt.content };

/** The feed without one event. */
function without(id: string): FeedPicture {
  return { ...feed, entries: feed.entries.filter(({ event }) => event?.id !== id) };
}

/** The feed with another beginning of the first invoice. */
function beginningWith(type: string): FeedPicture {
  const entries = feed.entries.map((entry) =>
    entry.event?.id === 'created-1' ? { ...entry, event: { ...entry.event, type } } : entry,
  );
  return { ...feed, entries };
}

const secret = { ...receipt, kind: 'PORTAL_LINK', webhookEventId: null };
const withTexts = (change: (language: string) => object): Partial<Picture> => ({
  mail: { ...mail, texts: mail.texts.map((text) => ({ ...text, ...change(text.language) })) },
});

/** Violations by mails and by events of invoices that a system must not show. */
export const mailViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  ['I82', 'a numbered invoice that was never created', { feed: without('created-2') }],
  ['I82', 'another first event', { feed: beginningWith('invoice.overdue') }],
  ['I82', 'another status than was announced', { invoices: [anInvoice({ status: 'VOID' })] }],
  ['I82', 'a payment that was not announced', { feed: without('paid-1') }],
  [
    'I82',
    'an end that did not happen',
    { invoices: [anInvoice(), secondInvoice, anInvoice({ status: 'OPEN' })] },
  ],
  ['I83', 'an event without its mail', withMails(receipt)],
  ['I83', 'two mails of one event', withMails(receipt, { ...receipt, id: 'email-3' }, issued!)],
  ['I83', 'a mail of another kind', withMails({ ...receipt, kind: 'PAYMENT_FAILED' }, issued!)],
  [
    'I83',
    'a mail about an event without mails',
    withMails(receipt, issued!, { ...issued!, webhookEventId: 'message-1' }),
  ],
  [
    'I83',
    'a mail about an event that does not exist',
    withMails(receipt, issued!, { ...issued!, webhookEventId: 'message-9' }),
  ],
  [
    'I83',
    'a Message-ID of two mails',
    withMails(receipt, issued!, { ...receipt, id: 'email-3', webhookEventId: null }),
  ],
  [
    'I83',
    'a Message-ID that was handed over twice',
    { mail: { ...mail, isLive: true, handedOver: ['<a@acme.example>', '<a@acme.example>'] } },
  ],
  ['I84', 'a mail of a sandbox that waits', withMails({ ...receipt, status: 'PENDING' })],
  ['I84', 'a mail of a sandbox that was attempted', withMails({ ...receipt, attempts: 1 })],
  [
    'I84',
    'a mail of a sandbox at a mail server',
    { mail: { ...mail, handedOver: ['<email-1@acme.example>'] } },
  ],
  ['I84', 'a sign-in link that is readable', { mail: { ...mail, isLive: true, emails: [secret] } }],
  [
    'I84',
    'an event with the content of a mail',
    {
      feed: {
        ...feed,
        entries: feed.entries.map((entry) => ({
          ...entry,
          event: { id: 'event', sequence: 1, data: { email: { content: {} } } },
        })),
      },
    },
  ],
  [
    'I86',
    'a mail that is announced in another language',
    withMails({ ...receipt, content: { ...content, headers: [] } }),
  ],
  [
    'I86',
    'a mail with HTML in another language',
    withMails({ ...receipt, content: { ...content, html: '<html lang="en">' } }),
  ],
  ['I86', 'a language without a text', { mail: { ...mail, texts: mail.texts.slice(1) } }],
  ['I86', 'a text without a body', withTexts(() => ({ body: '' }))],
  ['I86', 'an English text in each language', withTexts(() => ({ body: '{{card}} en' }))],
  [
    'I86',
    'a text with another value',
    withTexts((language) => (language === 'ja' ? { body: '{{link}}' } : {})),
  ],
];
