import { sumOf } from '../money';
import type { Currency } from '../currency';
import { Decimal, roundedQuotient } from '../decimal';
import { isInEu } from './european-union';
import { EXEMPT_CATEGORY, type TaxRate, taxRateAt } from './tax-rate';
import {
  type TaxBuyer,
  type TaxEvidence,
  taxEvidenceOf,
  type TaxExempt,
  type TaxSeller,
  type Treatment,
  treatmentOf,
} from './treatment';

/** Relation of prices to tax: added on top, or contained. */
export type TaxPrices = 'EXCLUDE_TAX' | 'INCLUDE_TAX';

/**
 * Reason for the tax of a line. NO_RATE: the line is taxed in a country without a rate, so 0 is due
 * and the seller has to add one.
 */
export type TaxReason =
  'STANDARD' | 'ZERO' | 'NO_RATE' | 'EXEMPT' | 'REVERSE_CHARGE' | 'OUT_OF_SCOPE';

/** Terms under which a line is taxed; lines of equal terms are rounded together. */
export interface TaxTerms {
  readonly reason: TaxReason;
  /** Name of the tax; null where no rate applies. */
  readonly name: string | null;
  readonly country: string;
  /** State of the rate; null: the whole country. */
  readonly state: string | null;
  /** Decimal string without trailing zeros. */
  readonly percent: string;
}

/** Amounts of a line before tax is known, in minor units. */
export interface PricedLine {
  /** Price of the line, with tax under INCLUDE_TAX; negative if it corrects an earlier line. */
  readonly pricedAmount: bigint;
  /** The line's share of the discount, priced alike; at least 0. */
  readonly discount: bigint;
}

/** Line to be taxed. */
export interface TaxableLine extends PricedLine {
  readonly id: string;
  readonly taxCategory: string;
  /** Terms of the line that this one corrects; undefined: the terms of this invoice. */
  readonly taxedAs?: TaxTerms | undefined;
}

/** Terms and tax of a line. */
export interface LineTax extends TaxTerms {
  readonly id: string;
  /** In minor units; negative for a negative line. */
  readonly taxAmount: bigint;
}

/** Question to a tax engine: all that the tax of an invoice depends on. */
export interface TaxQuestion {
  /** Tax date. */
  readonly at: Date;
  readonly currency: Currency;
  readonly prices: TaxPrices;
  readonly seller: TaxSeller & { readonly ownRates: readonly TaxRate[] };
  readonly buyer: TaxBuyer;
  readonly taxExempt: TaxExempt;
  readonly lines: readonly TaxableLine[];
}

/** Answer of a tax engine; the lines are in the order of the question. */
export interface TaxAnswer {
  readonly lines: readonly LineTax[];
  readonly evidence: readonly TaxEvidence[];
}

/** Port to the calculation of taxes. Calculations are pure: same question, same answer. */
export interface TaxEngine {
  calculate(question: TaxQuestion): TaxAnswer;
}

/** The built-in engine, for value-added taxes. */
export const vatEngine: TaxEngine = {
  calculate({ at, prices, seller, buyer, taxExempt, lines }) {
    const treatment = treatmentOf({ seller, buyer, taxExempt });
    const termed = lines.map((line) => ({
      ...line,
      terms: line.taxedAs ?? termsOf(treatment, line, { at, ownRates: seller.ownRates }),
    }));
    return { lines: taxLines(termed, prices), evidence: taxEvidenceOf({ seller, buyer }, at) };
  },
};

/** Amounts of a taxed line, in minor units: `amount` − `discountAmount` + tax = `total`. */
export interface LineAmounts {
  /** Without tax, before the discount. */
  readonly amount: bigint;
  /** Without tax. */
  readonly discountAmount: bigint;
  /** Amount that the line adds to the total of the invoice. */
  readonly total: bigint;
}

/** Splits a taxed line. Under INCLUDE_TAX its total is its price less the discount, exactly. */
export function lineAmounts(
  { pricedAmount, discount }: PricedLine,
  { percent, taxAmount }: Pick<LineTax, 'percent' | 'taxAmount'>,
  prices: TaxPrices,
): LineAmounts {
  const net = pricedAmount - discount;
  if (prices === 'EXCLUDE_TAX') {
    return { amount: pricedAmount, discountAmount: discount, total: net + taxAmount };
  }
  const discountAmount = discount - roundHalfUp(taxOf(discount, percent, prices));
  return { amount: net - taxAmount + discountAmount, discountAmount, total: net };
}

/** Lines of equal terms, as an invoice shows them. */
export interface TaxRow extends TaxTerms {
  /** Σ of the lines without tax, after discounts. */
  readonly base: bigint;
  /** Σ of the lines' taxes. */
  readonly amount: bigint;
  /** Text that the law demands on the invoice; null: none. */
  readonly legalText: string | null;
}

