/** Kinds of mails to payers. */
export const mailKinds = [
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
] as const;

export type MailKind = (typeof mailKinds)[number];

/** Kinds of mails to operators. */
export type OperatorMailKind = 'TEST' | 'INVITATION' | 'PASSWORD_RESET' | 'EMAIL_CODE';

/** Subject and body of a mail, with `{{variables}}`; the body is Markdown. */
export interface MailText {
  readonly subject: string;
  readonly body: string;
}

const ofAll = [
  'seller.name',
  'seller.supportEmail',
  'seller.supportUrl',
  'customer.name',
  'customer.email',
  'link',
] as const;

const ofInvoices = [
  'invoice.number',
  'invoice.total',
  'invoice.amountDue',
  'invoice.amountPaid',
  'invoice.issuedAt',
  'invoice.dueDate',
  'invoice.paidAt',
  'invoice.description',
  'card',
] as const;

const ofFailures = ['payment.reason', 'payment.attempt', 'payment.nextAttemptAt'] as const;

const ofCreditNotes = ['creditNote.number', 'creditNote.total', 'invoice.number'] as const;

const ofCards = ['card', 'card.expiry'] as const;

const ofSubscriptions = [
  'subscription.product',
  'subscription.trialEnd',
  'subscription.periodEnd',
  'subscription.endsAt',
  'subscription.upcomingAmount',
  'subscription.upcomingAt',
] as const;

/** Variables of mails to operators alone. */
export const operatorVariables = [
  'organization.name',
  'operator.role',
  'operator.invitedBy',
] as const;

export type MailVariable =
  | (typeof ofAll)[number]
  | (typeof ofInvoices)[number]
  | (typeof ofFailures)[number]
  | (typeof ofCreditNotes)[number]
  | (typeof ofCards)[number]
  | (typeof ofSubscriptions)[number]
  | (typeof operatorVariables)[number];

/** Values of variables, formatted in the mail's locale. A variable without a value is absent. */
export type MailValues = Readonly<Partial<Record<MailVariable, string>>>;

const variables: Readonly<Record<MailKind, readonly MailVariable[]>> = {
  INVOICE_ISSUED: [...ofAll, ...ofInvoices],
  RECEIPT: [...ofAll, ...ofInvoices],
  PAYMENT_FAILED: [...ofAll, ...ofInvoices, ...ofFailures],
  ACTION_REQUIRED: [...ofAll, ...ofInvoices, ...ofFailures],
  PAYMENT_REMINDER: [...ofAll, ...ofInvoices],
  CREDIT_NOTE_ISSUED: [...ofAll, ...ofCreditNotes],
  CARD_EXPIRING: [...ofAll, ...ofCards],
  TRIAL_STARTED: [...ofAll, ...ofSubscriptions],
  TRIAL_ENDING: [...ofAll, ...ofSubscriptions],
  RENEWAL_UPCOMING: [...ofAll, ...ofSubscriptions],
  CANCELLATION_SCHEDULED: [...ofAll, ...ofSubscriptions],
  SUBSCRIPTION_CANCELED: [...ofAll, ...ofSubscriptions],
  PORTAL_LINK: ofAll,
};

/** Variables that texts of a kind may use. */
export function variablesOf(kind: MailKind): readonly MailVariable[] {
  return variables[kind];
}

const askingKinds: readonly (MailKind | OperatorMailKind)[] = [
  'INVOICE_ISSUED',
  'PAYMENT_FAILED',
  'ACTION_REQUIRED',
  'PAYMENT_REMINDER',
];

/** True for a kind that asks for the payment of an invoice. */
export function asksForPayment(kind: MailKind | OperatorMailKind): boolean {
  return askingKinds.includes(kind);
}

/** True for a kind whose mails have the document that they are about as PDF. */
export function attachesPdf(kind: MailKind): boolean {
  return ['INVOICE_ISSUED', 'RECEIPT', 'PAYMENT_REMINDER', 'CREDIT_NOTE_ISSUED'].includes(kind);
}

/** True for a kind whose text is useless without the link to its page. */
export function needsLink(kind: MailKind): boolean {
  return asksForPayment(kind) || kind === 'PORTAL_LINK';
}
