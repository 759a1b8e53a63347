import { DomainError } from '@billing/kernel/domain-error';
import {
  addTaxRate,
  type BillingSettings,
  changeSeller,
  changeTaxRate,
  offSettings,
  type SellerChanges,
  type TaxRateInput,
} from './billing-settings';

const now = new Date('2026-03-01T00:00:00Z');
const later = new Date('2026-04-01T00:00:00Z');
const off = offSettings('environment');
const german = { legalName: 'Ada GmbH', address: { country: 'DE' } } as const;
const tax = { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] } as const;

function change(
  settings: BillingSettings,
  changes: SellerChanges,
  expectedVersion?: number,
): BillingSettings {
  return changeSeller(settings, changes, { expectedVersion, now }).state;
}

function problemsOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error.fields ?? error.message;
    throw error;
  }
  throw new Error('Not refused');
}

describe('the seller', () => {
  test('has off values and version 0 before the first change', () => {
    expect(off).toMatchObject({ sellerVersion: 0, sellerUpdatedAt: undefined, ownRates: [] });
    expect(off.seller).toMatchObject({
      legalName: null,
      taxIds: [],
      invoicePrefix: 'INV-',
      netDays: 30,
      tax: null,
    });
  });

  test('keeps fields that are absent, and returns cleared ones to their off values', () => {
    const changed = change(off, { ...german, netDays: 14, invoicePrefix: 'A-', footer: 'Bye' });
    const cleared = change(changed, { netDays: null, invoicePrefix: null, footer: null });
    expect(cleared.seller).toMatchObject({
      legalName: 'Ada GmbH',
      address: { country: 'DE', line1: null },
      ...{ netDays: 30, invoicePrefix: 'INV-', footer: null },
    });
    expect(cleared.sellerVersion).toBe(2);
  });

  test('stores tax ids, bank account and email address in one form', () => {
    const { seller } = change(off, {
      email: ' ada@example.com ',
      taxIds: [{ type: 'EU_VAT', value: 'de 136 695 976' }],
      bankAccount: { holder: 'Ada', iban: 'de89 3704 0044 0532 0130 00' },
    });
    expect(seller).toMatchObject({
      email: 'ada@example.com',
      taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
      bankAccount: { holder: 'Ada', iban: 'DE89370400440532013000', bic: null },
    });
  });

  test('does not change by a change without an effect', () => {
    const changed = change(off, german);
    expect(changeSeller(changed, german, { expectedVersion: 1, now: later }).state).toBe(changed);
  });

  test('changes only at the expected version', () => {
    const changed = change(off, german, 0);
    expect(problemsOf(() => change(changed, { footer: 'x' }, 0))).toBe('Stale version');
    expect(change(changed, { footer: 'x' }, 1).sellerVersion).toBe(2);
  });

  test.each<[string, SellerChanges]>([
    ['no name and no country', { tax }],
    ['no country', { legalName: 'Ada', address: { city: 'Berlin' }, tax }],
    ['no name', { address: { country: 'DE' }, tax }],
  ])('is not taxed with %s', (_name, changes) => {
    const problem = { tax: ['Needs legalName and address.country'] };
    expect(problemsOf(() => change(off, changes))).toEqual(problem);
  });

  test('does not lose the name or country that its tax needs', () => {
    const taxed = change(off, { ...german, tax });
    const problem = { tax: ['Needs legalName and address.country'] };
    expect(problemsOf(() => change(taxed, { legalName: null }))).toEqual(problem);
    expect(problemsOf(() => change(taxed, { address: null }))).toEqual(problem);
    expect(change(taxed, { legalName: null, tax: null }).seller.tax).toBeNull();
  });

  test('is registered in its own country', () => {
    const registrations = ['FR', 'EU'];
    const problem = { tax: ['registrations must contain DE'] };
    expect(problemsOf(() => change(off, { ...german, tax: { ...tax, registrations } }))).toEqual(
      problem,
    );
    const taxed = change(off, { ...german, tax });
    expect(problemsOf(() => change(taxed, { address: { country: 'FR' } }))).toEqual({
      tax: ['registrations must contain FR'],
    });
  });
});

