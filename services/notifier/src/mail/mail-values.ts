import { amountText } from '@billing/presentation/amount-text';
import { cardText } from '@billing/presentation/card-text';
import { dateText } from '@billing/presentation/date-text';
import { lineText } from '@billing/presentation/line-text';
import type { MailValues } from '@billing/presentation/mail-kind';
import { paymentReasonText } from '@billing/presentation/phrase';
import type { MailBrand } from '@billing/presentation/render-mail';
import type {
  CardFacts,
  CreditNoteFacts,
  InvoiceFacts,
  MailEvent,
  SubscriptionFacts,
} from './mail-event';

/** Facts that the event does not tell, read when the mail is made. */
export interface MailFacts {
  readonly customer: { readonly email: string; readonly name: string | undefined };
  readonly seller: {
    readonly name: string | undefined;
    readonly email: string | undefined;
    readonly supportUrl: string | undefined;
  };
  readonly brand: MailBrand;
  /** Page on which customers ask for a link to the portal; absent: unknown. */
  readonly portalUrl?: string | undefined;
  /** Locale of the mail. */
  readonly locale: string;
  /** Absent where the mail is about no product. */
  readonly productName: string | undefined;
}

/** Values of a mail's variables, formatted in its locale. */
export function mailValues(event: MailEvent, facts: MailFacts, locale: string): MailValues {
  const { customer, seller } = facts;
  const common = {
    'seller.name': seller.name,
    'seller.supportEmail': seller.email,
    'seller.supportUrl': seller.supportUrl,
    'customer.name': customer.name ?? customer.email,
    'customer.email': customer.email,
  };
  switch (event.kind) {
    case 'INVOICE':
      return { ...common, ...invoiceValues(event.data, locale) };
    case 'CREDIT_NOTE':
      return { ...common, ...creditNoteValues(event.data, locale) };
    case 'CARD':
      return { ...common, link: facts.portalUrl, ...cardValues(event.data) };
    case 'PORTAL':
      return { ...common, link: event.data.url };
    case 'SUBSCRIPTION':
      return {
        ...common,
        link: facts.portalUrl,
        ...subscriptionValues(event.data, facts.productName, locale),
      };
  }
}

function invoiceValues(data: InvoiceFacts, locale: string): MailValues {
  const { invoice, failureCode, attempt, nextAttemptAt } = data;
  const amount = (value: bigint) => amountText(value, invoice.currency, locale);
  const isFailure = attempt !== undefined;
  const [line] = invoice.lineItems;
  return {
    link: invoice.hostedUrl ?? undefined,
    'invoice.number': invoice.number ?? undefined,
    'invoice.total': amount(invoice.total),
    'invoice.amountDue': amount(invoice.amountDue),
    'invoice.amountPaid': amount(invoice.amountPaid),
    'invoice.issuedAt': optionalDate(invoice.finalizedAt, locale),
    'invoice.dueDate': optionalDate(invoice.dueDate, locale),
    'invoice.paidAt': optionalDate(invoice.paidAt, locale),
    'invoice.description': line && lineText(line, locale),
    card: cardOfInvoice(data),
    'payment.reason': isFailure ? paymentReasonText(failureCode ?? null, locale) : undefined,
    'payment.attempt': isFailure ? String(attempt) : undefined,
    'payment.nextAttemptAt': optionalDate(nextAttemptAt ?? null, locale),
  };
}

// The card that paid or failed: that of the event, otherwise of the last such payment.
function cardOfInvoice({ invoice, payment }: InvoiceFacts): string | undefined {
  const ended = invoice.status === 'PAID' ? 'SUCCEEDED' : 'FAILED';
  const last = payment ?? invoice.payments?.findLast(({ status }) => status === ended);
  const card = last?.card;
  return card === null || card === undefined ? undefined : cardText(card.brand, card.last4);
}

function creditNoteValues({ creditNote, invoice }: CreditNoteFacts, locale: string): MailValues {
  return {
    link: invoice.hostedUrl ?? undefined,
    'invoice.number': invoice.number ?? undefined,
    'creditNote.number': creditNote.number ?? undefined,
    'creditNote.total': amountText(creditNote.total, creditNote.currency, locale),
  };
}

function cardValues({ paymentMethod }: CardFacts): MailValues {
  const { brand, last4, expiryMonth: month, expiryYear: year } = paymentMethod;
  const isDated = month !== null && year !== null;
  return {
    card: cardText(brand, last4),
    'card.expiry': isDated ? `${String(month).padStart(2, '0')}/${String(year)}` : undefined,
  };
}

function subscriptionValues(
  { subscription, upcoming }: SubscriptionFacts,
  productName: string | undefined,
  locale: string,
): MailValues {
  const { trialEnd, currentPeriodEnd, endedAt } = subscription;
  return {
    'subscription.product': productName,
    'subscription.trialEnd': optionalDate(trialEnd, locale),
    'subscription.periodEnd': dateText(currentPeriodEnd, locale),
    'subscription.endsAt': dateText(endedAt ?? currentPeriodEnd, locale),
    'subscription.upcomingAmount':
      upcoming && amountText(upcoming.amount, upcoming.currency, locale),
    'subscription.upcomingAt': optionalDate(upcoming?.at ?? null, locale),
  };
}

function optionalDate(date: Date | null, locale: string): string | undefined {
  return date === null ? undefined : dateText(date, locale);
}