/** Sums taxed lines by their terms, in the order of the first line of each. */
export function taxRows(
  lines: readonly (TaxTerms &
    Pick<LineTax, 'taxAmount'> &
    Pick<LineAmounts, 'amount' | 'discountAmount'>)[],
  seller: Pick<TaxSeller, 'country'>,
): TaxRow[] {
  return groupsOf(lines, (line) => line).map((group) => {
    const { reason, name, country, state, percent } = group[0];
    return {
      ...{ reason, name, country, state, percent },
      base: sumOf(group.map(({ amount, discountAmount }) => amount - discountAmount)),
      amount: sumOf(group.map(({ taxAmount }) => taxAmount)),
      legalText: legalTextOf({ reason, country }, seller),
    };
  });
}

function legalTextOf(
  { reason, country }: Pick<TaxTerms, 'reason' | 'country'>,
  seller: Pick<TaxSeller, 'country'>,
): string | null {
  switch (reason) {
    case 'REVERSE_CHARGE':
      return isInEu(seller.country) && isInEu(country)
        ? 'Reverse charge, Art. 196 Directive 2006/112/EC'
        : 'Reverse charge';
    case 'EXEMPT':
      return 'Exempt from tax';
    case 'OUT_OF_SCOPE':
      return 'Not subject to tax';
    case 'STANDARD':
    case 'ZERO':
    case 'NO_RATE':
      return null;
  }
}

function termsOf(
  treatment: Treatment,
  { taxCategory: category }: Pick<TaxableLine, 'taxCategory'>,
  { at, ownRates }: { readonly at: Date; readonly ownRates: readonly TaxRate[] },
): TaxTerms {
  if (treatment.kind !== 'TAXED') return untaxed(treatment.kind, treatment.country);
  const { country, state } = treatment.place;
  if (category === EXEMPT_CATEGORY) return untaxed('EXEMPT', country);
  const rate = taxRateAt(at, { country, state, category, ownRates });
  if (rate === undefined) return untaxed('NO_RATE', country);
  const { name, percent } = rate;
  const reason = Decimal.parse(percent, 'percent').unscaled === 0n ? 'ZERO' : 'STANDARD';
  return { reason, name, country, state: rate.state, percent };
}

function untaxed(reason: TaxReason, country: string): TaxTerms {
  return { reason, name: null, country, state: null, percent: '0' };
}

/**
 * Tax of each line. It is rounded once per group of equal terms and split over its lines: each
 * line gets its share rounded down, and the missing units go to the largest fractions, of equal
 * ones to the earlier line.
 */
function taxLines(
  lines: readonly (TaxableLine & { readonly terms: TaxTerms })[],
  prices: TaxPrices,
): LineTax[] {
  const taxAmounts = new Map<string, bigint>();
  for (const group of groupsOf(lines, ({ terms }) => terms)) {
    const shares = group.map(({ id, pricedAmount, discount, terms: { percent } }) => ({
      id,
      ...divided(taxOf(pricedAmount - discount, percent, prices)),
    }));
    const { percent } = group[0].terms;
    const net = sumOf(group.map(({ pricedAmount, discount }) => pricedAmount - discount));
    const missing =
      roundHalfUp(taxOf(net, percent, prices)) - sumOf(shares.map(({ whole }) => whole));
    const byFraction = shares.toSorted((left, right) => compare(right.rest, left.rest));
    byFraction.forEach(({ id, whole }, rank) => {
      taxAmounts.set(id, BigInt(rank) < missing ? whole + 1n : whole);
    });
  }
  return lines.map(({ id, terms: { reason, name, country, state, percent } }) => ({
    ...{ id, reason, name, country, state, percent },
    taxAmount: taxAmounts.get(id) ?? 0n,
  }));
}

/** Exact number; the divisor is above 0. */
interface Fraction {
  readonly dividend: bigint;
  readonly divisor: bigint;
}

/** Exact tax on, or contained in, an amount. All amounts of a percentage have one divisor. */
function taxOf(amount: bigint, percent: string, prices: TaxPrices): Fraction {
  const { unscaled, scale } = Decimal.parse(percent, 'percent');
  const hundred = 100n * 10n ** BigInt(scale);
  return {
    dividend: amount * unscaled,
    divisor: prices === 'INCLUDE_TAX' ? hundred + unscaled : hundred,
  };
}

/** The largest whole number up to a fraction, and the rest of the dividend. */
function divided({ dividend, divisor }: Fraction): { whole: bigint; rest: bigint } {
  const rest = ((dividend % divisor) + divisor) % divisor;
  return { whole: (dividend - rest) / divisor, rest };
}

function roundHalfUp({ dividend, divisor }: Fraction): bigint {
  return roundedQuotient(dividend, divisor);
}

type Group<Line> = [Line, ...Line[]];

function groupsOf<Line>(lines: readonly Line[], termsOfLine: (line: Line) => TaxTerms) {
  const groups = new Map<string, Group<Line>>();
  for (const line of lines) {
    const { reason, country, state, percent, name } = termsOfLine(line);
    const key = JSON.stringify([reason, country, state, percent, name]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  return [...groups.values()];
}

function compare(left: bigint, right: bigint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
