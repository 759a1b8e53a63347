import { BuyerFacts } from '@billing/proto/billing/checkout/v1/invoice_tax';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';

/** Encodes what invoices need to know of a customer. Commands keep it as a text. */
export function writeBuyer(customer: Customer): string {
  const { name, email, phone, address, taxIds, buyerReference, taxExempt, netDays, locale } =
    customer;
  const buyer = { name, email, phone, address, taxIds, buyerReference };
  return JSON.stringify(BuyerFacts.toJSON({ buyer, taxExempt, netDays, locale }));
}

/** Decodes what `writeBuyer` has encoded; undefined for an unknown customer. */
export function readBuyer(text: string | undefined): BuyerFacts | undefined {
  return text === undefined ? undefined : BuyerFacts.fromJSON(JSON.parse(text));
}
