import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BillingReason,
  Invoice,
  InvoiceStatus,
  LineItem,
  LineItemDetails,
  Payment,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import {
  InvoiceBuyer,
  InvoiceSeller,
  InvoiceTax,
  TaxReason,
  TaxStatus,
} from '@billing/proto/billing/checkout/v1/invoice_tax';
import { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { CollectionMethod, Customer, TaxIdType } from '@billing/proto/billing/customer/v1/customer';
import { renderInvoicePdf } from './invoice-pdf';
import { catalogues } from '@billing/presentation/catalogues';
import { languages } from '@billing/presentation/locale';
import { fontFor, pdfFonts, runsRightToLeft, showable } from './fonts';

const start = new Date('2026-01-31T00:00:00Z');
const end = new Date('2026-02-28T00:00:00Z');

function aLine(change: Partial<LineItem> = {}): LineItem {
  return LineItem.fromPartial({
    description: 'Pro',
    quantity: '1',
    unitAmount: '2900',
    amount: 2900n,
    periodStart: start,
    periodEnd: end,
    ...change,
  });
}

function anInvoice(change: Partial<Invoice> = {}): Invoice {
  return Invoice.fromPartial({
    id: '0197a000-0000-7000-8000-000000000001',
    customerId: '0197a000-0000-7000-8000-000000000002',
    number: 'INV-000001',
    status: InvoiceStatus.INVOICE_STATUS_OPEN,
    billingReason: BillingReason.BILLING_REASON_SUBSCRIPTION_CREATE,
    currency: 'USD',
    subtotal: 2900n,
    total: 2900n,
    amountDue: 2900n,
    createdAt: start,
    hostedUrl: 'https://pay.example/invoice/token',
    lineItems: [aLine()],
    ...change,
  });
}

const customer = Customer.fromPartial({ name: 'Ada Lovelace', email: 'ada@example.com' });

const pages = (bytes: Buffer) => bytes.toString('latin1').match(/\/Type \/Page\b/g)?.length;

test('the same invoice gives the same bytes', async () => {
  const first = await renderInvoicePdf({ invoice: anInvoice(), customer });
  // The document must not depend on the time at which it is made.
  jest.useFakeTimers({ now: new Date('2031-01-01T00:00:00Z'), doNotFake: ['nextTick'] });
  const second = await renderInvoicePdf({ invoice: anInvoice(), customer });
  jest.useRealTimers();
  expect(first.subarray(0, 5).toString()).toBe('%PDF-');
  expect(second.equals(first)).toBe(true);
});

const paid = anInvoice({
  status: InvoiceStatus.INVOICE_STATUS_PAID,
  payments: [
    Payment.fromPartial({
      ...{ amount: 2800n, currency: 'USD', createdAt: start },
      status: PaymentStatus.PAYMENT_STATUS_SUCCEEDED,
    }),
  ],
  ...{ amountPaid: 2800n, amountDue: 0n, total: 2800n, discountAmount: 100n },
  discounts: [{ discountId: 'x', name: 'Launch', amount: 100n }],
  lineItems: [
    aLine({
      ...{ unitAmount: undefined, quantity: '12' },
      details: LineItemDetails.fromPartial({
        tiers: [
          { quantity: '10', unitAmount: '200', flatAmount: '0', amount: '2000' },
          { quantity: '2', unitAmount: '400', flatAmount: '100', amount: '900' },
        ],
        ...{ billedQuantity: '12', includedUnits: '0', exactAmount: '2900' },
      }),
    }),
  ],
});
const long = anInvoice({
  lineItems: Array.from({ length: 100 }, (_, index) =>
    aLine({ description: `Line ${String(index)}` }),
  ),
});

// Recorded before credit notes shared the layout. Another PDF library or other fonts change them.
test.each([
  [
    'an open one',
    anInvoice(),
    false,
    'c62af02ca0e15377f0729983096cb4f976304465abca98fdd717f2aa7f4da502',
  ],
  [
    'a paid one of a sandbox',
    paid,
    true,
    '51b3799713fd0087dc19581781d202f4589706dfd1621e30c61b1cfa181b844c',
  ],
  ['a long one', long, false, 'c0201ab448619dcb89529e8ce2bb787cd0599f886342fa03c9b8e4dc6c387603'],
])(
  'the bytes of an invoice without a seller stay the same: %s',
  async (_kind, invoice, isTest, sha256) => {
    const bytes = await renderInvoicePdf({ invoice, customer, isTest });
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  },
);

test('an open invoice has a link to its payment page, another one has none', async () => {
  const link = /\/URI \(https:\/\/pay\.example\/invoice\/token\)/g;
  const linksOf = async (status: InvoiceStatus) => {
    const bytes = await renderInvoicePdf({ invoice: anInvoice({ status }), customer });
    return bytes.toString('latin1').match(link)?.length ?? 0;
  };
  expect(await linksOf(InvoiceStatus.INVOICE_STATUS_OPEN)).toBe(2);
  expect(await linksOf(InvoiceStatus.INVOICE_STATUS_PAID)).toBe(0);
});

test('a sandbox document says that it is a test', async () => {
  const isMarked = async (isTest: boolean) => {
    const bytes = await renderInvoicePdf({ invoice: anInvoice(), customer, isTest });
    return bytes.toString('latin1').includes('(TEST Invoice ');
  };
  expect([await isMarked(true), await isMarked(false)]).toEqual([true, false]);
});

test('another invoice gives other bytes', async () => {
  const first = await renderInvoicePdf({ invoice: anInvoice(), customer });
  const second = await renderInvoicePdf({ invoice: anInvoice({ total: 1n }), customer });
  expect(second.equals(first)).toBe(false);
});

test.each([
  ['Latin with marks', 'Zażółć gęślą jaźń, Łukasz Ångström'],
  ['Greek', 'Ελληνικά'],
  ['Cyrillic', 'Фёдор Достоевский'],
  ['Arabic', 'شركة المثال للتجارة'],
  ['Hebrew', 'חברת הדוגמה'],
  ['both directions', 'Acme שלום 123 مرحبا Ltd'],
  ['Chinese and Japanese', '株式会社サンプル 漢字'],
  ['Korean', '주식회사 예제'],
  ['Devanagari', 'भारत उदाहरण'],
  ['Thai', 'บริษัท ตัวอย่าง'],
  ['faces and families', '👩‍👩‍👧‍👦 😀 🇩🇪'],
  ['controls', 'a\u0000b\u0007c\r\nd\te\u202Ef\u200B'],
  ['half of a pair', 'x\uD800y'],
  ['combining marks without end', `a${'\u0301'.repeat(300)}`],
  ['one endless word', 'W'.repeat(2_000)],
  ['nothing', ''],
])('a document is rendered for text in %s', async (_kind, text) => {
  const invoice = anInvoice({
    lineItems: [aLine({ description: text })],
    discounts: [{ discountId: 'x', name: text, amount: 100n }],
  });
  const one = Customer.fromPartial({ name: text, email: text, address: { line1: text } });
  expect((await renderInvoicePdf({ invoice, customer: one })).length).toBeGreaterThan(1_000);
});

describe('the invoice of a seller', () => {
  const logos = join(__dirname, '../../../services/checkout/vectors/logos');
  const logo = readFileSync(join(logos, 'rgb.png'));
  const taxed = anInvoice({
    ...{ currency: 'EUR', tax: 551n, total: 3451n, memo: 'Thank you', purchaseOrder: 'PO-7' },
    collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
    taxStatus: TaxStatus.TAX_STATUS_FINAL,
    taxes: [
      InvoiceTax.fromPartial({
        ...{ reason: TaxReason.TAX_REASON_STANDARD, name: 'VAT', country: 'DE', percent: '19' },
        ...{ base: 2900n, amount: 551n },
      }),
    ],
    seller: InvoiceSeller.fromPartial({
      legalName: 'Ada GmbH',
      address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
      taxIds: [{ type: TaxIdType.TAX_ID_TYPE_EU_VAT, value: 'DE136695976' }],
      bankAccount: { holder: 'Ada GmbH', iban: 'DE89370400440532013000' },
      footer: 'First line\nSecond line',
    }),
    buyer: InvoiceBuyer.fromPartial({ name: 'Bob', address: { country: 'DE' } }),
  });

  test('depends on the snapshots, and not on the present customer', async () => {
    const first = await renderInvoicePdf({ invoice: taxed, customer, logo });
    const other = Customer.fromPartial({ name: 'Carol', email: 'carol@example.com' });
    const second = await renderInvoicePdf({ invoice: taxed, customer: other, logo });
    expect(second.equals(first)).toBe(true);
    expect(pages(first)).toBe(1);
    const plain = await renderInvoicePdf({ invoice: taxed, customer });
    expect(plain.toString('latin1')).not.toContain('/Subtype /Image');
    expect(first.toString('latin1')).toContain('/Subtype /Image');
  });

  test('of prices with tax differs from one of prices without tax', async () => {
    const lineItems = [aLine({ amount: 2437n, pricedAmount: 2900n })];
    const excluding = await renderInvoicePdf({ invoice: { ...taxed, lineItems }, customer });
    const invoice = { ...taxed, lineItems, pricesIncludeTax: true };
    expect((await renderInvoicePdf({ invoice, customer })).equals(excluding)).toBe(false);
  });
});

test('an invoice with many lines takes several pages', async () => {
  expect(pages(await renderInvoicePdf({ invoice: long, customer }))).toBe(6);
});

test('an invoice lists its credit notes', async () => {
  const creditNotes = [
    CreditNote.fromPartial({ number: 'CN-000001', currency: 'USD', total: 1n, issuedAt: start }),
  ];
  const plain = await renderInvoicePdf({ invoice: paid, customer });
  const credited = await renderInvoicePdf({ invoice: paid, customer, creditNotes });
  expect(credited.equals(plain)).toBe(false);
  expect(pages(credited)).toBe(1);
});

test.each([
  InvoiceStatus.INVOICE_STATUS_DRAFT,
  InvoiceStatus.INVOICE_STATUS_PAID,
  InvoiceStatus.INVOICE_STATUS_VOID,
  InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE,
])('an invoice of status %s fits on one page', async (status) => {
  const payment = Payment.fromPartial({
    amount: 2900n,
    currency: 'USD',
    status: PaymentStatus.PAYMENT_STATUS_SUCCEEDED,
    createdAt: start,
  });
  const invoice = anInvoice({ status, payments: [payment], amountPaid: 2900n, amountDue: 0n });
  expect(pages(await renderInvoicePdf({ invoice, customer }))).toBe(1);
});

test.each([
  ['ja', 'NotoSansJP'],
  ['zh', 'NotoSansHans'],
])('an invoice in %s embeds the characters of its language from %s', async (locale, font) => {
  const bytes = await renderInvoicePdf({ invoice: anInvoice({ locale }), customer });
  expect(bytes.toString('latin1')).toMatch(new RegExp(`/BaseFont /[A-Z]+\\+${font}`));
  expect(bytes.length).toBeLessThan(400_000);
  expect(pages(bytes)).toBe(1);
});

test('a document in a language of Europe embeds other fonts only for names', async () => {
  const german = await renderInvoicePdf({ invoice: anInvoice({ locale: 'de' }), customer });
  expect(german.toString('latin1')).not.toContain('NotoSans');
  const named = await renderInvoicePdf({
    invoice: anInvoice({ locale: 'de' }),
    customer: { ...customer, name: '山田太郎' },
  });
  expect(named.toString('latin1')).toContain('NotoSans');
});

test('every text of every language is in the fonts of its documents', () => {
  for (const language of languages) {
    const texts = Object.values(catalogues[language].phrases).join('');
    const letters = Array.from(new Set(texts.replace(/\s/gu, '')));
    const fonts = pdfFonts(language).map(({ regular }) => regular);
    const missing = letters.filter((letter) => showable(letter, fontFor(letter, fonts)) !== letter);
    expect([language, missing.filter((letter) => letter !== '□')]).toEqual([language, []]);
  }
});

test('a character that the font lacks is shown as a box', () => {
  const [fonts] = pdfFonts(undefined);
  expect(showable('Ünï 漢 \n x', fonts!.regular())).toBe('Ünï □   x');
});

test.each([
  ['شركة المثال', true],
  ['חברת הדוגמה', true],
  ['Acme שלום', false],
  ['شركة 123', false],
  ['Acme', false],
  [' ', false],
  ['', false],
])('%j is right-to-left text: %s', (text, expected) => {
  expect(runsRightToLeft(text)).toBe(expected);
});
