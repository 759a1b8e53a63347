import type { MailText, MailValues, MailVariable } from '../mail-kind';
import { type MailBrand, type RenderedMail, renderTemplate } from './render-mail';

/** Kinds of mails to operators. */
export type OperatorMailKind = 'TEST';

const variables: readonly MailVariable[] = ['seller.name'];

// English, as the dashboard.
const texts: Readonly<Record<OperatorMailKind, MailText>> = {
  TEST: {
    subject: 'Test email{{#seller.name}} from {{seller.name}}{{/seller.name}}',
    body: `# Test email

The mail server accepts emails from this sender. Customers get their emails from it.`,
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
