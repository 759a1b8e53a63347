import { applyDiscount } from '../discounting';
import { lineAmounts, type LineTax, type TaxPrices, taxRows, vatEngine } from './tax';
import type { TaxId, TaxIdType } from './tax-id';

// The expected values are counted here from the rules of tax alone, in exact fractions, with none
// of the functions under test.

/** Country: percent on 2026-03-01 (none for US), a tax id of a business there. */
const countries: readonly (readonly [
  country: string,
  percent: string,
  TaxIdType,
  taxId: string,
])[] = [
  ['AT', '20', 'EU_VAT', 'ATU13585627'],
  ['BE', '21', 'EU_VAT', 'BE0411905847'],
  ['BG', '20', 'EU_VAT', 'BG000670680'],
  ['CY', '19', 'EU_VAT', 'CY00376309R'],
  ['CZ', '21', 'EU_VAT', 'CZ00008702'],
  ['DE', '19', 'EU_VAT', 'DE136695976'],
  ['DK', '25', 'EU_VAT', 'DK10000009'],
  ['EE', '24', 'EU_VAT', 'EE100007796'],
  ['ES', '21', 'EU_VAT', 'ESA08017535'],
  ['FI', '25.5', 'EU_VAT', 'FI09853608'],
  ['FR', '20', 'EU_VAT', 'FR40303265045'],
  ['GR', '24', 'EU_VAT', 'EL094259216'],
  ['HR', '25', 'EU_VAT', 'HR02574432339'],
  ['HU', '27', 'EU_VAT', 'HU10672101'],
  ['IE', '23', 'EU_VAT', 'IE0000002D'],
  ['IT', '22', 'EU_VAT', 'IT00743110157'],
  ['LT', '21', 'EU_VAT', 'LT100000009017'],
  ['LU', '17', 'EU_VAT', 'LU10000356'],
  ['LV', '21', 'EU_VAT', 'LV40003009497'],
  ['MT', '18', 'EU_VAT', 'MT10126313'],
  ['NL', '21', 'EU_VAT', 'NL010000446B01'],
  ['PL', '23', 'EU_VAT', 'PL1132191233'],
  ['PT', '23', 'EU_VAT', 'PT100000010'],
  ['RO', '21', 'EU_VAT', 'RO11198699'],
  ['SE', '25', 'EU_VAT', 'SE000000002601'],
  ['SI', '22', 'EU_VAT', 'SI10693661'],
  ['SK', '23', 'EU_VAT', 'SK1025529197'],
  ['CH', '8.1', 'CH_VAT', 'CHE107787577MWST'],
  ['GB', '20', 'GB_VAT', 'GB980780684'],
  ['NO', '25', 'NO_VAT', 'NO995525828MVA'],
  ['US', '0', 'OTHER', '123456789'],
];

/** Percentage, or REVERSE_CHARGE or OUT_OF_SCOPE. */
type Outcome = string;

type Percent = string;

/** Taxed at a percentage, or the reason why not, by sellers of three kinds. */
const sellers: readonly {
  readonly name: string;
  readonly home: string;
  readonly registrations: readonly string[];
  readonly outcome: (country: string, isBusiness: boolean) => Outcome;
}[] = [
  {
    name: 'in DE with the one-stop shop',
    home: 'DE',
    registrations: ['DE', 'EU'],
    outcome: (country, isBusiness) => {
      if (country === 'DE') return '19';
      if (country === 'CH' || country === 'US') return 'OUT_OF_SCOPE';
      if (isBusiness) return 'REVERSE_CHARGE';
      return country === 'GB' || country === 'NO' ? 'OUT_OF_SCOPE' : percentOf(country);
    },
  },
  {
    name: 'in FR, registered there only',
    home: 'FR',
    registrations: ['FR'],
    outcome: (country, isBusiness) => {
      if (country === 'FR') return '20';
      if (country === 'CH' || country === 'US') return 'OUT_OF_SCOPE';
      if (isBusiness) return 'REVERSE_CHARGE';
      return country === 'GB' || country === 'NO' ? 'OUT_OF_SCOPE' : '20';
    },
  },
  {
    name: 'in CH, registered there and in GB',
    home: 'CH',
    registrations: ['CH', 'GB'],
    outcome: (country, isBusiness) => {
      if (country === 'CH') return '8.1';
      if (country === 'US') return 'OUT_OF_SCOPE';
      if (isBusiness) return 'REVERSE_CHARGE';
      return country === 'GB' ? '20' : 'OUT_OF_SCOPE';
    },
  },
];

function percentOf(country: string): Percent {
  return countries.find(([code]) => code === country)?.[1] ?? '0';
}

/** Exact fraction, [numerator, denominator above 0]. */
type Exact = readonly [bigint, bigint];

function halfUp([numerator, denominator]: Exact): bigint {
  if (numerator < 0n) return -halfUp([-numerator, denominator]);
  const floor = numerator / denominator;
  return (numerator - floor * denominator) * 2n >= denominator ? floor + 1n : floor;
}

/** A percentage of up to one decimal, in thousandths: 25.5 is 255. */
function thousandths(percent: Percent): bigint {
  const [integer = '0', decimal = '0'] = percent.split('.');
  return BigInt(integer) * 10n + BigInt(decimal);
}

