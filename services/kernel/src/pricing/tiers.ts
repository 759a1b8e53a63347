import { Decimal } from '../decimal';
import { invalidInput } from '../domain-error';
import { type Parts, problemsOfParsing } from '../input-problems';
import { parseRate } from './rate';
import { parseUnits } from './units';

export const TIERS_MAX = 50;

/**
 * Range of units with a price. It starts above the `upTo` of the previous tier and includes its
 * own; the last tier is open (null). Bounds are decimal strings in units and count from 0. Rates
 * are decimal strings in minor units.
 */
export interface Tier {
  readonly upTo: string | null;
  readonly unitAmount: string;
  /** Charged once if any unit is in the tier. */
  readonly flatAmount: string;
}

/** Tier as given; `flatAmount` defaults to 0. */
export interface TierInput extends Omit<Tier, 'flatAmount'> {
  readonly flatAmount?: string | null | undefined;
}

/** Units priced by one tier, and their exact cost with the tier's flat amount. */
export interface TierCharge {
  readonly tier: Tier;
  readonly quantity: Decimal;
  readonly amount: Decimal;
}

/**
 * Parses the tiers of a price into their canonical form. Invalid tiers throw invalid_input under
 * `field`.
 */
export function parseTiers(tiers: readonly TierInput[], field = 'tiers'): Tier[] {
  const problems = tierProblems(tiers);
  if (problems.length > 0) throw invalidInput({ [field]: problems });
  return tiers.map(({ upTo, unitAmount, flatAmount }) => ({
    upTo: upTo === null ? null : Decimal.parse(upTo).toString(),
    unitAmount: Decimal.parse(unitAmount).toString(),
    flatAmount: Decimal.parse(flatAmount ?? '0').toString(),
  }));
}

/**
 * Problems of the tiers of a price, each prefixed with the path to its tier. `path` is the path of
 * nested tiers, such as `0.tiers`.
 */
export function tierProblems(tiers: readonly Parts<TierInput>[], path = ''): string[] {
  if (tiers.length < 1 || tiers.length > TIERS_MAX) {
    const message = `Must have 1 to ${String(TIERS_MAX)} tiers`;
    return [path === '' ? message : `${path}: ${message}`];
  }
  const prefix = path === '' ? '' : `${path}.`;
  return tiers.flatMap((tier, index) => {
    const at = (field: keyof Tier, messages: readonly string[]) =>
      messages.map((message) => `${prefix}${String(index)}.${field}: ${message}`);
    return [
      ...at('upTo', boundProblems(tiers, index)),
      ...at('unitAmount', rateProblems(tier.unitAmount ?? '0')),
      ...at('flatAmount', rateProblems(tier.flatAmount ?? '0')),
    ];
  });
}

/** Charge for `quantity` units in one tier. */
export function chargeIn(tier: Tier, quantity: Decimal): TierCharge {
  const amount = quantity
    .multiply(parseRate(tier.unitAmount))
    .add(parseRate(tier.flatAmount, 'flatAmount'));
  return { tier, quantity, amount };
}

/** Sums the charges of tiers. */
export function sumOf(charges: readonly TierCharge[]): Decimal {
  return charges.reduce((sum, { amount }) => sum.add(amount), Decimal.of(0n));
}

function boundProblems(tiers: readonly Parts<TierInput>[], index: number): string[] {
  const bound = tiers[index]?.upTo;
  if (bound === undefined) return [];
  const isLast = index === tiers.length - 1;
  if (bound === null) return isLast ? [] : ['Only the last tier may have no upper bound'];
  if (isLast) return ['The last tier must have no upper bound'];
  const unreadable = problemsOfParsing(() => parseUnits(bound));
  if (unreadable.length > 0) return unreadable;
  const previous = index === 0 ? '0' : readableBound(tiers[index - 1]);
  // An invalid previous bound is reported at its own tier.
  if (previous === null || Decimal.parse(bound).compare(Decimal.parse(previous)) > 0) return [];
  return [`Must be above ${previous}`];
}

function readableBound(tier: Parts<TierInput> | undefined): string | null {
  const bound = tier?.upTo ?? null;
  return bound !== null && problemsOfParsing(() => parseUnits(bound)).length === 0 ? bound : null;
}

function rateProblems(rate: string): string[] {
  return problemsOfParsing(() => parseRate(rate));
}
