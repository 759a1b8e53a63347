import {
  digitAt,
  isLuhn,
  isMod11And10,
  isMod97,
  mod11CheckDigit,
  weightedSum,
} from './check-digits';

/** Form of the VAT ids of a country, without their prefix. */
interface VatIdForm {
  readonly syntax: RegExp;
  /** Checks the check digits of a number of the right syntax. Absent: only the syntax counts. */
  readonly isValid?: (number: string) => boolean;
}

/** Forms by prefix. Greece has `EL`. */
const forms: ReadonlyMap<string, VatIdForm> = new Map(
  Object.entries<VatIdForm>({
    AT: { syntax: /^U\d{8}$/u, isValid: isAustrian },
    BE: {
      syntax: /^[01]\d{9}$/u,
      isValid: (number) => 97 - (whole(number, 0, 8) % 97) === whole(number, 8),
    },
    BG: { syntax: /^\d{9,10}$/u },
    CY: { syntax: /^\d{8}[A-Z]$/u },
    CZ: { syntax: /^\d{8,10}$/u },
    DE: { syntax: /^[1-9]\d{8}$/u, isValid: isMod11And10 },
    DK: {
      syntax: /^[1-9]\d{7}$/u,
      isValid: (number) => weightedSum(number, [2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    },
    EE: { syntax: /^\d{9}$/u },
    EL: {
      syntax: /^\d{9}$/u,
      isValid: (number) =>
        (weightedSum(number, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === digitAt(number, 8),
    },
    ES: { syntax: /^[A-Z\d]\d{7}[A-Z\d]$/u, isValid: isSpanish },
    FI: {
      syntax: /^\d{8}$/u,
      isValid: (number) => mod11CheckDigit(number, [7, 9, 10, 5, 8, 4, 2]) === digitAt(number, 7),
    },
    FR: { syntax: /^[A-HJ-NP-Z\d]{2}\d{9}$/u, isValid: isFrench },
    HR: { syntax: /^\d{11}$/u, isValid: isMod11And10 },
    HU: { syntax: /^\d{8}$/u },
    IE: { syntax: /^(?:\d{7}[A-W][A-I]?|[7-9][A-Z+*]\d{5}[A-W])$/u, isValid: isIrish },
    IT: { syntax: /^\d{11}$/u, isValid: isLuhn },
    LT: { syntax: /^(?:\d{9}|\d{12})$/u },
    LU: {
      syntax: /^\d{8}$/u,
      isValid: (number) => whole(number, 0, 6) % 89 === whole(number, 6),
    },
    LV: { syntax: /^\d{11}$/u },
    MT: { syntax: /^\d{8}$/u },
    NL: { syntax: /^\d{9}B\d{2}$/u, isValid: isDutch },
    PL: {
      syntax: /^\d{10}$/u,
      isValid: (number) =>
        weightedSum(number, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === digitAt(number, 9),
    },
    PT: {
      syntax: /^[1-9]\d{8}$/u,
      isValid: (number) => zeroFrom10(number, [9, 8, 7, 6, 5, 4, 3, 2]) === digitAt(number, 8),
    },
    RO: { syntax: /^[1-9]\d{1,9}$/u },
    SE: {
      syntax: /^\d{10}(?!00)\d{2}$/u,
      isValid: (number) => isLuhn(number.slice(0, 10)),
    },
    SI: {
      syntax: /^[1-9]\d{7}$/u,
      isValid: (number) => {
        const check = 11 - (weightedSum(number, [8, 7, 6, 5, 4, 3, 2]) % 11);
        return check !== 11 && check % 10 === digitAt(number, 7);
      },
    },
    SK: { syntax: /^[1-9]\d{9}$/u },
  }),
);

/**
 * True for a VAT id of a member of the European Union: upper case, with prefix, without separators.
 * Checks the syntax, and the check digits of the countries that publish how they are computed.
 */
export function isEuVatId(value: string): boolean {
  const form = forms.get(value.slice(0, 2));
  const number = value.slice(2);
  return form !== undefined && form.syntax.test(number) && (form.isValid?.(number) ?? true);
}

function whole(digits: string, start: number, end?: number): number {
  return Number.parseInt(digits.slice(start, end), 10);
}

/** Check digit modulo 11; 10 and 11 count as 0. */
function zeroFrom10(digits: string, weights: readonly number[]): number {
  return mod11CheckDigit(digits, weights) ?? 0;
}

function isAustrian(number: string): boolean {
  const digits = number.slice(1);
  const doubled = Array.from(digits.slice(0, 7), (digit, index) => {
    const value = Number.parseInt(digit, 10) * (index % 2 === 0 ? 1 : 2);
    return value > 9 ? value - 9 : value;
  });
  const sum = doubled.reduce((left, right) => left + right, 4);
  return (10 - (sum % 10)) % 10 === digitAt(digits, 7);
}

// Ids whose key has letters are not checked: they have no published formula.
function isFrench(number: string): boolean {
  if (!/^\d+$/u.test(number)) return true;
  return BigInt(`${number.slice(2)}12`) % 97n === BigInt(number.slice(0, 2));
}

// Numbers of sole traders pass MOD 97-10 with the prefix instead of the older formula.
function isDutch(number: string): boolean {
  const remainder = weightedSum(number, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return remainder === digitAt(number, 8) || isMod97(`NL${number}`);
}

const irishLetters = 'WABCDEFGHIJKLMNOPQRSTUV';

function isIrish(number: string): boolean {
  // The older form has its first digit after the others, and a letter or sign in second place.
  const isOlder = !/^\d{7}/u.test(number);
  const digits = isOlder ? `0${number.slice(2, 7)}${number.charAt(0)}` : number.slice(0, 7);
  const last = irishLetters.indexOf(number.charAt(8) === '' ? 'W' : number.charAt(8));
  const sum = weightedSum(digits, [8, 7, 6, 5, 4, 3, 2]) + 9 * last;
  return irishLetters.charAt(sum % 23) === number.charAt(7);
}

const spanishPersonLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';
const spanishCompanyLetters = 'JABCDEFGHI';

function isSpanish(number: string): boolean {
  const check = number.charAt(8);
  if (/^[\dXYZKLM]/u.test(number)) {
    const digits = number
      .replace(/^[XKLM]/u, '0')
      .replace('Y', '1')
      .replace('Z', '2');
    return spanishPersonLetters.charAt(whole(digits, 0, 8) % 23) === check;
  }
  const digits = number.slice(1, 8);
  // A company's check digit completes the Luhn formula; some companies have it as a letter.
  const digit = Array.from('0123456789').find((candidate) => isLuhn(digits + candidate)) ?? '';
  const letter = spanishCompanyLetters.charAt(Number.parseInt(digit, 10));
  if (/^[A-HJUV]/u.test(number) && check === digit) return true;
  return /^[A-HN-SW]/u.test(number) && check === letter;
}
