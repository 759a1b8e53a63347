import { amountText as formattedAmount } from '@billing/presentation/amount-text';
import { quantityText as formattedQuantity } from '@billing/presentation/quantity-text';
import { rateText as formattedRate } from '@billing/presentation/rate-text';

// The dashboard is in English.
const locale = 'en';

/** Formats an amount in the smallest unit: 2900n in USD is $29.00, in JPY ¥2,900. */
export function amountText(amount: bigint, currency: string): string {
  return formattedAmount(amount, currency, locale);
}

/** Formats a rate, a decimal string in the smallest unit: 0.25 in USD is $0.0025. */
export function rateText(rate: string, currency: string): string {
  return formattedRate(rate, currency, locale);
}

/** Formats a quantity, a decimal string, with separators. */
export function quantityText(quantity: string): string {
  return formattedQuantity(quantity, locale);
}
