import { SHIPPED_RATES } from './shipped-rates';

/** Tax category of products that are not in another one. */
export const STANDARD_CATEGORY = 'standard';
/** Tax category of products that are never taxed. */
export const EXEMPT_CATEGORY = 'exempt';

/** Percentage of tax in a country or state, for a category, in a window of days. */
export interface TaxRate {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Null: the whole country. */
  readonly state: string | null;
  readonly category: string;
  /** Decimal string without trailing zeros, 0 to 100. */
  readonly percent: string;
  /** Name of the tax, such as `VAT`. */
  readonly name: string;
  /** First day (UTC), `2026-01-01`; null: open. */
  readonly validFrom: string | null;
  /** Day (UTC) after the last one; null: open. */
  readonly validTo: string | null;
}

/** The shipped rates. The first rate of a country also holds for the time before it. */
export const shippedTaxRates: readonly TaxRate[] = SHIPPED_RATES.flatMap(({ country, rows }) =>
  rows.map(({ percent, validFrom = null }, index) => ({
    country,
    state: null,
    category: STANDARD_CATEGORY,
    percent,
    name: 'VAT',
    validFrom,
    validTo: rows[index + 1]?.validFrom ?? null,
  })),
);

const shippedByCountry = Map.groupBy(shippedTaxRates, ({ country }) => country);

/**
 * Rate of a category at an instant; undefined where a country has none. Own rates come before the
 * shipped one, a rate of the state before that of its country, and a rate of the category before
 * `standard`.
 */
export function taxRateAt(
  at: Date,
  {
    country,
    state,
    category,
    ownRates,
  }: {
    readonly country: string;
    readonly state: string | null;
    readonly category: string;
    readonly ownRates: readonly TaxRate[];
  },
): TaxRate | undefined {
  const own = ownRates.filter((rate) => rate.country === country && isValidAt(rate, at));
  for (const wanted of [category, STANDARD_CATEGORY]) {
    const ofCategory = own.filter((rate) => rate.category === wanted);
    const found =
      ofCategory.find((rate) => rate.state !== null && isSameState(rate.state, state)) ??
      ofCategory.find((rate) => rate.state === null);
    if (found !== undefined) return found;
  }
  return shippedByCountry.get(country)?.find((rate) => isValidAt(rate, at));
}

/** True if two rates may apply to the same line at the same instant. */
export function isOverlapping(left: TaxRate, right: TaxRate): boolean {
  return (
    left.country === right.country &&
    left.category === right.category &&
    isSameState(left.state, right.state) &&
    (left.validTo === null || right.validFrom === null || right.validFrom < left.validTo) &&
    (right.validTo === null || left.validFrom === null || left.validFrom < right.validTo)
  );
}

function isValidAt({ validFrom, validTo }: TaxRate, at: Date): boolean {
  return (
    (validFrom === null || at >= startOf(validFrom)) && (validTo === null || at < startOf(validTo))
  );
}

function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

function isSameState(left: string | null, right: string | null): boolean {
  return plainState(left) === plainState(right);
}

function plainState(state: string | null): string {
  return (state ?? '').trim().toLowerCase();
}
