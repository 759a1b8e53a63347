import { CURRENCY_EXPONENTS } from './currencies';
import { invalidInput } from './domain-error';

/** ISO 4217 code of an amount, in upper case, such as `USD`. */
export type Currency = keyof typeof CURRENCY_EXPONENTS;

/** Number of decimals of a currency's major unit. */
export type CurrencyExponent = (typeof CURRENCY_EXPONENTS)[Currency];

// Upper-casing first would accept other letters: a long s (U+017F) becomes S.
const THREE_LETTERS = /^[A-Za-z]{3}$/;

/** True if `text` is a known code in upper case, as stored. */
export function isCurrency(text: string): text is Currency {
  return Object.hasOwn(CURRENCY_EXPONENTS, text);
}

/**
 * Parses a code in any case. Throws invalid_input under `field` for unknown and withdrawn codes,
 * and for those without a minor unit.
 */
export function parseCurrency(text: string, field = 'currency'): Currency {
  const code = text.toUpperCase();
  if (!THREE_LETTERS.test(text) || !isCurrency(code)) {
    throw invalidInput({ [field]: ['Invalid currency'] });
  }
  return code;
}

/** Number of decimals: 2 for USD (an amount of 2900 is 29.00), 0 for JPY, 3 for KWD. */
export function exponentOf(currency: Currency): CurrencyExponent {
  return CURRENCY_EXPONENTS[currency];
}
