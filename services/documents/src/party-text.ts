import type { InvoiceBuyer, InvoiceSeller } from '@billing/proto/billing/checkout/v1/invoice_tax';
import type { Customer, TaxId } from '@billing/proto/billing/customer/v1/customer';
import { billedLines } from './customer-text';
import type { Text } from './reader';
import { say } from './say';

/** Lines that name the seller of an invoice. */
export function sellerLines(seller: InvoiceSeller): Text[] {
  const { legalName: name, contactName, phone, registrationNumber } = seller;
  return [
    ...billedLines({ name, email: seller.email ?? '', address: seller.address }),
    ...[contactName, phone].filter((text) => text !== undefined),
    ...taxIdLines(seller.taxIds),
    ...(registrationNumber === undefined
      ? []
      : [say('invoice.registrationNumber', { number: registrationNumber })]),
  ];
}

/** Lines that name the buyer of an invoice: as finalized, otherwise the present customer. */
export function buyerLines(
  buyer: InvoiceBuyer | undefined,
  customer: Customer | undefined,
): Text[] {
  if (buyer === undefined) return customer === undefined ? [] : billedLines(customer);
  const { name, email = '', address, taxIds, buyerReference } = buyer;
  return [
    ...billedLines({ name, email, address }),
    ...taxIdLines(taxIds),
    ...(buyerReference === undefined
      ? []
      : [say('invoice.reference', { reference: buyerReference })]),
  ];
}

/** Lines that say where an invoice is transferred to; empty without a bank account. */
export function transferLines(seller: InvoiceSeller, number: string | undefined): Text[] {
  const { bankAccount } = seller;
  if (bankAccount === undefined) return [];
  const { holder, iban, bic } = bankAccount;
  const groups = iban.match(/.{1,4}/gu) ?? [];
  return [
    say('invoice.accountHolder', { holder }),
    say('invoice.iban', { iban: groups.join(' ') }),
    ...(bic === undefined ? [] : [say('invoice.bic', { bic })]),
    ...(number === undefined ? [] : [say('invoice.paymentReference', { number })]),
  ];
}

/** Memo of a document, then registration and footer of its seller, each as its lines. */
export function sellerTexts(seller: InvoiceSeller, memo: string | undefined): string[][] {
  return [memo, seller.registrationText, seller.footer]
    .filter((text) => text !== undefined)
    .map((text) => text.split(/\r?\n/u));
}

function taxIdLines(taxIds: readonly TaxId[]): Text[] {
  return taxIds.map(({ value }) => say('invoice.taxIdLine', { id: value }));
}
