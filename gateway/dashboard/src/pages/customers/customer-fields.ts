import type { CustomerText } from '@billing/kernel/input/customer';
import type { Customer } from '../../resources/customer';
import { taxIdTypes } from '../../resources/tax/tax-ids';

type FieldName = 'email' | 'externalId' | CustomerText;

/** Single-line field of a customer. */
export interface CustomerField {
  readonly name: FieldName;
  readonly input: {
    readonly label: string;
    readonly type?: 'email' | 'tel';
    readonly hint?: string;
  };
  /** True if the field cannot be changed after creation. */
  readonly isFixed?: boolean;
}

const fields: Readonly<Record<FieldName, Omit<CustomerField, 'name'>>> = {
  email: { input: { label: 'Email', type: 'email' } },
  name: { input: { label: 'Name' } },
  externalId: {
    input: {
      label: 'External ID',
      hint: 'Optional. ID in your system. It cannot be changed later.',
    },
    isFixed: true,
  },
  phone: { input: { label: 'Phone', type: 'tel' } },
  buyerReference: {
    input: { label: 'Buyer reference', hint: 'Optional. Shown on invoices.' },
  },
};

/** Fields of the form and the page, in the order of the form. */
export const customerFields: readonly CustomerField[] = Object.entries(fields).map(
  ([name, field]) => ({ name: name as FieldName, ...field }),
);

/** Ways to collect invoices with their labels. */
export const collectionMethods = [
  ['CHARGE_AUTOMATICALLY', 'Charge automatically'],
  ['SEND_INVOICE', 'Send invoice'],
] as const;

/** Tax exemptions with their labels. */
export const taxExemptions = [
  ['NONE', 'None'],
  ['EXEMPT', 'Exempt from tax'],
  ['REVERSE', 'Reverse charge: the customer owes the tax'],
] as const;

type Terms = Pick<Customer, 'collectionMethod' | 'netDays' | 'locale' | 'taxIds' | 'taxExempt'>;

/** Terms of a customer as texts, for its page. */
export function termsOf(customer: Terms): readonly (readonly [string, string])[] {
  const { netDays, locale, taxIds } = customer;
  const ids = taxIds.map(({ type, value }) => `${value} (${labelOf(taxIdTypes, type)})`);
  return [
    ['Collection', labelOf(collectionMethods, customer.collectionMethod)],
    ['Net days', netDays === null ? 'Those of the seller' : String(netDays)],
    ['Language', locale ?? 'That of the branding'],
    ['Tax ids', ids.join(', ') || '–'],
    ['Tax exemption', labelOf(taxExemptions, customer.taxExempt)],
  ];
}

function labelOf(choices: readonly (readonly [string, string])[], value: string): string {
  return choices.find(([choice]) => choice === value)?.[1] ?? value;
}
