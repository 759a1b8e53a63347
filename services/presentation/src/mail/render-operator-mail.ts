import {
  type MailText,
  type MailValues,
  type MailVariable,
  type OperatorMailKind,
  operatorVariables,
} from '../catalogue/mail-kind';
import { type MailBrand, type RenderedMail, renderTemplate } from './render-mail';

const variables: readonly MailVariable[] = ['seller.name', 'link', ...operatorVariables];

// English, as the dashboard.
const texts: Readonly<Record<OperatorMailKind, MailText>> = {
  TEST: {
    subject: 'Test email{{#seller.name}} from {{seller.name}}{{/seller.name}}',
    body: `# Test email

The mail server accepts emails from this sender. Customers get their emails from it.`,
  },
  INVITATION: {
    subject: 'Invitation to the billing dashboard of {{organization.name}}',
    body: `# Join {{organization.name}}

{{operator.invitedBy}} invites you to the billing dashboard of {{organization.name}}, with the role {{operator.role}}. The link works once, within seven days.

[Accept the invitation]({{link}})

If you do not know the sender, ignore this email.`,
  },
  PASSWORD_RESET: {
    subject: 'Reset your password',
    body: `# Reset your password

Set a new password for the billing dashboard with this link. It works once, within an hour, and signs you out everywhere.

[Set a new password]({{link}})

If you did not ask for this link, ignore this email. Your password stays as it is.`,
  },
  EMAIL_CODE: {
    subject: 'Your code for the new email address',
    body: `# Your code for the new email address

An operator of the billing dashboard wants to sign in with this address. Enter this code on the account page, within an hour:

**{{link}}**

If you did not ask for this code, ignore this email.`,
  },
};

/** Renders a mail to an operator, in English. */
export function renderOperatorMail(
  kind: OperatorMailKind,
  values: MailValues,
  brand?: MailBrand,
): RenderedMail {
  return renderTemplate(texts[kind], variables, { locale: 'en', values, isTest: false, brand });
}
