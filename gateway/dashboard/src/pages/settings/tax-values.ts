import { SHIPPED_RATES } from '@billing/kernel/tax/shipped-rates';
import type { FormValues } from '../../parts/form/form-values';
import { typedDecimal } from '../../parts/text/decimal';
import { dayText } from '../../parts/text/time-text';
import type { TaxRate } from '../../resources/seller';

/** Tax settings of a form; null switches tax off. */
export function typedTax(values: Pick<FormValues, 'text'>): object | null {
  const prices = values.text('tax.prices');
  if (prices === 'OFF') return null;
  const registrations = values
    .text('tax.registrations')
    .toUpperCase()
    .split(/[\s,]+/)
    .filter((country) => country !== '');
  return { prices, registrations };
}

/** Body of `POST /v1/tax-rates` from its form. */
export function typedTaxRate(values: Pick<FormValues, 'text' | 'optional'>): object {
  return {
    country: values.text('country').trim().toUpperCase(),
    state: values.optional('state') ?? null,
    category: values.optional('category') ?? null,
    percent: typedDecimal(values.text('percent')),
    name: values.text('name').trim(),
    validFrom: values.optional('validFrom') ?? null,
    validTo: values.optional('validTo') ?? null,
  };
}

/** Origin of a rate: “Your own”, “Shipped, not checked”, “Shipped, checked on Jan 31, 2026”. */
export function originText({ source, country }: Pick<TaxRate, 'source' | 'country'>): string {
  if (source === 'OWN') return 'Your own';
  const checkedOn = shippedOf(country)?.checkedOn ?? null;
  return checkedOn === null ? 'Shipped, not checked' : `Shipped, checked on ${dayText(checkedOn)}`;
}

/** Official publication of a shipped rate; undefined for an own one. */
export function publicationOf({
  source,
  country,
}: Pick<TaxRate, 'source' | 'country'>): string | undefined {
  return source === 'OWN' ? undefined : shippedOf(country)?.source;
}

function shippedOf(country: string) {
  return SHIPPED_RATES.find((one) => one.country === country);
}
