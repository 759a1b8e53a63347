// The platform's own secrets, and those of payment providers, have readable prefixes, so they are
// found in any text: a message, a stack, a nested field.
const secrets =
  /\b(?:billing_(?:live|test)_|[rs]k_(?:live|test)_|whsec_)[\w+/=-]+|\b(Bearer|Basic) +[\w.~+/=-]+/g;

// The user and password of an address.
const credentials = /(:\/\/)[^\s/@"]+@/g;

// 13 to 19 digits in one run, or in the groups that are printed on cards. A longer run or a part of
// a word is not a card number, except in an authorization that is named after one.
const cardLike =
  /(?:(?<=txn_)|(?<![\w.-]))(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{5})(?![A-Za-z\d-])/g;

const censored = '[redacted]';

/**
 * Removes API keys, webhook secrets, authorization values, passwords of addresses and card numbers
 * from a text. JSON stays valid JSON.
 */
export function redactSecrets(text: string): string {
  return text
    .replace(credentials, `$1${censored}@`)
    .replace(secrets, (_match, scheme: string | undefined) =>
      scheme === undefined ? censored : `${scheme} ${censored}`,
    )
    .replace(cardLike, (match: string, ...groups: unknown[]) => {
      if (!passesLuhn(match)) return match;
      const [position, whole] = groups.slice(-2) as [number, string];
      return isBareNumber(whole, position, match.length) ? 'null' : censored;
    });
}

// Check digit of ISO/IEC 7812. Without it, every long number would look like a card number.
function passesLuhn(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

// A number outside of a JSON string cannot be replaced by a word. If it only looks like a number,
// null does no harm.
function isBareNumber(text: string, position: number, length: number): boolean {
  return /[:,[]/.test(text[position - 1] ?? '') && /[,}\]]/.test(text[position + length] ?? '');
}
