import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import { countryText } from './country-text';
import type { Text } from './reader';

/** Lines that name a billed customer: name, email address and postal address. */
export function billedLines({
  name,
  email,
  address,
}: Pick<Customer, 'name' | 'email' | 'address'>): Text[] {
  const { line1, line2, postalCode, city, state, country = '' } = address ?? {};
  const place = [postalCode, city, state].filter(isFilled).join(' ');
  const lines = [name, email, line1, line2, place].filter(isFilled);
  return country === '' ? lines : [...lines, countryText(country)];
}

function isFilled(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
