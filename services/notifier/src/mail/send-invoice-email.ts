import type { Stored } from '@billing/chassis/aggregate';
import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import type { MailKind } from '@billing/presentation/mail-kind';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import type { Email } from './email';
import { readInvoiceFacts } from './events';
import { attachesPdfNow } from '../mail-settings/email-settings';
import { invoiceDocument } from '../attachment/find-mail-document';
import { findMailFacts } from './find-mail-facts';
import { createEmail, type EmailCreation, requireMailServer } from './create-email';
import type { InvoiceFacts } from './mail-event';

/** Kind of the mail that shows an invoice; undefined for an invoice that is not sent. */
export function invoiceMailKind({
  status,
  billingReason,
}: Pick<InvoiceFacts['invoice'], 'status' | 'billingReason'>): MailKind | undefined {
  if (status === 'PAID') return 'RECEIPT';
  // The page of an open session is its checkout, which the payer has left.
  return status === 'OPEN' && billingReason !== 'CHECKOUT' ? 'INVOICE_ISSUED' : undefined;
}

/** Creates the mail of an invoice, also where its kind is off. */
export async function sendInvoiceEmail(
  invoiceId: string,
  context: CallContext,
  creation: EmailCreation,
): Promise<Stored<Email>> {
  const { peers } = creation;
  const answer = await peers.checkout.getInvoice({ id: invoiceId }, context);
  if (answer.invoice === undefined) throw notSendable();
  requireMailServer(context.tenant, creation.fromAddress);
  const invoice = readInvoiceFacts(toJsonInvoice(answer.invoice));
  const kind = invoiceMailKind(invoice);
  if (kind === undefined) throw notSendable();
  const { customerId } = invoice;
  const facts = await findMailFacts(peers, { customerId, productId: undefined }, context);
  if (facts === undefined) throw notSendable();
  const occasion = {
    id: newResourceId(context, 'email'),
    kind,
    event: { kind: 'INVOICE', type: 'invoice.sent', data: { invoice } },
    webhookEventId: null,
  } as const;
  const { state: current } = await creation.settings.read(context);
  const document = attachesPdfNow(current, kind)
    ? await invoiceDocument(answer.invoice, { peers, recipient: facts.recipient, context })
    : undefined;
  return createEmail(occasion, facts, { ...creation, current, document, context });
}

function notSendable(): DomainError {
  const message = 'This invoice cannot be sent';
  return new DomainError('failed_precondition', 'INVOICE_NOT_SENDABLE', message);
}
