import { Decimal } from '../decimal';
import { isSameData } from '../equality';
import type { Charge } from './charge';
import { type Usage, usageCharge, type UsagePrice } from './usage-pricing';

/** Part of a period in which one product prices a meter. */
export interface UsageStretch {
  readonly price: UsagePrice;
  /** All usage from the beginning of the period to the end of the stretch. */
  readonly usage: Usage;
}

/** True if two prices charge the same for any usage. */
export function isSameRates(a: UsagePrice, b: UsagePrice): boolean {
  return isSameData(ratesOf(a), ratesOf(b));
}

/**
 * Charges for the stretches of a period, in their order. The first one is charged for its usage.
 * Each other one costs, by its rates, the usage to its end less the usage to its beginning, at
 * least 0. Included units, tiers and a minimum are thus used once.
 *
 * Consecutive stretches with the same rates cost together what one stretch would: where usage
 * falls, the earlier ones cost less.
 */
export function stretchCharges(stretches: readonly UsageStretch[]): Charge[] {
  const amounts = stretches.map(() => 0n);
  for (let first = 0; first < stretches.length;) {
    const run = sameRatesFrom(stretches, first);
    const base = first === 0 ? 0n : costBefore(stretches, first);
    const costs = run.map(({ price, usage }) =>
      atLeastZero(usageCharge(price, usage).amount - base),
    );
    let before = 0n;
    for (let index = 0; index < run.length; index += 1) {
      const upTo = smallest(costs.slice(index));
      amounts[first + index] = upTo - before;
      before = upTo;
    }
    first += run.length;
  }
  return stretches.map((stretch, index) =>
    chargeOf(stretch, { before: stretches[index - 1], amount: amounts[index] ?? 0n }),
  );
}

/** Difference between two charges for one stretch; the tiers would not sum to it. */
export function stretchChargeBeyond(now: Charge, billed: Charge): Charge {
  const amount = now.amount - billed.amount;
  return {
    quantity: difference(now.quantity, billed.quantity),
    unitAmount: now.unitAmount,
    amount,
    details: {
      ...now.details,
      tiers: [],
      billedQuantity: difference(now.details.billedQuantity, billed.details.billedQuantity),
      exactAmount: exactFor(amount, exact(now.details.exactAmount), billed.amount),
    },
  };
}

function ratesOf(price: UsagePrice): UsagePrice {
  const { type, unitAmount, tiers, includedUnits, packageSize } = price;
  const { minimumAmount, maximumAmount } = price;
  return { type, unitAmount, tiers, includedUnits, packageSize, minimumAmount, maximumAmount };
}

/** The stretches from an index on that have its rates, up to the first one with others. */
function sameRatesFrom(stretches: readonly UsageStretch[], first: number): readonly UsageStretch[] {
  const [begun, ...others] = stretches.slice(first);
  if (begun === undefined) return [];
  const end = others.findIndex(({ price }) => !isSameRates(price, begun.price));
  return stretches.slice(first, end < 0 ? undefined : first + 1 + end);
}

/** Cost, by the rates of a stretch, of all usage before it. */
function costBefore(stretches: readonly UsageStretch[], index: number): bigint {
  const [before, stretch] = [stretches[index - 1], stretches[index]];
  if (before === undefined || stretch === undefined) return 0n;
  return usageCharge(stretch.price, before.usage).amount;
}

function chargeOf(
  { price, usage }: UsageStretch,
  { before, amount }: { readonly before: UsageStretch | undefined; readonly amount: bigint },
): Charge {
  const whole = usageCharge(price, usage);
  if (before === undefined && whole.amount === amount) return whole;
  const earlier = usageCharge(price, before?.usage ?? { quantity: '0' });
  const base = before === undefined ? 0n : earlier.amount;
  return {
    quantity: difference(whole.quantity, earlier.quantity),
    unitAmount: whole.unitAmount,
    amount,
    details: {
      ...whole.details,
      tiers: [],
      billedQuantity: difference(whole.details.billedQuantity, earlier.details.billedQuantity),
      exactAmount: exactFor(amount, exact(whole.details.exactAmount), base),
    },
  };
}

/** The difference before its rounding, where that gives the amount; otherwise the amount. */
function exactFor(amount: bigint, now: Decimal, before: bigint): string {
  const difference = now.subtract(Decimal.of(before));
  return difference.roundHalfUp() === amount ? difference.toString() : amount.toString();
}

/** Parses an exact amount, which may have more decimals than a rate. */
function exact(text: string): Decimal {
  const [integer = '', decimals = ''] = text.split('.');
  return Decimal.of(BigInt(integer + decimals), decimals.length);
}

function difference(now: string, before: string): string {
  return exact(now).subtract(exact(before)).toString();
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function smallest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((least, amount) => (amount < least ? amount : least));
}
