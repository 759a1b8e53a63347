import { parseCurrency } from '@billing/kernel/currency';
import { Decimal } from '@billing/kernel/decimal';
import {
  type InputProblems,
  problemsOfParsing,
  wholeNumberProblems,
} from '@billing/kernel/input-problems';
import type { DiscountInput } from './discount';

const tooFine = /^\d{1,32}\.\d{13,}$/;
const percentMax = Decimal.of(100n);
const percentDecimalsMax = 2;
/** The largest amount of the API. */
const amountMax = Decimal.of(99_999_999_999n);
const durationInMonthsMax = 60;
const percentTooFine = `Must have at most ${String(percentDecimalsMax)} decimals`;
const noAmount = `Must be a whole number from 1 to ${amountMax.toString()}`;

type TermsInput = Pick<
  DiscountInput,
  'type' | 'value' | 'currency' | 'duration' | 'durationInMonths'
>;

/** What is wrong with how much is taken off, and for how long. */
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
  // What has more decimals than can be read has too many for a discount.
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
  if (type === 'PERCENTAGE') return ['Must not be given with PERCENTAGE'];
  return problemsOfParsing(() => parseCurrency(currency));
}

function durationInMonthsProblems({ duration, durationInMonths }: TermsInput): string[] {
  if (duration === 'REPEATING') {
    if (durationInMonths === undefined) return ['Required'];
    return wholeNumberProblems(durationInMonths, { min: 1, max: durationInMonthsMax });
  }
  const isRefused = durationInMonths !== undefined && duration !== undefined;
  return isRefused ? ['Must be given with REPEATING only'] : [];
}
