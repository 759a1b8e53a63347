import { inflateSync } from 'node:zlib';
import { toCii } from '@billing/presentation/cii';
import { toUbl } from '@billing/presentation/ubl';
import { type Invoice, InvoiceStatus, Payment } from '@billing/proto/billing/checkout/v1/checkout';
import { TaxReason, TaxStatus } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { renderCreditNotePdf } from '@billing/documents/credit-note-pdf';
import { renderInvoicePdf } from '@billing/documents/invoice-pdf';
import { creditNoteModel } from './credit-note-model';
import { asFinalised, asIssued } from './downloads';
import { invoiceModel } from './invoice-model';
import {
  creditNoteOf,
  finalizedAt,
  type Sale,
  sales,
  taxedInvoice,
  yearly,
} from './testing/documents';

const modelOf = (sale: Sale) => invoiceModel(taxedInvoice(sale), 'EN16931');
const namedSale = (name: keyof typeof sales): Sale => sales[name]!;

describe('an invoice', () => {
  test.each<[string, { category: string; percent?: string; amount: bigint }[]]>([
    ['taxed at a standard rate', [{ category: 'S', percent: '19', amount: 551n }]],
    [
      'taxed at home and exempt',
      [
        { category: 'S', percent: '19', amount: 551n },
        { category: 'E', percent: '0', amount: 0n },
      ],
    ],
    ['with reverse charge', [{ category: 'AE', percent: '0', amount: 0n }]],
    ['exempt from tax', [{ category: 'E', percent: '0', amount: 0n }]],
    ['taxed at a rate of zero', [{ category: 'Z', percent: '0', amount: 0n }]],
    ['not subject to tax', [{ category: 'O', amount: 0n }]],
  ])('%s has its VAT categories', (name, expected) => {
    const { taxes, lines, seller, buyer } = modelOf(namedSale(name));
    expect(taxes).toMatchObject(expected);
    expect(new Set(lines.map(({ category }) => category))).toEqual(
      new Set(expected.map(({ category }) => category)),
    );
    const isOutOfScope = expected[0]?.category === 'O';
    expect(seller.vatId).toBe(isOutOfScope ? undefined : 'DE136695976');
    expect(buyer.vatId).toBe(name === 'with reverse charge' ? 'FR40303265045' : undefined);
  });

  test.each(Object.entries(sales))('%s has lines and taxes that add up', (_name, sale) => {
    const invoice = taxedInvoice(sale);
    const { net, tax, taxes, lines } = invoiceModel(invoice, 'EN16931');
    expect(net + tax).toBe(invoice.total);
    expect(lines.reduce((sum, line) => sum + line.net, 0n)).toBe(net);
    expect(taxes.reduce((sum, { amount }) => sum + amount, 0n)).toBe(tax);
    expect(taxes.reduce((sum, { base }) => sum + base, 0n)).toBe(net);
  });

  test('writes quantity and price where they multiply to the amount of an untaxed price', () => {
    const shown = (name: string) =>
      modelOf(namedSale(name)).lines.map(({ quantity, unitPrice, description }) => [
        quantity,
        unitPrice,
        description,
      ]);
    expect(shown('with a negative line and a rounded line')).toEqual([
      ['2', '1450', undefined],
      ['1', '4', 'Quantity: 7'],
      ['-1', '150', undefined],
    ]);
    expect(shown('with prices that include tax')[0]).toEqual(['1', '839', 'Quantity: 2']);
  });

  test('writes its discount as allowances of its lines', () => {
    const xml = toUbl(modelOf(namedSale('with a discount')));
    expect(xml).toContain('<cbc:AllowanceChargeReason>Launch</cbc:AllowanceChargeReason>');
    expect(xml).toContain('<cbc:LineExtensionAmount currencyID="EUR">26.10<');
  });

  test.each(['with two discounts', 'with prices that include tax and two discounts'])(
    '%s names the one that lessens each line',
    (name) => {
      const { lines } = modelOf(namedSale(name));
      expect(lines.map(({ discount }) => discount?.reason)).toEqual(['Launch', 'Former']);
    },
  );

  test('in yen has amounts without decimals', () => {
    const xml = toCii(modelOf(namedSale('in yen')));
    expect(xml).toContain('<ram:GrandTotalAmount>3451</ram:GrandTotalAmount>');
    expect(xml).toContain('<ram:ChargeAmount>1450</ram:ChargeAmount>');
  });

  test('merges taxes that differ in country only', () => {
    const invoice = taxedInvoice({ lines: [yearly] });
    const [row] = invoice.taxes;
    const taxes = [row!, { ...row!, country: 'RO' }];
    const merged = invoiceModel({ ...invoice, taxes, tax: 1102n }, 'EN16931').taxes;
    expect(merged).toMatchObject([{ base: 5800n, amount: 1102n }]);
  });

  test('writes lines that are not subject to tax as exempt alongside taxed ones', () => {
    const invoice = taxedInvoice({ lines: [yearly] });
    const outside = taxedInvoice({ lines: [yearly], country: 'US' });
    const mixed = {
      ...invoice,
      lineItems: [...invoice.lineItems, ...outside.lineItems],
      taxes: [...invoice.taxes, ...outside.taxes],
    };
    const { taxes, lines } = invoiceModel(mixed, 'EN16931');
    expect(taxes).toMatchObject([
      { category: 'S' },
      { category: 'E', percent: '0', exemption: 'Not subject to tax' },
    ]);
    expect(lines.map(({ category }) => category)).toEqual(['S', 'E']);
  });

  test('names what was paid when it was finalised', () => {
    const applied = modelOf(namedSale('charged automatically, with balance applied'));
    expect([applied.prepaid, applied.terms]).toEqual([549n, 'Charged automatically']);
    expect(modelOf(namedSale('paid at the checkout')).prepaid).toBe(3451n);
    expect(modelOf({ lines: [yearly] })).toMatchObject({ prepaid: 0n, terms: undefined });
  });

  test('has a period that contains those of its lines, with inclusive last days', () => {
    const midnight = (day: string) => new Date(`${day}T00:00:00Z`);
    const late = {
      ...{ description: 'Late', pricedAmount: 1n },
      ...{ periodStart: midnight('2025-11-01'), periodEnd: midnight('2025-12-01') },
    };
    const xml = toUbl(modelOf({ lines: [yearly, late] }));
    const days = [...xml.matchAll(/<cbc:(?:Start|End)Date>(.*)</g)].map(([, day]) => day);
    expect(days).toEqual([
      ...['2025-11-01', '2027-01-31'],
      ...['2026-01-31', '2027-01-31'],
      ...['2025-11-01', '2025-11-30'],
    ]);
  });
});

