import { Decimal } from '../decimal';
import { type InputProblems, type Parts, problemsOfParsing } from '../input-problems';
import { parseAmount } from '../money';
import { parseRate } from '../pricing/rate';
import { type TierInput, tierProblems } from '../pricing/tiers';
import { parseUnits } from '../pricing/units';
import type { UsagePricingType } from '../pricing/usage-pricing';
import type { SentChoice } from './price-terms';

/** Maximum number of prices of a product. */
export const meterPricesMax = 100;

/** Meter price as sent. */
export interface MeterPriceInput {
  readonly meterId: string;
  /** Defaults to PER_UNIT. */
  readonly type: SentChoice<UsagePricingType>;
  readonly unitAmount?: string | undefined;
  readonly tiers?: readonly TierInput[] | undefined;
  /** Defaults to 0. */
  readonly includedUnits?: string | undefined;
  readonly packageSize?: string | undefined;
  readonly minimumAmount?: bigint | undefined;
  readonly maximumAmount?: bigint | undefined;
  /** Defaults to an empty list. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Meter price with tiers that may lack parts. */
export interface MeterPriceParts extends Omit<MeterPriceInput, 'tiers'> {
  readonly tiers?: readonly Parts<TierInput>[] | undefined;
}

/** Problems of one price of a list. Problems of its tiers are prefixed with their path. */
export function meterPriceProblems(input: MeterPriceParts): InputProblems {
  return {
    type: input.type === 'UNKNOWN' ? ['Invalid pricing type'] : [],
    unitAmount: unitAmountProblems(input),
    includedUnits: unitsProblems(input.includedUnits),
    packageSize: packageSizeProblems(input),
    minimumAmount: minimumProblems(input),
    maximumAmount: amountProblems(input.maximumAmount),
  };
}

function unitAmountProblems({ type = 'PER_UNIT', unitAmount }: MeterPriceParts): string[] {
  const hasTiers = type === 'TIERED' || type === 'VOLUME';
  if (unitAmount === undefined) return hasTiers || type === 'UNKNOWN' ? [] : ['Required'];
  if (hasTiers) return ['Only allowed with PER_UNIT and PACKAGE'];
  return problemsOfParsing(() => parseRate(unitAmount));
}

/** Problems of the tiers of a meter price, each prefixed with its path. */
export function meterTiersProblems(
  { type = 'PER_UNIT', tiers }: MeterPriceParts,
  path: string,
): string[] {
  const hasTiers = type === 'TIERED' || type === 'VOLUME';
  if (tiers === undefined) return hasTiers ? [`${path}: Required`] : [];
  // With an unknown type, the tiers are still validated.
  if (!hasTiers && type !== 'UNKNOWN') return [`${path}: Only allowed with TIERED and VOLUME`];
  return tierProblems(tiers, path);
}

function packageSizeProblems({ type, packageSize }: MeterPriceParts): string[] {
  if (packageSize === undefined) return type === 'PACKAGE' ? ['Required'] : [];
  if (type !== 'PACKAGE' && type !== 'UNKNOWN') return ['Only allowed with PACKAGE'];
  const problems = unitsProblems(packageSize);
  if (problems.length > 0) return problems;
  return Decimal.parse(packageSize).compare(Decimal.of(0n)) > 0 ? [] : ['Must be above 0'];
}

function minimumProblems({ minimumAmount, maximumAmount }: MeterPriceParts): string[] {
  const problems = amountProblems(minimumAmount);
  if (problems.length > 0 || minimumAmount === undefined || maximumAmount === undefined) {
    return problems;
  }
  return minimumAmount > maximumAmount ? ['Must be at most maximumAmount'] : [];
}

function amountProblems(amount: bigint | undefined): string[] {
  return amount === undefined ? [] : problemsOfParsing(() => parseAmount(amount));
}

function unitsProblems(units: string | undefined): string[] {
  return units === undefined ? [] : problemsOfParsing(() => parseUnits(units));
}
