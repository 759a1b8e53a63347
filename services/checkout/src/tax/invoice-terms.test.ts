import fc from 'fast-check';
import { offSettings } from '../seller/billing-settings';
import { aDraft, aLineItem, aNewInvoice } from '../testing/invoice';
import { draft, draftOwed } from '../draft/draft';
import { discountAmountOf, type LineItem, subtotalOf, taxOf, totalOf } from '../invoice/invoice';
import type { DiscountOnInvoice } from '../invoice/invoice-discount';
import { type BuyerFacts, lineTotalOf } from './finalization';
import { type InvoiceTerms, withTerms } from './invoice-terms';

const at = new Date('2026-03-01T00:00:00Z');
const { seller, ...off } = offSettings('environment');

function termsOf({
  prices = 'EXCLUDE_TAX',
  buyer = aBuyer(),
  isFinal = true,
}: {
  prices?: 'EXCLUDE_TAX' | 'INCLUDE_TAX' | null;
  buyer?: BuyerFacts | undefined;
  isFinal?: boolean;
} = {}): InvoiceTerms {
  const address = { line1: null, line2: null, city: null, state: null, postalCode: null };
  const set = {
    ...{ ...seller, legalName: 'Ada GmbH', invoicePrefix: 'RE-', netDays: 14 },
    address: { ...address, country: 'DE' },
    tax: prices === null ? null : { prices, registrations: ['DE', 'EU'] },
  };
  return { settings: { ...off, sellerVersion: 7, seller: set }, buyer, at, isFinal };
}

function aBuyer(country: string | null = 'DE', facts: Partial<BuyerFacts> = {}): BuyerFacts {
  const address = { line1: null, line2: null, city: null, state: null, postalCode: null, country };
  return {
    buyer: {
      ...{ name: 'Bob', email: 'bob@example.com', phone: null, address, taxIds: [] },
      buyerReference: null,
    },
    taxExempt: 'NONE',
    netDays: undefined,
    ...facts,
  };
}

const lineOf = (line: Partial<LineItem>, index: number) =>
  aLineItem({ id: String(index), ...line });
const linesOf = (amounts: readonly bigint[]) =>
  amounts.map((amount, index) => lineOf({ amount }, index));
const percentOff = (value: string): DiscountOnInvoice => ({
  ...{ discountId: 'discount', name: 'Launch', type: 'PERCENTAGE', value, productIds: [] },
});

function sums(invoice: ReturnType<typeof aDraft>) {
  return {
    amounts: [subtotalOf(invoice), discountAmountOf(invoice), taxOf(invoice), totalOf(invoice)],
    taxes: invoice.lineItems.map(({ tax }) => tax?.amount),
  };
}

test.each([
  ['T1', 'EXCLUDE_TAX', [2900n], '0', [2900n, 0n, 551n, 3451n], [551n]],
  ['T2', 'EXCLUDE_TAX', [333n, 333n, 333n], '0', [999n, 0n, 190n, 1189n], [64n, 63n, 63n]],
  ['T3', 'INCLUDE_TAX', [999n, 999n, 999n], '0', [2518n, 0n, 479n, 2997n], [160n, 160n, 159n]],
  ['T4', 'INCLUDE_TAX', [999n], '10', [839n, 84n, 144n, 899n], [144n]],
  ['T10', 'EXCLUDE_TAX', [1000n, -150n], '0', [850n, 0n, 162n, 1012n], [190n, -28n]],
] as const)('example %s: %s %j less %s %%', (_name, prices, amounts, value, expected, taxes) => {
  const discount = value === '0' ? undefined : percentOff(value);
  const lineItems = linesOf(amounts);
  const invoice = aDraft({ lineItems, discount, currency: 'EUR', terms: termsOf({ prices }) });
  expect(sums(invoice)).toEqual({ amounts: expected, taxes });
});

test('an invoice keeps seller and buyer, prefix and net days of the version that was read', () => {
  const { finalization } = aDraft({ terms: termsOf({ buyer: aBuyer('FR', { netDays: 5 }) }) });
  expect(finalization).toMatchObject({
    ...{ at, netDays: 5, invoicePrefix: 'RE-' },
    parties: { seller: { legalName: 'Ada GmbH', version: 7 }, buyer: { name: 'Bob' } },
    taxes: { rows: [{ country: 'FR', percent: '20', base: 2900n, amount: 580n }] },
  });
  expect(finalization?.parties?.seller).not.toHaveProperty('invoicePrefix');
});

test('an invoice of an environment without seller has neither parties nor taxes', () => {
  const settings = offSettings('environment');
  const plain = aDraft();
  const invoice = aDraft({ terms: { settings, buyer: aBuyer(), at, isFinal: true } });
  expect(invoice).toEqual({
    ...plain,
    finalization: { at, netDays: 30, invoicePrefix: 'INV-', parties: undefined, taxes: undefined },
  });
});

