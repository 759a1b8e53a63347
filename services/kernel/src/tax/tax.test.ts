import fc from 'fast-check';
import { applyDiscount, type DiscountTerms } from '../discounting';
import { lineAmounts, type LineTax, type TaxPrices, taxRows, vatEngine } from './tax';
import type { TaxRate } from './tax-rate';

/** Line of a case: its priced amount, and its category if it is not `standard`. */
type CaseLine = bigint | readonly [bigint, category: string];

interface Case {
  readonly prices: TaxPrices;
  readonly lines: readonly CaseLine[];
  readonly discount?: Pick<DiscountTerms, 'type' | 'value'>;
  readonly country?: string;
  readonly at?: string;
  readonly ownRates?: readonly Partial<TaxRate>[];
  readonly isReverseCharge?: boolean;
}

const seller = { country: 'DE', state: null, registrations: ['DE', 'EU'] };

function ownRate(given: Partial<TaxRate>): TaxRate {
  const open = { state: null, validFrom: null, validTo: null };
  return { country: 'DE', category: 'standard', percent: '0', name: 'Tax', ...open, ...given };
}

/** Computes an invoice of the case with the functions that invoices use. */
function invoiceOf({
  prices,
  lines,
  discount = { type: 'PERCENTAGE', value: '0' },
  country = 'DE',
  at = '2026-03-01T00:00:00Z',
  ownRates = [],
  isReverseCharge = false,
}: Case) {
  const priced = lines.map((line) =>
    typeof line === 'bigint' ? ([line, 'standard'] as const) : line,
  );
  const { parts } = applyDiscount(
    { ...discount, currency: null, productIds: [] },
    { currency: 'EUR', lines: priced.map(([amount]) => ({ productId: '', amount })) },
  );
  const taxable = priced.map(([pricedAmount, taxCategory], index) => ({
    id: String(index),
    pricedAmount,
    discount: parts[index] ?? 0n,
    taxCategory,
  }));
  const answer = vatEngine.calculate({
    at: new Date(at),
    currency: 'EUR',
    prices,
    // A seller at home in the country, so that the case depends on its rate alone.
    seller: { country, state: null, registrations: [country], ownRates: ownRates.map(ownRate) },
    buyer: { address: { country, state: null }, taxIds: [] },
    taxExempt: isReverseCharge ? 'REVERSE' : 'NONE',
    lines: taxable,
  });
  const taxed = taxable.map((line, index) => {
    const tax = answer.lines[index] as LineTax;
    return { ...line, ...tax, ...lineAmounts(line, tax, prices) };
  });
  const sum = (value: (line: (typeof taxed)[number]) => bigint) =>
    taxed.reduce((left, line) => left + value(line), 0n);
  return {
    lines: taxed,
    rows: taxRows(taxed, { country }),
    sums: [
      sum(({ amount }) => amount),
      sum(({ discountAmount }) => discountAmount),
      sum(({ taxAmount }) => taxAmount),
      sum(({ total }) => total),
    ],
  };
}

const EXCLUDE = { prices: 'EXCLUDE_TAX' } as const;
const INCLUDE = { prices: 'INCLUDE_TAX' } as const;

