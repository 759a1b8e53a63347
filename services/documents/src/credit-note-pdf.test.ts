import { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import {
  InvoiceBuyer,
  InvoiceSeller,
  InvoiceTax,
  TaxReason,
} from '@billing/proto/billing/checkout/v1/invoice_tax';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { renderCreditNotePdf } from './credit-note-pdf';

const issuedAt = new Date('2026-02-28T00:00:00Z');
const january = new Date('2026-01-31T00:00:00Z');
const invoice = { number: 'INV-000001', createdAt: january, finalizedAt: january };
const customer = Customer.fromPartial({ name: 'Ada Lovelace', email: 'ada@example.com' });
const line = { description: 'Pro', amount: 840n, taxAmount: 160n, total: 1_000n };
const seller = InvoiceSeller.fromPartial({ legalName: 'Ada GmbH', footer: 'First\nSecond' });
const buyer = InvoiceBuyer.fromPartial({ name: 'Bob', address: { country: 'DE' } });
const vat = InvoiceTax.fromPartial({
  ...{ reason: TaxReason.TAX_REASON_STANDARD, name: 'VAT', country: 'DE', percent: '19' },
  ...{ base: 840n, amount: 160n },
});

function aNote(change: Partial<CreditNote> = {}): CreditNote {
  return CreditNote.fromPartial({
    ...{ number: 'CN-000001', currency: 'EUR', issuedAt, lines: [line] },
    ...{ subtotal: 840n, tax: 160n, total: 1_000n, reduced: 1_000n, taxes: [vat], seller, buyer },
    ...change,
  });
}

const render = (note: CreditNote, more: object = {}) =>
  renderCreditNotePdf({ note, invoice, customer, ...more });
const pages = (bytes: Buffer) => bytes.toString('latin1').match(/\/Type \/Page\b/g)?.length;

test('the same credit note gives the same bytes, and depends on its snapshots only', async () => {
  const first = await render(aNote());
  expect(first.subarray(0, 5).toString()).toBe('%PDF-');
  const other = Customer.fromPartial({ name: 'Carol', email: 'carol@example.com' });
  expect((await render(aNote(), { customer: other })).equals(first)).toBe(true);
  expect(pages(first)).toBe(1);
});

test.each<[string, Partial<CreditNote>]>([
  ['another seller', { seller: InvoiceSeller.fromPartial({ legalName: 'Other GmbH' }) }],
  ['another buyer', { buyer: undefined }],
  ['other taxes', { taxes: [{ ...vat, amount: 159n }] }],
  ['other lines', { lines: [] }],
  ['another way of its money', { reduced: 0n, refunded: 1_000n }],
  ['a memo', { memo: 'Sorry' }],
])('a credit note with %s gives other bytes', async (_kind, change) => {
  expect((await render(aNote(change))).equals(await render(aNote()))).toBe(false);
});

test('the number of the credited invoice is part of the document', async () => {
  const other = { ...invoice, number: 'INV-000002' };
  expect((await render(aNote(), { invoice: other })).equals(await render(aNote()))).toBe(false);
});

test('a credit note of an environment without seller and tax is rendered', async () => {
  const plain = aNote({ seller: undefined, buyer: undefined, taxes: [], tax: 0n, memo: 'Sorry' });
  expect(pages(await render(plain))).toBe(1);
});

test('a sandbox document says that it is a test', async () => {
  const isMarked = async (isTest: boolean) =>
    (await render(aNote(), { isTest })).toString('latin1').includes('(TEST Credit note ');
  expect([await isMarked(true), await isMarked(false)]).toEqual([true, false]);
});

test.each(['مثال', '株式会社 漢字', 'W'.repeat(2_000), 'a\u0000b\r\nc', ''])(
  'a credit note is rendered for a line %#',
  async (description) => {
    const note = aNote({ lines: [{ ...aNote().lines[0]!, description }], memo: description });
    expect((await render(note)).length).toBeGreaterThan(1_000);
  },
);
