import type { toJsonEmail, toJsonEmailSuppression } from '@billing/proto/json/email';
import type { toJsonEmailSettings, toJsonEmailTemplate } from '@billing/proto/json/email-settings';

export type Email = ReturnType<typeof toJsonEmail>;
export type EmailKind = Email['kind'];
export type EmailSuppression = ReturnType<typeof toJsonEmailSuppression>;
export type EmailSettings = ReturnType<typeof toJsonEmailSettings>;
export type EmailTemplate = ReturnType<typeof toJsonEmailTemplate>;

/** Names of the kinds, in the order of the settings. */
export const emailKindNames: Readonly<Record<EmailKind, string>> = {
  INVOICE_ISSUED: 'Invoice',
  RECEIPT: 'Receipt',
  PAYMENT_FAILED: 'Failed payment',
  ACTION_REQUIRED: 'Payment to confirm',
  PAYMENT_REMINDER: 'Payment reminder',
  CREDIT_NOTE_ISSUED: 'Credit note',
  CARD_EXPIRING: 'Card expires soon',
  TRIAL_STARTED: 'Trial started',
  TRIAL_ENDING: 'Trial ends soon',
  RENEWAL_UPCOMING: 'Renewal soon',
  CANCELLATION_SCHEDULED: 'Cancellation scheduled',
  SUBSCRIPTION_CANCELED: 'Subscription ended',
  PORTAL_LINK: 'Portal sign-in link',
};

export const emailKinds = Object.keys(emailKindNames) as readonly EmailKind[];

/** Reason of an email's status in words, or a dash. */
export function reasonText({ reason }: Pick<Email, 'reason'>): string {
  if (reason === null) return '–';
  const code = /^smtp_(\d+)$/.exec(reason)?.[1];
  return code === undefined ? (reasons[reason] ?? reason) : `Mail server answered ${code}`;
}

const reasons: Readonly<Record<string, string>> = {
  connection_failed: 'Mail server not reached',
  tls_failed: 'Mail server has no valid certificate',
  expired: 'Not sent within three days',
  cannot_render: 'Text could not be rendered',
  hard_bounce: 'Address refused it',
  complaint: 'Recipient complained',
  suppressed: 'Address is suppressed',
  invoice_settled: 'Invoice is no longer open',
  outcome_unknown: 'Mail server did not answer',
};
