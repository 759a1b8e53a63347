import type { ChangePicture, InvoicePicture, Picture } from '../picture/picture';
import { aChange, aCreditNote, anInvoice, line, recurringLine, secondInvoice } from '../testing';
import { invoices } from './payment-violations';

const changes = (one: Partial<ChangePicture>): Partial<Picture> => ({ changes: [aChange(one)] });
const items = (quantity: number) => ({
  items: [{ productId: 'product-1', priceId: 'price-1', quantity }],
  discountId: 'discount-1',
});

/** An invoice of a change, and the change. */
const charged = (
  { status, ...invoice }: Partial<InvoicePicture>,
  ...all: Partial<ChangePicture>[]
): Partial<Picture> => ({
  invoices: [
    anInvoice({ ...invoice, status: status ?? 'PAID', billingReason: 'SUBSCRIPTION_CHANGE' }),
    secondInvoice,
  ],
  changes: all.map((one) => aChange({ invoiceId: 'invoice-1', ...one })),
});

/** Violations by changes of subscriptions that a system must not show. */
export const changeViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  ['I14', 'a change that the subscription does not show', changes({ to: items(3) })],
  [
    'I14',
    'a change that begins with what none has left',
    {
      changes: [
        aChange({}),
        aChange({ id: 'change-2', from: items(7), to: items(5) }),
        aChange({ id: 'change-3', from: items(6), to: items(2) }),
      ],
    },
  ],
  ['I15', 'an invoice with more credit than its total', { creditNotes: [aCreditNote(3)] }],
  ['I16', 'an invoice of no change', charged({})],
  ['I16', 'an invoice of two changes', charged({}, {}, { id: 'change-2', status: 'CANCELED' })],
  ['I16', 'an open invoice of a failed change', charged({ status: 'OPEN' }, { status: 'FAILED' })],
  ['I16', 'a paid invoice of a failed change', charged({}, { status: 'FAILED' })],
  [
    'I60',
    'a number of two invoices',
    invoices(anInvoice(), { ...secondInvoice, number: 'INV-000001' }),
  ],
  [
    'I60',
    'a number of two credit notes',
    { creditNotes: [aCreditNote(1), { ...aCreditNote(1), id: 'note-2' }] },
  ],
  [
    'I61',
    'a period that is billed twice',
    invoices(
      anInvoice({ lineItems: [recurringLine] }),
      { ...secondInvoice, lineItems: [{ ...recurringLine, id: 'line-2' }] },
      anInvoice({ id: 'invoice-3', number: 'INV-000003', lineItems: [line] }),
    ),
  ],
];