describe('an electronic invoice is refused', () => {
  const invoice = taxedInvoice({ lines: [yearly] });
  const outside = taxedInvoice({ lines: [yearly], country: 'US' });
  const reverse = taxedInvoice({ lines: [yearly], country: 'FR', taxExempt: 'REVERSE' });
  const bare = { legalName: 'Ada', taxIds: [] } as unknown as Invoice['seller'];
  const unnamed = { taxIds: [] } as unknown as Invoice['buyer'];

  test.each<[string, Invoice, string]>([
    ['a draft', { ...invoice, status: InvoiceStatus.INVOICE_STATUS_DRAFT }, 'a finalised invoice'],
    ['a voided', { ...invoice, status: InvoiceStatus.INVOICE_STATUS_VOID }, 'a finalised invoice'],
    ['an untaxed', { ...invoice, taxStatus: TaxStatus.TAX_STATUS_NONE }, 'a finalised invoice'],
    ['a dinar', { ...invoice, currency: 'KWD' }, 'a currency with at most 2 decimals'],
    [
      'an anonymous',
      { ...invoice, seller: bare, buyer: unnamed },
      'seller.taxIds, buyer.name, buyer.address.country',
    ],
    ['an unregistered', { ...outside, seller: bare }, 'seller.registrationNumber'],
    ['a reverse charge', reverse, 'buyer.taxIds'],
  ])('for %s invoice', (_name, refused, message) => {
    const error = expect.objectContaining({
      kind: 'failed_precondition',
      message: `E-invoice needs ${message}`,
    });
    expect(() => invoiceModel(refused, 'EN16931')).toThrow(error);
    expect(() => creditNoteModel(creditNoteOf(refused), refused, 'EN16931')).toThrow(error);
  });

  test('by XRechnung for what EN 16931 does not need', () => {
    const seller = { ...bare!, taxIds: invoice.seller!.taxIds };
    const buyer = { ...unnamed!, name: 'Bob', address: { country: 'DE' } } as Invoice['buyer'];
    const sparse = { ...invoice, seller, buyer };
    expect(invoiceModel(sparse, 'EN16931').number).toBe('INV-000001');
    expect(() => invoiceModel(sparse, 'XRECHNUNG')).toThrow(
      'E-invoice needs seller.contactName, seller.phone, seller.email, seller.address.city, seller.address.postalCode, seller.bankAccount, buyer.email, buyer.address.city, buyer.address.postalCode, buyer.buyerReference',
    );
  });
});

