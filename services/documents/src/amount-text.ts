import { amountText as formattedAmount } from '@billing/presentation/amount-text';
import { quantityText as formattedQuantity } from '@billing/presentation/quantity-text';
import { rateText as formattedRate } from '@billing/presentation/rate-text';
import type { Shown } from './reader';

/** Formats an amount in the smallest unit: 2900n in USD is $29.00, in JPY ¥2,900. */
export function amountText(amount: bigint, currency: string): Shown {
  return ({ locale }) => formattedAmount(amount, currency, locale);
}

/** Formats a rate, a decimal string in the smallest unit: 0.25 in USD is $0.0025. */
export function rateText(rate: string, currency: string): Shown {
  return ({ locale }) => formattedRate(rate, currency, locale);
}

/** Formats a quantity, a decimal string, with separators. */
export function quantityText(quantity: string): Shown {
  return ({ locale }) => formattedQuantity(quantity, locale);
}