function taxIn(amount: bigint, percent: Percent, prices: TaxPrices): Exact {
  const rate = thousandths(percent);
  return [amount * rate, prices === 'INCLUDE_TAX' ? 1000n + rate : 1000n];
}

/** Each part rounded down, then one unit more for the largest fractions, the earlier first. */
function split(sum: bigint, shares: readonly Exact[]): bigint[] {
  const floors = shares.map(([numerator, denominator]) => {
    const quotient = numerator / denominator;
    return quotient * denominator > numerator ? quotient - 1n : quotient;
  });
  const parts = [...floors];
  let missing = sum - parts.reduce((left, right) => left + right, 0n);
  const open = new Set(parts.keys());
  while (missing > 0n) {
    let best: number | undefined;
    for (const index of open) {
      if (best === undefined || isLarger(rest(index), rest(best))) best = index;
    }
    if (best === undefined) throw new Error('More units than parts');
    parts[best] = (parts[best] ?? 0n) + 1n;
    open.delete(best);
    missing -= 1n;
  }
  return parts;

  function rest(index: number): Exact {
    const [numerator, denominator] = shares[index] as Exact;
    return [numerator - (floors[index] ?? 0n) * denominator, denominator];
  }
}

function isLarger([a, b]: Exact, [c, d]: Exact): boolean {
  return a * d > c * b;
}

const prices: readonly bigint[] = [1999n, 333n, 333n, -150n, 0n];

function recount(percent: Percent, mode: TaxPrices, discountPercent: bigint) {
  const sum = prices.reduce((left, right) => left + right, 0n);
  const off = halfUp([sum * discountPercent, 100n]);
  const positive = prices.map((price) => (price < 0n ? 0n : price));
  const weight = positive.reduce((left, right) => left + right, 0n);
  const discounts = split(
    off,
    positive.map((price): Exact => [off * price, weight]),
  );
  const nets = prices.map((price, index) => price - (discounts[index] ?? 0n));
  const tax = halfUp(taxIn(sum - off, percent, mode));
  const taxes = split(
    tax,
    nets.map((net) => taxIn(net, percent, mode)),
  );
  return prices.map((price, index) => {
    const [discount = 0n, taxAmount = 0n, net = 0n] = [discounts[index], taxes[index], nets[index]];
    if (mode === 'EXCLUDE_TAX') {
      return { amount: price, discountAmount: discount, taxAmount, total: net + taxAmount };
    }
    const discountAmount = discount - halfUp(taxIn(discount, percent, mode));
    return { amount: net - taxAmount + discountAmount, discountAmount, taxAmount, total: net };
  });
}

describe.each(sellers)('a seller $name', ({ home, registrations, outcome }) => {
  const cases = countries.flatMap(([country, , type, value]) =>
    [false, true].flatMap((isBusiness) =>
      (['EXCLUDE_TAX', 'INCLUDE_TAX'] as const).flatMap((mode) =>
        [0n, 15n].map((off) => ({ country, isBusiness, mode, off, taxId: { type, value } })),
      ),
    ),
  );

  test.each(cases)(
    'sells to $country (business: $isBusiness), $mode, discount $off',
    ({ country, isBusiness, mode, off, taxId }) => {
      const expected = outcome(country, isBusiness);
      const isTaxed = !/[A-Z]/u.test(expected);
      const { lines, rows } = invoiceOf({
        seller: { country: home, state: null, registrations, ownRates: [] },
        buyer: { address: { country, state: null }, taxIds: isBusiness ? [taxId] : [] },
        mode,
        off,
      });
      const recounted = recount(isTaxed ? expected : '0', mode, off);
      expect(lines).toEqual(recounted);
      const sum = (value: (line: (typeof recounted)[number]) => bigint) =>
        recounted.reduce((left, line) => left + value(line), 0n);
      expect(rows).toHaveLength(1);
      expect(rows).toMatchObject([
        {
          reason: isTaxed ? 'STANDARD' : expected,
          percent: isTaxed ? expected : '0',
          base: sum(({ amount, discountAmount }) => amount - discountAmount),
          amount: sum(({ taxAmount }) => taxAmount),
        },
      ]);
    },
  );
});

function invoiceOf({
  seller,
  buyer,
  mode,
  off,
}: {
  seller: Parameters<typeof vatEngine.calculate>[0]['seller'];
  buyer: { address: { country: string; state: null }; taxIds: readonly TaxId[] };
  mode: TaxPrices;
  off: bigint;
}) {
  const { parts } = applyDiscount(
    { type: 'PERCENTAGE', value: String(off), currency: null, productIds: [] },
    { currency: 'EUR', lines: prices.map((amount) => ({ productId: '', amount })) },
  );
  const taxable = prices.map((pricedAmount, index) => {
    const discount = parts[index] ?? 0n;
    return { id: String(index), pricedAmount, discount, taxCategory: 'standard' };
  });
  const answer = vatEngine.calculate({
    ...{ seller, buyer, prices: mode, lines: taxable, taxExempt: 'NONE' },
    at: new Date('2026-03-01T00:00:00Z'),
    currency: 'EUR',
  });
  const lines = taxable.map((line, index) => {
    const tax = answer.lines[index] as LineTax;
    return { ...tax, ...lineAmounts(line, tax, mode) };
  });
  return {
    rows: taxRows(lines, seller),
    lines: lines.map(({ amount, discountAmount, taxAmount, total }) => {
      return { amount, discountAmount, taxAmount, total };
    }),
  };
}
