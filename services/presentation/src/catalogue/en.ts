import type { MailKind, MailText } from '../mail-kind';

const greeting = 'Hello {{customer.name}},';

const mails: Readonly<Record<MailKind, MailText>> = {
  INVOICE_ISSUED: {
    subject:
      'Invoice {{invoice.number}}{{#seller.name}} from {{seller.name}}{{/seller.name}}: {{invoice.amountDue}}',
    body: `# Invoice {{invoice.number}}

${greeting}

Your invoice for {{invoice.amountDue}} is ready.{{#invoice.dueDate}} Please pay it by {{invoice.dueDate}}.{{/invoice.dueDate}}

{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}

[View and pay the invoice]({{link}})`,
  },
  RECEIPT: {
    subject:
      'Receipt for invoice {{invoice.number}}{{#seller.name}} from {{seller.name}}{{/seller.name}}',
    body: `# Thank you for your payment

${greeting}

We have received your payment for invoice {{invoice.number}}.

- Total: {{invoice.total}}
{{#invoice.description}}- {{invoice.description}}{{/invoice.description}}
{{#invoice.paidAt}}- Paid on {{invoice.paidAt}}{{/invoice.paidAt}}

{{#link}}[View the invoice]({{link}}){{/link}}`,
  },
  PAYMENT_FAILED: {
    subject: 'Your payment of {{invoice.amountDue}} failed',
    body: `# Your payment failed

${greeting}

We could not collect {{invoice.amountDue}} for invoice {{invoice.number}}. {{payment.reason}}

{{#payment.nextAttemptAt}}We will try again on {{payment.nextAttemptAt}}. {{/payment.nextAttemptAt}}You can pay now, also with another card.

[Pay the invoice]({{link}})`,
  },
  ACTION_REQUIRED: {
    subject: 'Please confirm your payment of {{invoice.amountDue}}',
    body: `# Please confirm your payment

${greeting}

Your bank wants you to confirm the payment of {{invoice.amountDue}} for invoice {{invoice.number}}.

[Confirm the payment]({{link}})`,
  },
  PAYMENT_REMINDER: {
    subject: 'Reminder: invoice {{invoice.number}} is not paid',
    body: `# Invoice {{invoice.number}} is not paid

${greeting}

We have not received {{invoice.amountDue}} for invoice {{invoice.number}}{{#invoice.dueDate}}, which was due on {{invoice.dueDate}}{{/invoice.dueDate}}.

[View and pay the invoice]({{link}})`,
  },
  CREDIT_NOTE_ISSUED: {
    subject:
      'Credit note {{creditNote.number}}{{#seller.name}} from {{seller.name}}{{/seller.name}}',
    body: `# Credit note {{creditNote.number}}

${greeting}

We have credited {{creditNote.total}} of invoice {{invoice.number}}.

{{#link}}[View the invoice]({{link}}){{/link}}`,
  },
  TRIAL_STARTED: {
    subject:
      'Your trial{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} has started',
    body: `# Your trial has started

${greeting}

Your trial{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} lasts until {{subscription.trialEnd}}. After it, the subscription is charged.`,
  },
  TRIAL_ENDING: {
    subject:
      'Your trial{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} ends on {{subscription.trialEnd}}',
    body: `# Your trial ends soon

${greeting}

Your trial{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} ends on {{subscription.trialEnd}}.{{#subscription.upcomingAmount}} You will then be charged {{subscription.upcomingAmount}}.{{/subscription.upcomingAmount}}`,
  },
  RENEWAL_UPCOMING: {
    subject: 'Your subscription renews on {{subscription.upcomingAt}}',
    body: `# Your subscription renews soon

${greeting}

Your subscription{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} renews on {{subscription.upcomingAt}}. You will then be charged {{subscription.upcomingAmount}}.`,
  },
  CANCELLATION_SCHEDULED: {
    subject: 'Your subscription ends on {{subscription.endsAt}}',
    body: `# Your subscription will end

${greeting}

Your subscription{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} is canceled. It stays active until {{subscription.endsAt}}.`,
  },
  SUBSCRIPTION_CANCELED: {
    subject: 'Your subscription has ended',
    body: `# Your subscription has ended

${greeting}

Your subscription{{#subscription.product}} of {{subscription.product}}{{/subscription.product}} has ended{{#subscription.endsAt}} on {{subscription.endsAt}}{{/subscription.endsAt}}. It is not charged any more.`,
  },
};

const phrases = {
  testMail: 'TEST: this email is from a test environment. No money moves.',
  contact: 'Questions? Write to {email}.',
  automaticMail:
    '{hasSeller, select, true {{seller} sends} other {We send}} this email automatically.',
  'paymentReason.card_declined': 'The card was declined.',
  'paymentReason.insufficient_funds': 'The card has insufficient funds.',
  'paymentReason.expired_card': 'The card has expired.',
  'paymentReason.card_not_supported': 'The card is not supported.',
  'paymentReason.currency_not_supported': 'The card does not support this currency.',
  'paymentReason.payment_method_unavailable': 'The card can no longer be charged.',
  'paymentReason.no_payment_method': 'No payment method is saved.',
  'paymentReason.other': 'The payment could not be processed.',
};

/** The English texts. */
export const en = { mails, phrases };