describe('a tax rate', () => {
  const input: TaxRateInput = { country: 'US', percent: '8.250', name: 'Sales tax' };
  const add = (settings: BillingSettings, given: Partial<TaxRateInput> = {}, id = 'rate') =>
    addTaxRate(settings, { ...input, ...given }, { id, now }).state;

  test('is stored without trailing zeros, for the standard category', () => {
    expect(add(off, { state: ' CA ' }).ownRates).toEqual([
      {
        id: 'rate',
        ...{ country: 'US', state: 'CA', category: 'standard', percent: '8.25' },
        ...{ name: 'Sales tax', validFrom: null, validTo: null, version: 1 },
        ...{ createdAt: now, updatedAt: now },
      },
    ]);
  });

  test('is added once', () => {
    const settings = add(off);
    expect(add(settings)).toBe(settings);
  });

  test('does not overlap another', () => {
    const settings = add(off, { validFrom: '2026-01-01', validTo: '2026-06-01' });
    const overlap = 'Tax rate overlaps another';
    expect(problemsOf(() => add(settings, { validFrom: '2026-05-31' }, 'other'))).toBe(overlap);
    const next = add(settings, { validFrom: '2026-06-01' }, 'other');
    expect(next.ownRates).toHaveLength(2);
    const longer = { validTo: '2026-06-02' };
    const options = { id: 'rate', expectedVersion: undefined, now: later };
    expect(problemsOf(() => changeTaxRate(next, longer, options))).toBe(overlap);
    expect(problemsOf(() => changeTaxRate(next, { validTo: null }, options))).toBe(overlap);
  });

  test('is one of at most 200', () => {
    let settings = off;
    for (let index = 0; index < 200; index += 1) {
      settings = add(settings, { category: `c${String(index)}` }, `rate ${String(index)}`);
    }
    expect(problemsOf(() => add(settings, {}, 'last'))).toBe('Too many tax rates');
  });

  test('changes its name and end, at the expected version', () => {
    const settings = add(off, { validFrom: '2026-01-01' });
    const changes = { name: 'VAT', validTo: '2026-02-01' };
    const options = { id: 'rate', expectedVersion: 1, now: later };
    const changed = changeTaxRate(settings, changes, options).state;
    expect(changed.ownRates).toMatchObject([{ ...changes, version: 2, updatedAt: later }]);
    expect(problemsOf(() => changeTaxRate(changed, {}, options))).toBe('Stale version');
    const current = { ...options, expectedVersion: undefined };
    expect(changeTaxRate(changed, changes, current).state).toBe(changed);
    expect(problemsOf(() => changeTaxRate(settings, { validTo: '2026-01-01' }, current))).toEqual({
      validTo: ['Must be after validFrom'],
    });
    expect(problemsOf(() => changeTaxRate(settings, {}, { ...current, id: 'x' }))).toBe(
      'Tax rate not found',
    );
  });

  test.each<[Partial<TaxRateInput>, object]>([
    [{ country: 'XX' }, { country: ['Invalid country'] }],
    [{ percent: '100.1' }, { percent: ['Must be between 0 and 100, with at most 4 decimals'] }],
    [{ percent: '1.23456' }, { percent: ['Must be between 0 and 100, with at most 4 decimals'] }],
    [{ percent: '-1' }, { percent: ['Must be between 0 and 100, with at most 4 decimals'] }],
    [{ name: '' }, { name: ['Required'] }],
    [{ validFrom: '2026-02-30' }, { validFrom: ['Invalid date'] }],
    [{ validTo: '2026-1-1' }, { validTo: ['Invalid date'] }],
    [{ category: 'Ä' }, { category: ['Must be 1 to 40 characters of a-z, 0-9, ., _ and -'] }],
  ])('is refused: %j', (given, problems) => {
    expect(problemsOf(() => add(off, given))).toEqual(problems);
  });
});