describe('a credit note', () => {
  const invoice = taxedInvoice({ lines: [yearly], change: { purchaseOrder: 'PO-7' } });
  const model = creditNoteModel(creditNoteOf(invoice), invoice, 'EN16931');

  test('is of type 381 and names the credited invoice', () => {
    const ubl = toUbl(model);
    expect(ubl).toContain('<CreditNote xmlns=');
    expect(ubl).toContain('<cbc:CreditNoteTypeCode>381<');
    expect(ubl).toContain('<cbc:ID>INV-000001<');
    expect(toCii(model)).toContain('<ram:IssuerAssignedID>INV-000001<');
    expect(model).toMatchObject({ net: 2900n, tax: 551n, prepaid: 0n });
  });

  test('does not change with its refunds', async () => {
    const note = creditNoteOf(invoice);
    const moved = creditNoteOf(invoice, { reduced: 0n, unsettled: 3451n });
    expect(creditNoteModel(moved, invoice, 'EN16931')).toEqual(model);
    const render = (shown: typeof note) =>
      renderCreditNotePdf({ note: asIssued(shown), invoice, customer: {} as never, facturX: 'x' });
    expect((await render(moved)).equals(await render(note))).toBe(true);
  });
});

describe('a Factur-X file', () => {
  const invoice = taxedInvoice(namedSale('charged automatically, with balance applied'));
  const render = (shown: Invoice) =>
    renderInvoicePdf({
      ...{ invoice: asFinalised(shown), customer: {} as never },
      facturX: toCii(invoiceModel(shown, 'EN16931')),
    });

  test('is PDF/A-3b with the XML inside', async () => {
    const text = (await render(invoice)).toString('latin1');
    expect(text).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(text).toContain('<fx:DocumentFileName>factur-x.xml</fx:DocumentFileName>');
    expect(text).toContain('/AFRelationship /Alternative');
  });

  test('has the XML of the CII download inside, unchanged', async () => {
    expect(streamsOf(await render(invoice))).toContain(toCii(invoiceModel(invoice, 'EN16931')));
  });

  test('has the same bytes after payments and credit notes', async () => {
    const later: Invoice = {
      ...invoice,
      status: InvoiceStatus.INVOICE_STATUS_PAID,
      payments: [Payment.fromPartial({ amount: 2000n, createdAt: finalizedAt })],
      ...{ amountPaid: 2000n, amountReduced: 902n, amountCredited: 902n, amountDue: 0n },
      creditNoteIds: ['n1'],
    };
    expect((await render(later)).equals(await render(invoice))).toBe(true);
  });
});

/** The compressed streams of a PDF, as text. */
function streamsOf(pdf: Buffer): string[] {
  const streams = pdf.toString('latin1').matchAll(/\nstream\r?\n(?<bytes>[^]*?)\r?\nendstream/g);
  return [...streams].flatMap(({ groups }) => {
    const bytes = Buffer.from(groups?.bytes ?? '', 'latin1');
    // The first byte of zlib's format.
    return bytes[0] === 0x78 ? [inflateSync(bytes).toString('utf8')] : [];
  });
}

test('a tax without a reason is no tax of a finalised document', () => {
  const invoice = taxedInvoice({ lines: [yearly] });
  const taxes = [{ ...invoice.taxes[0]!, reason: TaxReason.TAX_REASON_UNSPECIFIED }];
  expect(() => invoiceModel({ ...invoice, taxes }, 'EN16931')).toThrow('has the tax reason');
});
