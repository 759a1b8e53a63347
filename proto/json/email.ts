import { z } from 'zod';
import {
  BounceType,
  type Email,
  type EmailContent,
  type EmailSuppression,
} from '../gen/billing/notifier/v1/mail';
import { emailKinds, emailStatuses } from '../values/notifier';
import { id, time, toJsonOptionalTime, toJsonTime } from './scalars';

const text = z.string().nullable();

const EmailContentJson = z
  .object({
    text: z.string(),
    html: z.string(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
    attachments: z.array(
      z.object({
        filename: z.string(),
        contentType: z.string(),
        size: z.int().meta({ description: 'In bytes.' }),
        sha256: z.string().meta({ description: 'Of the bytes, in hexadecimal digits.' }),
      }),
    ),
  })
  .meta({ id: 'EmailContent' });
type EmailContentJson = z.infer<typeof EmailContentJson>;

export const EmailJson = z
  .object({
    id,
    kind: z.enum([
      'INVOICE_ISSUED',
      'RECEIPT',
      'PAYMENT_FAILED',
      'ACTION_REQUIRED',
      'PAYMENT_REMINDER',
      'CREDIT_NOTE_ISSUED',
      'CARD_EXPIRING',
      'TRIAL_STARTED',
      'TRIAL_ENDING',
      'RENEWAL_UPCOMING',
      'CANCELLATION_SCHEDULED',
      'SUBSCRIPTION_CANCELED',
      'PORTAL_LINK',
    ]),
    customerId: id,
    invoiceId: id.nullable(),
    creditNoteId: id.nullable(),
    subscriptionId: id.nullable(),
    webhookEventId: id.nullable().meta({
      description: 'Event that the email was created from. Null for an email that was sent again.',
    }),
    to: text.meta({ description: 'Null: the customer was deleted.' }),
    from: z.string().meta({ examples: ['Acme <billing@acme.example>'] }),
    replyTo: text,
    locale: z.string(),
    subject: text,
    status: z.enum(['PENDING', 'SENT', 'FAILED', 'BOUNCED', 'SKIPPED', 'UNKNOWN']).meta({
      description:
        'SENT: the mail server accepted the email; in a sandbox it is in the inbox. UNKNOWN: the mail server did not answer after it received the email.',
    }),
    reason: text.meta({ examples: ['smtp_550'] }),
    attempts: z.int().min(0),
    resendOf: id.nullable(),
    sentAt: time.nullable().meta({ description: 'In real time.' }),
    createdAt: time,
    updatedAt: time.meta({ description: 'In real time.' }),
    content: EmailContentJson.nullable().meta({ description: 'Null in lists.' }),
  })
  .meta({ id: 'Email' });
type EmailJson = z.infer<typeof EmailJson>;

/** A mail in REST responses. */
export function toJsonEmail(email: Email): EmailJson {
  return {
    id: email.id,
    kind: emailKinds.nameOf(email.kind),
    customerId: email.customerId,
    invoiceId: email.invoiceId ?? null,
    creditNoteId: email.creditNoteId ?? null,
    subscriptionId: email.subscriptionId ?? null,
    webhookEventId: email.webhookEventId ?? null,
    to: email.to === '' ? null : email.to,
    from: email.from,
    replyTo: email.replyTo ?? null,
    locale: email.locale,
    subject: email.to === '' ? null : email.subject,
    status: emailStatuses.nameOf(email.status),
    reason: email.reason ?? null,
    attempts: email.attempts,
    resendOf: email.resendOf ?? null,
    sentAt: toJsonOptionalTime(email.sentAt),
    createdAt: toJsonTime(email.createdAt),
    updatedAt: toJsonTime(email.updatedAt),
    content: email.content === undefined ? null : toJsonContent(email.content),
  };
}

function toJsonContent({ text, html, headers, attachments }: EmailContent): EmailContentJson {
  return { text, html, headers, attachments };
}

export const EmailSuppressionJson = z
  .object({
    id,
    email: z.string(),
    reason: z.enum(['HARD_BOUNCE', 'COMPLAINT']),
    emailId: id.meta({ description: 'Email that the address refused.' }),
    createdAt: time.meta({ description: 'In real time.' }),
  })
  .meta({ id: 'EmailSuppression' });

/** A suppressed address in REST responses. */
export function toJsonEmailSuppression(
  suppression: EmailSuppression,
): z.infer<typeof EmailSuppressionJson> {
  const { id, email, reason, emailId, createdAt } = suppression;
  return {
    id,
    email,
    reason: reason === BounceType.BOUNCE_TYPE_COMPLAINT ? 'COMPLAINT' : 'HARD_BOUNCE',
    emailId,
    createdAt: toJsonTime(createdAt),
  };
}
