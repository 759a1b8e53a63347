import { brandName } from '@billing/presentation/card-text';

/** A card of a customer, as the dashboard names it: Visa 4242. */
export function cardText(brand: string, last4: string): string {
  return `${brandName(brand)} ${last4}`;
}