test('a line that corrects another takes the terms of that line', () => {
  const terms = termsOf({ buyer: aBuyer('FR') });
  const german = {
    ...{ reason: 'STANDARD' as const, name: 'VAT', country: 'DE', state: null, percent: '19' },
  };
  const [credit, charge] = linesOf([-1000n, 3000n]);
  if (credit === undefined || charge === undefined) throw new Error('Two lines');
  const lineItems = [{ ...credit, taxedAs: german }, charge];
  const { state } = draft({ ...aNewInvoice({ currency: 'EUR' }), lineItems, terms });
  expect(sums(state).taxes).toEqual([-190n, 600n]);
  expect(state.lineItems[0]).not.toHaveProperty('taxedAs');
});

test('a total below 0 is refused, also if the prices sum to 0', () => {
  const exempt = {
    ...{ reason: 'EXEMPT' as const, name: null, country: 'DE', state: null, percent: '0' },
  };
  const [credit, charge] = linesOf([-1000n, 1000n]);
  if (credit === undefined || charge === undefined) throw new Error('Two lines');
  const lineItems = [credit, { ...charge, taxedAs: exempt }];
  expect(() => draft({ ...aNewInvoice(), lineItems, terms: termsOf() })).toThrow(
    expect.objectContaining({ fields: { lines: ['Total must not be negative'] } }),
  );
});

describe('an invoice that has to be created, although its unused time has a higher tax', () => {
  const german = {
    ...{ reason: 'STANDARD' as const, name: 'VAT', country: 'DE', state: null, percent: '19' },
  };
  const linesPutOff = ([unused, ...charges]: readonly Partial<LineItem>[]) => [
    { ...lineOf({ kind: 'UNUSED_TIME', ...unused }, 0), taxedAs: german },
    ...charges.map((charge, index) => lineOf({ kind: 'REMAINING_TIME', ...charge }, index + 1)),
  ];
  const reducedRate = {
    ...{ id: 'rate', country: 'DE', state: null, category: 'reduced', percent: '7', name: 'VAT' },
    ...{ validFrom: null, validTo: null, version: 1, createdAt: at, updatedAt: at },
  };
  const owed = (lines: readonly Partial<LineItem>[], buyer = aBuyer()) => {
    const { settings, ...terms } = termsOf({ buyer });
    const lineItems = linesPutOff(lines);
    const rated = { ...terms, settings: { ...settings, ownRates: [reducedRate] } };
    return sums(draftOwed({ ...aNewInvoice({ currency: 'EUR' }), lineItems, terms: rated }).state);
  };

  test.each<[string, readonly Partial<LineItem>[], BuyerFacts, readonly bigint[]]>([
    [
      'gives that tax back',
      [{ amount: -5_000n }, { amount: 6_500n }],
      aBuyer('FR'),
      [-950n, 1_300n],
    ],
    [
      'is taxed by its own terms alone',
      [{ amount: -5_000n }, { amount: 5_500n }],
      aBuyer('DE', { taxExempt: 'REVERSE' }),
      [0n, 0n],
    ],
    [
      'gives back the lowest tax of its charges',
      [{ amount: -5_000n }, { amount: 5_100n, taxCategory: 'reduced' }],
      aBuyer(),
      [-350n, 357n],
    ],
  ])('%s', (_name, lines, buyer, taxes) => {
    expect(owed(lines, buyer).taxes).toEqual(taxes);
  });

  test('is never below 0', () => {
    const categories = fc.constantFrom('standard', 'reduced', 'exempt');
    const charge = fc.record({
      amount: fc.bigInt({ min: 0n, max: 100n }),
      taxCategory: categories,
    });
    fc.assert(
      fc.property(
        fc.array(charge, { minLength: 1, maxLength: 5 }),
        fc.bigInt({ min: 0n, max: 100n }),
        fc.record({ country: fc.constantFrom('DE', 'FR', 'SE'), isReverse: fc.boolean() }),
        categories,
        (charges, percent, { country, isReverse }, taxCategory) => {
          const charged = charges.reduce((sum, { amount }) => sum + amount, 0n);
          const lines = [{ amount: -((charged * percent) / 100n), taxCategory }, ...charges];
          const buyer = aBuyer(country, { taxExempt: isReverse ? 'REVERSE' : 'NONE' });
          expect((owed(lines, buyer).amounts[3] ?? -1n) >= 0n).toBe(true);
        },
      ),
    );
  });
});