/** Subtotal, discount, tax, total; then the tax of each line. */
const table: readonly [name: string, Case, sums: bigint[], taxes: bigint[]][] = [
  ['T1', { ...EXCLUDE, lines: [2900n] }, [2900n, 0n, 551n, 3451n], [551n]],
  ['T2', { ...EXCLUDE, lines: [333n, 333n, 333n] }, [999n, 0n, 190n, 1189n], [64n, 63n, 63n]],
  ['T3', { ...INCLUDE, lines: [999n, 999n, 999n] }, [2518n, 0n, 479n, 2997n], [160n, 160n, 159n]],
  [
    'T4',
    { ...INCLUDE, lines: [999n], discount: { type: 'PERCENTAGE', value: '10' } },
    [839n, 84n, 144n, 899n],
    [144n],
  ],
  [
    'T5',
    {
      ...EXCLUDE,
      lines: [100n, 100n],
      discount: { type: 'PERCENTAGE', value: '33.33' },
      country: 'FR',
    },
    [200n, 67n, 27n, 160n],
    [13n, 14n],
  ],
  ['T6', { ...EXCLUDE, lines: [2900n], country: 'FI' }, [2900n, 0n, 740n, 3640n], [740n]],
  ['T7', { ...EXCLUDE, lines: [50n], country: 'SE' }, [50n, 0n, 13n, 63n], [13n]],
  [
    'T8',
    { ...INCLUDE, lines: [2900n], country: 'JP', ownRates: [{ country: 'JP', percent: '10' }] },
    [2636n, 0n, 264n, 2900n],
    [264n],
  ],
  [
    'T9',
    {
      ...EXCLUDE,
      lines: [1000n, [555n, 'ebook']],
      ownRates: [{ category: 'ebook', percent: '7', name: 'VAT' }],
    },
    [1555n, 0n, 229n, 1784n],
    [190n, 39n],
  ],
  ['T10', { ...EXCLUDE, lines: [1000n, -150n] }, [850n, 0n, 162n, 1012n], [190n, -28n]],
  [
    'T11 before midnight',
    { ...EXCLUDE, lines: [1050n], country: 'EE', at: '2025-06-30T23:59:59.999Z' },
    [1050n, 0n, 231n, 1281n],
    [231n],
  ],
  [
    'T11 one millisecond later',
    { ...EXCLUDE, lines: [1050n], country: 'EE', at: '2025-07-01T00:00:00.000Z' },
    [1050n, 0n, 252n, 1302n],
    [252n],
  ],
  ['T12', { ...INCLUDE, lines: [2900n], country: 'CH' }, [2683n, 0n, 217n, 2900n], [217n]],
  ['T13', { ...INCLUDE, lines: [2900n], isReverseCharge: true }, [2900n, 0n, 0n, 2900n], [0n]],
  [
    'T14',
    { ...INCLUDE, lines: [1000n], discount: { type: 'FIXED', value: '2500' } },
    [840n, 840n, 0n, 0n],
    [0n],
  ],
  [
    'T15',
    { ...INCLUDE, lines: [1000n, 500n], discount: { type: 'FIXED', value: '101' } },
    [1261n, 85n, 223n, 1399n],
    [149n, 74n],
  ],
];

test.each(table)('example %s has the published amounts', (_name, given, sums, taxes) => {
  const invoice = invoiceOf(given);
  expect(invoice.sums).toEqual(sums);
  expect(invoice.lines.map(({ taxAmount }) => taxAmount)).toEqual(taxes);
});

test('an included tax is taken out of each line', () => {
  const { lines } = invoiceOf({ ...INCLUDE, lines: [999n, 999n, 999n] });
  expect(lines.map(({ amount }) => amount)).toEqual([839n, 839n, 840n]);
});

test('an invoice has one row per rate, in order of its first line', () => {
  const { rows } = invoiceOf({
    ...EXCLUDE,
    lines: [1000n, [555n, 'ebook'], 0n, [70n, 'exempt']],
    ownRates: [{ category: 'ebook', percent: '7', name: 'Reduced VAT' }],
  });
  const ofGermany = { country: 'DE', state: null };
  expect(rows).toEqual([
    {
      ...ofGermany,
      reason: 'STANDARD',
      name: 'VAT',
      percent: '19',
      base: 1000n,
      amount: 190n,
      legalText: null,
    },
    {
      ...ofGermany,
      reason: 'STANDARD',
      name: 'Reduced VAT',
      percent: '7',
      base: 555n,
      amount: 39n,
      legalText: null,
    },
    {
      ...ofGermany,
      reason: 'EXEMPT',
      name: null,
      percent: '0',
      base: 70n,
      amount: 0n,
      legalText: 'Exempt from tax',
    },
  ]);
});

test('a country without a rate is taxed with 0 and named', () => {
  const { rows } = invoiceOf({ ...EXCLUDE, lines: [1000n], country: 'US' });
  expect(rows).toMatchObject([
    { reason: 'NO_RATE', country: 'US', percent: '0', amount: 0n, name: null },
  ]);
});

test('an own rate of 0 is a zero rate', () => {
  const ownRates = [{ percent: '0', name: 'Zero' }];
  const { rows } = invoiceOf({ ...EXCLUDE, lines: [1000n], ownRates });
  expect(rows).toMatchObject([{ reason: 'ZERO', percent: '0', amount: 0n, legalText: null }]);
});

test('a correction is taxed as the line that it corrects', () => {
  const taxedAs = {
    reason: 'STANDARD',
    name: 'VAT',
    country: 'DE',
    state: null,
    percent: '16',
  } as const;
  const line = { discount: 0n, taxCategory: 'standard' };
  const { lines } = vatEngine.calculate({
    at: new Date('2026-03-01T00:00:00Z'),
    currency: 'EUR',
    prices: 'EXCLUDE_TAX',
    seller: { ...seller, ownRates: [] },
    buyer: { address: { country: 'DE', state: null }, taxIds: [] },
    taxExempt: 'NONE',
    lines: [
      { ...line, id: 'credit', pricedAmount: -5000n, taxedAs },
      { ...line, id: 'charge', pricedAmount: 15_000n },
    ],
  });
  expect(lines).toEqual([
    { ...taxedAs, id: 'credit', taxAmount: -800n },
    { ...taxedAs, id: 'charge', percent: '19', taxAmount: 2850n },
  ]);
});

