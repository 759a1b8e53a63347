import { EU_COUNTRIES } from './european-union';
import { SHIPPED_RATES } from './shipped-rates';
import { isOverlapping, shippedTaxRates, type TaxRate, taxRateAt } from './tax-rate';

const march = new Date('2026-03-01T00:00:00Z');

function rate(given: Partial<TaxRate>): TaxRate {
  return {
    country: 'US',
    state: null,
    category: 'standard',
    percent: '5',
    name: 'Sales tax',
    validFrom: null,
    validTo: null,
    ...given,
  };
}

function percentAt(
  at: Date | string,
  where: Partial<Omit<Parameters<typeof taxRateAt>[1], 'ownRates'>>,
  ownRates: readonly TaxRate[] = [],
): string | undefined {
  const place = { country: 'US', state: null, category: 'standard', ...where };
  return taxRateAt(new Date(at), { ...place, ownRates })?.percent;
}

describe('the shipped rates', () => {
  test('cover the European Union, Switzerland, Norway and the United Kingdom', () => {
    const countries = SHIPPED_RATES.map(({ country }) => country);
    expect(new Set(countries)).toEqual(new Set([...EU_COUNTRIES, 'CH', 'GB', 'NO']));
    expect(countries).toHaveLength(30);
    expect(EU_COUNTRIES.size).toBe(27);
  });

  test('name their source and have not been checked by a person', () => {
    for (const { source, checkedOn } of SHIPPED_RATES) {
      expect(source).toContain('https://');
      expect(checkedOn).toBeNull();
    }
  });

  test('are for the standard category, and one window follows the other', () => {
    for (const { country, rows } of SHIPPED_RATES) {
      const rates = shippedTaxRates.filter((shipped) => shipped.country === country);
      expect(rates).toHaveLength(rows.length);
      expect(rates[0]?.validFrom).toBeNull();
      expect(rates.at(-1)?.validTo).toBeNull();
      rates.slice(1).forEach(({ validFrom }, index) => {
        expect(rates[index]?.validTo).toBe(validFrom);
      });
    }
  });

  test.each([
    ['EE', '2023-12-31T23:59:59.999Z', '20'],
    ['EE', '2024-01-01T00:00:00.000Z', '22'],
    ['EE', '2025-06-30T23:59:59.999Z', '22'],
    ['EE', '2025-07-01T00:00:00.000Z', '24'],
    ['CH', '1999-01-01T00:00:00.000Z', '7.7'],
    ['CH', '2024-01-01T00:00:00.000Z', '8.1'],
    ['FI', '2024-08-31T23:59:59.999Z', '24'],
    ['FI', '2024-09-01T00:00:00.000Z', '25.5'],
    ['LU', '2024-01-01T00:00:00.000Z', '17'],
    ['RO', '2025-07-31T23:59:59.999Z', '19'],
    ['RO', '2025-08-01T00:00:00.000Z', '21'],
    ['SK', '2025-01-01T00:00:00.000Z', '23'],
  ])('of %s at %s are %s percent', (country, at, percent) => {
    expect(percentAt(at, { country })).toBe(percent);
  });
});

describe('a rate', () => {
  const rates = [
    rate({ percent: '1' }),
    rate({ percent: '2', state: 'CA' }),
    rate({ percent: '3', category: 'ebook' }),
    rate({ percent: '4', category: 'ebook', state: ' ca ' }),
  ];

  test.each([
    ['of state and category', { state: 'CA', category: 'ebook' }, '4'],
    ['of the category, in another state', { state: 'NY', category: 'ebook' }, '3'],
    ['of the state, for another category', { state: 'Ca ', category: 'games' }, '2'],
    ['of the country', { state: null, category: 'games' }, '1'],
  ])('%s is found', (_name, where, percent) => {
    expect(percentAt(march, where, rates)).toBe(percent);
  });

  test('of the category comes before one of the state', () => {
    const without = rates.filter(({ percent }) => percent !== '4');
    expect(percentAt(march, { state: 'CA', category: 'ebook' }, without)).toBe('3');
  });

  test('of the seller comes before the shipped one, in its window only', () => {
    const own = [
      rate({ country: 'DE', percent: '16', validFrom: '2020-07-01', validTo: '2021-01-01' }),
    ];
    expect(percentAt('2020-06-30T23:59:59.999Z', { country: 'DE' }, own)).toBe('19');
    expect(percentAt('2020-07-01T00:00:00Z', { country: 'DE' }, own)).toBe('16');
    expect(percentAt('2020-12-31T23:59:59.999Z', { country: 'DE' }, own)).toBe('16');
    expect(percentAt('2021-01-01T00:00:00Z', { country: 'DE' }, own)).toBe('19');
  });

  test('is not found in a country without one', () => {
    expect(percentAt(march, { country: 'JP' }, rates)).toBeUndefined();
  });
});

describe('two rates', () => {
  const spring = { validFrom: '2026-03-01', validTo: '2026-06-01' };

  test.each<[string, Partial<TaxRate>, Partial<TaxRate>, boolean]>([
    ['without windows', {}, {}, true],
    ['of one window', spring, spring, true],
    ['of windows that touch', spring, { validFrom: '2026-06-01' }, false],
    ['of windows that meet in a day', spring, { validFrom: '2026-05-31' }, true],
    ['of an open window and one before it', { validTo: '2026-03-01' }, spring, false],
    ['of two countries', {}, { country: 'CA' }, false],
    ['of two categories', {}, { category: 'ebook' }, false],
    ['of a state and its country', {}, { state: 'CA' }, false],
    ['of one state in two notations', { state: 'ca ' }, { state: 'CA' }, true],
  ])('%s overlap: %j %j %s', (_name, left, right, overlaps) => {
    expect(isOverlapping(rate(left), rate(right))).toBe(overlaps);
    expect(isOverlapping(rate(right), rate(left))).toBe(overlaps);
  });
});
