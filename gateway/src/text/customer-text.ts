import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import { countryText } from './country-text';

/** Lines that name a billed customer: name, e-mail address and postal address. */
export function billedLines({
  name,
  email,
  address,
}: Pick<Customer, 'name' | 'email' | 'address'>): string[] {
  const { line1, line2, postalCode, city, state, country = '' } = address ?? {};
  const place = [postalCode, city, state].filter(isFilled).join(' ');
  return [name, email, line1, line2, place, countryText(country)].filter(isFilled);
}

function isFilled(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
