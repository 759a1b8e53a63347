import type { CustomerText } from '@billing/kernel/input/customer';

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
