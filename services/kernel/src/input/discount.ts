import { parseCurrency } from '../currency';
import { Decimal } from '../decimal';
import type { DiscountDuration } from '../discount-validity';
import type { DiscountType } from '../discounting';
import {
  type InputProblems,
  lineProblems,
  optionalProblems,
  problemsOfParsing,
  wholeNumberProblems,
} from '../input-problems';

const nameLengthMax = 200;
const codePattern = /^[A-Za-z0-9_-]{3,64}$/;
/** Maximum number of products of a discount. Each redemption searches the list. */
export const productIdsMax = 50;
// Slot numbers have 32 bits.
const maxRedemptionsMax = 2 ** 31 - 1;

const tooFine = /^\d{1,32}\.\d{13,}$/;
const percentMax = Decimal.of(100n);
const percentDecimalsMax = 2;
/** Maximum amount of the API. */
const amountMax = Decimal.of(99_999_999_999n);
const durationInMonthsMax = 60;
const percentTooFine = `Must have at most ${String(percentDecimalsMax)} decimals`;
const noAmount = `Must be a whole number from 1 to ${amountMax.toString()}`;

/** Fields of a discount that have rules of their own. */
export interface DiscountFields {
  readonly name: string;
  readonly code?: string | undefined;
  /** Absent: missing. UNKNOWN: a value that this version does not know. */
  readonly type: DiscountType | 'UNKNOWN' | undefined;
  readonly value: string;
  /** In any case. */
  readonly currency?: string | undefined;
  readonly duration: DiscountDuration | 'UNKNOWN' | undefined;
  readonly durationInMonths?: number | undefined;
  readonly maxRedemptions?: number | undefined;
  readonly startsAt?: Date | undefined;
  readonly endsAt?: Date | undefined;
  readonly productIds: readonly string[];
}

type TermsInput = Pick<
  DiscountFields,
  'type' | 'value' | 'currency' | 'duration' | 'durationInMonths'
>;

/** Problems of each field of a discount. */
export function discountProblems(fields: DiscountFields): InputProblems {
  const { name, code, maxRedemptions, startsAt, endsAt, productIds } = fields;
  const isEmpty = startsAt !== undefined && endsAt !== undefined && endsAt <= startsAt;
  return {
    name: lineProblems(name, { min: 1, max: nameLengthMax }),
    code: optionalProblems(code, codeProblems),
    ...discountTermsProblems(fields),
    maxRedemptions: optionalProblems(maxRedemptions, (count) =>
      wholeNumberProblems(count, { min: 1, max: maxRedemptionsMax }),
    ),
    endsAt: isEmpty ? ['Must be after startsAt'] : [],
    productIds:
      productIds.length > productIdsMax
        ? [`Must have at most ${String(productIdsMax)} products`]
        : [],
  };
}

function codeProblems(code: string): string[] {
  return codePattern.test(code) ? [] : ['Must be 3 to 64 characters of A-Z, a-z, 0-9, _ and -'];
}

/** Problems of the value and the duration. */
export function discountTermsProblems(input: TermsInput): InputProblems {
  return {
    type: choiceProblems(input.type, 'Invalid type'),
    value: valueProblems(input),
    currency: currencyProblems(input),
    duration: choiceProblems(input.duration, 'Invalid duration'),
    durationInMonths: durationInMonthsProblems(input),
  };
}

function choiceProblems(choice: string | undefined, invalid: string): string[] {
  if (choice === undefined) return ['Required'];
  return choice === 'UNKNOWN' ? [invalid] : [];
}

function valueProblems({ type, value }: TermsInput): string[] {
  if (value === '') return ['Required'];
  const unreadable = problemsOfParsing(() => Decimal.parse(value, 'value'));
  // A value with too many decimals to parse also has too many for a discount.
  if (unreadable.length > 0) return tooFine.test(value) ? tooFineProblems(type) : unreadable;
  const number = Decimal.parse(value, 'value');
  if (type === 'PERCENTAGE') return percentProblems(number);
  return type === 'FIXED' ? amountProblems(number) : [];
}

function percentProblems(percent: Decimal): string[] {
  if (percent.unscaled <= 0n || percent.compare(percentMax) > 0) {
    return ['Must be above 0 and at most 100'];
  }
  return percent.scale > percentDecimalsMax ? [percentTooFine] : [];
}

function amountProblems(amount: Decimal): string[] {
  if (amount.scale === 0 && amount.unscaled > 0n && amount.compare(amountMax) <= 0) return [];
  return [noAmount];
}

function tooFineProblems(type: TermsInput['type']): string[] {
  return [type === 'FIXED' ? noAmount : percentTooFine];
}

function currencyProblems({ type, currency }: TermsInput): string[] {
  if (currency === undefined) return [];
  if (type === 'PERCENTAGE') return ['Not allowed with PERCENTAGE'];
  return problemsOfParsing(() => parseCurrency(currency));
}

function durationInMonthsProblems({ duration, durationInMonths }: TermsInput): string[] {
  if (duration === 'REPEATING') {
    if (durationInMonths === undefined) return ['Required'];
    return wholeNumberProblems(durationInMonths, { min: 1, max: durationInMonthsMax });
  }
  const isRefused = durationInMonths !== undefined && duration !== undefined;
  return isRefused ? ['Only allowed with REPEATING'] : [];
}