describe('a reverse charge', () => {
  const row = { reason: 'REVERSE_CHARGE', name: null, state: null, percent: '0' } as const;
  const line = { amount: 1n, discountAmount: 0n, taxAmount: 0n };

  test.each([
    ['DE', 'FR', 'Reverse charge, Art. 196 Directive 2006/112/EC'],
    ['DE', 'GB', 'Reverse charge'],
    ['CH', 'DE', 'Reverse charge'],
  ])('from %s to %s names its law', (home, country, legalText) => {
    expect(taxRows([{ ...row, ...line, country }], { country: home })).toMatchObject([
      { legalText },
    ]);
  });
});

function halfAwayFromZero(numerator: bigint, divisor: bigint): bigint {
  const size = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * size + divisor) / (2n * divisor);
  return numerator < 0n ? -rounded : rounded;
}

describe('the lines of any invoice', () => {
  const anyCase = fc.record({
    prices: fc.constantFrom<TaxPrices>('EXCLUDE_TAX', 'INCLUDE_TAX'),
    country: fc.constantFrom('DE', 'FI', 'CH', 'HU', 'US'),
    lines: fc.array(
      fc.tuple(
        fc.oneof(fc.bigInt(-1000n, 1000n), fc.bigInt(-8_000_000_000n, 8_000_000_000n)),
        fc.constantFrom('standard', 'ebook', 'exempt'),
      ),
      { minLength: 1, maxLength: 12 },
    ),
    discount: fc.oneof(
      fc.record({
        type: fc.constant('PERCENTAGE' as const),
        value: fc.integer({ min: 0, max: 10_000 }).map((value) => String(value / 100)),
      }),
      fc.record({
        type: fc.constant('FIXED' as const),
        value: fc.integer({ min: 0, max: 3000 }).map(String),
      }),
    ),
    percent: fc.integer({ min: 0, max: 1_000_000 }).map((value) => String(value / 10_000)),
  });

  function generated({
    percent,
    country,
    ...given
  }: typeof anyCase extends fc.Arbitrary<infer Value> ? Value : never) {
    const ownRates = [{ country, category: 'ebook', percent }];
    return invoiceOf({ ...given, country, ownRates });
  }

  test('have taxes that sum to the rows, and rows that sum to the tax', () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const { lines, rows, sums } = generated(given);
        expect(rows.reduce((sum, { amount }) => sum + amount, 0n)).toBe(sums[2]);
        for (const row of rows) {
          const own = lines.filter(
            ({ reason, percent, name }) =>
              reason === row.reason && percent === row.percent && name === row.name,
          );
          expect(own.reduce((sum, { taxAmount }) => sum + taxAmount, 0n)).toBe(row.amount);
        }
      }),
    );
  });

  test('have rows whose tax is the rounded share of all their lines', () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const { lines, rows } = generated(given);
        for (const row of rows) {
          const own = lines.filter(
            ({ reason, percent, name }) =>
              reason === row.reason && percent === row.percent && name === row.name,
          );
          const scaled = BigInt(Math.round(Number(row.percent) * 10_000));
          const divisor = 1_000_000n + (given.prices === 'INCLUDE_TAX' ? scaled : 0n);
          const taxed = own.reduce((sum, line) => sum + line.pricedAmount - line.discount, 0n);
          expect(row.amount).toBe(halfAwayFromZero(taxed * scaled, divisor));
        }
      }),
    );
  });

  test('add up to the total, and with included tax each is its price less the discount', () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const { lines, sums } = generated(given);
        const [subtotal = 0n, discount = 0n, tax = 0n, total] = sums;
        expect(total).toBe(subtotal - discount + tax);
        for (const line of lines) {
          expect(line.total).toBe(line.amount - line.discountAmount + line.taxAmount);
          if (given.prices === 'INCLUDE_TAX') {
            expect(line.total).toBe(line.pricedAmount - line.discount);
          }
          expect(line.discountAmount).toBeGreaterThanOrEqual(0n);
          expect(line.discountAmount).toBeLessThanOrEqual(line.discount);
        }
      }),
    );
  });

  test('have taxes within one unit of their exact share', () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        for (const { pricedAmount, discount, percent, taxAmount } of generated(given).lines) {
          const scaled = BigInt(Math.round(Number(percent) * 10_000));
          const divisor = 1_000_000n + (given.prices === 'INCLUDE_TAX' ? scaled : 0n);
          const error = taxAmount * divisor - (pricedAmount - discount) * scaled;
          expect(error < 0n ? -error : error).toBeLessThan(divisor);
        }
      }),
    );
  });
});