const anyMode = fc.constantFrom('EXCLUDE_TAX' as const, 'INCLUDE_TAX' as const);
const anyAmounts = fc.array(fc.bigInt({ min: 0n, max: 1_000_000n }), {
  minLength: 1,
  maxLength: 6,
});
const anyCountry = fc.constantFrom('DE', 'FR', 'FI', 'US');

test('terms applied again from the taxed lines give the same lines', () => {
  fc.assert(
    fc.property(
      anyAmounts,
      fc.integer({ min: 0, max: 100 }),
      anyCountry,
      anyMode,
      anyMode,
      (amounts, off, country, first, second) => {
        const discount = percentOff(String(off));
        const buyer = aBuyer(country);
        const input = { lineItems: linesOf(amounts), discount, currency: 'EUR' as const };
        const taxed = aDraft({ ...input, terms: termsOf({ prices: first, buyer }) });
        const again = withTerms(taxed, termsOf({ prices: second, buyer }));
        const fresh = aDraft({ ...input, terms: termsOf({ prices: second, buyer }) });
        expect(again).toEqual({
          lineItems: fresh.lineItems,
          discounts: fresh.discounts,
          finalization: fresh.finalization,
        });
        const untaxed = withTerms(taxed, termsOf({ prices: null, buyer }));
        const plain = aDraft(input);
        expect(untaxed.lineItems.map((line) => ({ ...line, tax: undefined }))).toEqual(
          plain.lineItems.map((line) => ({ ...line, tax: undefined })),
        );
        expect(untaxed.discounts).toEqual(plain.discounts);
      },
    ),
  );
});

test('the taxes of the lines, the rows and the totals of the lines agree', () => {
  fc.assert(
    fc.property(anyAmounts, fc.integer({ min: 0, max: 100 }), anyMode, (amounts, off, prices) => {
      const discount = percentOff(String(off));
      const lineItems = linesOf(amounts);
      const invoice = aDraft({ lineItems, discount, currency: 'EUR', terms: termsOf({ prices }) });
      const rows = invoice.finalization?.taxes?.rows ?? [];
      const sum = (parts: readonly bigint[]) => parts.reduce((left, right) => left + right, 0n);
      expect(sum(rows.map(({ amount }) => amount))).toBe(taxOf(invoice));
      expect(sum(rows.map(({ base }) => base))).toBe(
        subtotalOf(invoice) - discountAmountOf(invoice),
      );
      expect(sum(invoice.lineItems.map(lineTotalOf))).toBe(totalOf(invoice));
    }),
  );
});

describe('an invoice with lines of a period before, which keep their share of another discount', () => {
  const launch = percentOff('20');
  const former = { ...percentOff('50'), discountId: 'former', name: 'Former' };
  const lineItems = [
    { ...lineOf({ amount: 30_000n }, 0), discountShare: undefined },
    { ...lineOf({ amount: 10_000n }, 1), kind: 'REMAINING_TIME', discountShare: 5_000n },
  ] as const;

  test('takes each off once where all lines have their shares, as of a change', () => {
    const shared = lineItems.map((line, index) =>
      index === 0
        ? { ...line, kind: 'RECURRING' as const, discountShare: 6_000n }
        : { ...line, kind: 'REMAINING_TIME' as const },
    );
    const both = { discount: launch, sharesDiscount: former, terms: termsOf() };
    const { discounts } = aDraft({ lineItems: shared, ...both });
    expect(discounts.map(({ amount }) => amount)).toEqual([6_000n, 5_000n]);
  });

  test('takes the share of usage off as part of the discount of its invoice', () => {
    const usage = { ...lineItems[0], kind: 'USAGE' as const, discountShare: 6_000n };
    const both = { discount: launch, sharesDiscount: former, terms: termsOf() };
    const { discounts } = aDraft({ lineItems: [usage, lineItems[1]], ...both });
    expect(discounts.map(({ amount }) => amount)).toEqual([6_000n, 5_000n]);
  });

  test.each([
    [null, [6_000n, 5_000n], [40_000n, 11_000n, 0n, 29_000n]],
    ['EXCLUDE_TAX', [6_000n, 5_000n], [40_000n, 11_000n, 5_510n, 34_510n]],
    // 30,000 and 10,000 without 19 % are 25,210 and 8,403; after discount 20,168 and 4,202.
    ['INCLUDE_TAX', [5_042n, 4_202n], [33_614n, 9_244n, 4_630n, 29_000n]],
  ] as const)('takes each discount off once (%s)', (prices, parts, amounts) => {
    const invoice = aDraft({
      ...{ lineItems, discount: launch, sharesDiscount: former, terms: termsOf({ prices }) },
    });
    expect(invoice.discounts.map(({ discountId, amount }) => [discountId, amount])).toEqual([
      ['discount', parts[0]],
      ['former', parts[1]],
    ]);
    expect(sums(invoice).amounts).toEqual(amounts);
  });
});
