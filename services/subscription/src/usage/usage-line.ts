import type { BillingPeriod } from '@billing/kernel/billing-period';
import type { Charge, ChargeDetails } from '@billing/kernel/charge';
import { Decimal } from '@billing/kernel/decimal';
import { isAmount } from '@billing/kernel/money';
import {
  type Usage,
  usageCharge,
  usageChargeBeyond,
  type UsagePrice,
} from '@billing/kernel/usage-pricing';
import { stretchChargeBeyond, stretchCharges } from '@billing/kernel/usage-stretches';
import type { Refund, UsageItem } from '../subscription/usage-billing';

/** The price of one meter's units in a period. */
export interface MeterRate extends UsagePrice {
  readonly id: string;
  readonly meterId: string;
}

/** Units that one grant of prepaid credits covers, a decimal string. */
interface CreditUse {
  readonly grantId: string;
  readonly quantity: string;
}

/** Used units up to an instant, a decimal string, and the part that credits cover. */
interface MarkedQuantity {
  readonly quantity: string;
  readonly creditsUsed: readonly CreditUse[];
}

/** The usage of a period. */
export interface UsageQuantity extends MarkedQuantity {
  /** Usage to the end of each stretch but the last; absent: there is one stretch. */
  readonly marks?: readonly MarkedQuantity[];
}

/** The price of a meter in a part of a period. */
export interface RatedStretch {
  /** Item whose product has the price; absent: the main item. */
  readonly item?: UsageItem;
  readonly rate: MeterRate;
  readonly period: BillingPeriod;
}

/** A settlement's result for one meter in one period. */
export interface SettledUsage extends RatedStretch {
  /** Stretches of the period before the last one; absent: none. */
  readonly before?: readonly RatedStretch[];
  /** Display name. */
  readonly meterName: string;
  readonly current: UsageQuantity;
  /** The billed quantity so far; undefined: none. */
  readonly previous: UsageQuantity | undefined;
}

/** A charge for usage; a negative amount is credit for an earlier bill. */
export interface UsageLine extends UsageItem {
  readonly description: string;
  readonly meterId: string;
  /** Id of the meter price. */
  readonly priceId: string;
  readonly quantity: string;
  /** Undefined with tiers. */
  readonly unitAmount: string | undefined;
  readonly amount: bigint;
  readonly details: ChargeDetails & { readonly creditsUsed: readonly CreditUse[] };
  readonly period: BillingPeriod;
}

/** The usage lines of an invoice, and the credit that waits for the next one. */
export interface UsageBill {
  readonly lines: readonly UsageLine[];
  readonly refunds: readonly Refund[];
}

const none = Decimal.of(0n);

/**
 * Builds the lines of a settlement. A meter that is settled for the first time is billed
 * completely, in the order of the settlement; differences caused by late events follow.
 */
export function usageLines(settled: readonly SettledUsage[]): UsageLine[] {
  const whole = settled.filter(({ previous }) => previous === undefined).flatMap(wholeLines);
  const differences = settled.flatMap(differenceLines);
  return [...whole, ...differences];
}

/**
 * Deducts credit for overcharged usage, up to the sum of the invoice: nothing is paid out, the rest
 * waits. `others` is the sum of the lines that are not for usage. The newest credit waits first, so
 * that it never overtakes an older one.
 */
export function withinSubtotal(
  lines: readonly UsageLine[],
  { others, refunds }: { readonly others: bigint; readonly refunds: readonly Refund[] },
): UsageBill {
  const carried = refunds.map(refundLine);
  const all = [...lines, ...carried];
  const sum = all.reduce((total, { amount }) => total + amount, others);
  const newestFirst = [...byNewestPeriod(lines), ...carried.toReversed()];
  const held = creditToDefer(newestFirst, sum < 0n ? -sum : 0n);
  const kept = all.flatMap((line) => {
    const waits = held.get(line);
    if (waits === undefined) return [line];
    const left = withAmount(line, line.amount + waits);
    return left.amount !== 0n || isUsed(left.quantity) ? [left] : [];
  });
  const waiting = newestFirst.toReversed().flatMap((line) => {
    const waits = held.get(line);
    return waits === undefined ? [] : [{ ...refundOf(line), amount: -waits }];
  });
  return { lines: kept, refunds: waiting };
}

/** True when an invoice can be created with these amounts. */
export function isBillable(lines: readonly Pick<UsageLine, 'amount'>[], others: bigint): boolean {
  const isEach = lines.every(({ amount }) => isAmount(amount < 0n ? -amount : amount));
  return isEach && isAmount(lines.reduce((total, { amount }) => total + amount, others));
}

/**
 * Determines the lines, and the part of each, that wait for a later invoice when the sum of this
 * one is too small.
 */
function creditToDefer(
  lines: readonly UsageLine[],
  missing: bigint,
): ReadonlyMap<UsageLine, bigint> {
  const held = new Map<UsageLine, bigint>();
  let left = missing;
  for (const line of lines) {
    const waits = line.amount < 0n ? smaller(left, -line.amount) : 0n;
    if (waits > 0n) held.set(line, waits);
    left -= waits;
  }
  return held;
}

function byNewestPeriod(lines: readonly UsageLine[]): UsageLine[] {
  return lines.toReversed().toSorted((a, b) => b.period.start.getTime() - a.period.start.getTime());
}

function wholeLines(usage: SettledUsage): UsageLine[] {
  if (usage.before !== undefined) {
    return stretchLines(usage, chargedStretches(usage, usage.current));
  }
  const line = wholeLine(usage);
  return line === undefined ? [] : [line];
}

function differenceLines(usage: SettledUsage): UsageLine[] {
  const { current, previous, before } = usage;
  if (previous === undefined) return [];
  if (before !== undefined) {
    const billed = chargedStretches(usage, previous);
    const changed = chargedStretches(usage, current).map((now, index) => {
      const earlier = billed[index] ?? now;
      return {
        charge: stretchChargeBeyond(now.charge, earlier.charge),
        creditsUsed: creditsBeyond(now.creditsUsed, earlier.creditsUsed),
      };
    });
    return stretchLines(usage, changed);
  }
  const line = differenceLine(usage);
  return line === undefined ? [] : [line];
}

/** Charge for a stretch, and the credits that cover its usage. */
interface ChargedStretch {
  readonly charge: Charge;
  readonly creditsUsed: readonly CreditUse[];
}

/** Charges for the stretches of a period with this usage. */
function chargedStretches(
  usage: SettledUsage,
  { marks = [], ...whole }: UsageQuantity,
): ChargedStretch[] {
  const quantities = [...marks, whole];
  const stretches = stretchesOf(usage).map(({ rate }, index) => {
    const quantity = quantities[index];
    if (quantity === undefined) throw new Error('A stretch has no usage');
    return { price: rate, usage: credited(quantity) };
  });
  return stretchCharges(stretches).map((charge, index) => {
    const upTo = quantities[index]?.creditsUsed ?? [];
    return { charge, creditsUsed: creditsBeyond(upTo, quantities[index - 1]?.creditsUsed ?? []) };
  });
}

/** One line for each stretch that has usage or costs anything. */
function stretchLines(usage: SettledUsage, charged: readonly ChargedStretch[]): UsageLine[] {
  return stretchesOf(usage).flatMap((stretch, index) => {
    const one = charged[index];
    if (one === undefined) return [];
    const { charge, creditsUsed } = one;
    if (charge.amount === 0n && !isUsed(charge.quantity) && creditsUsed.length === 0) return [];
    const subject = subjectOf({ ...usage, ...stretch });
    return [{ ...subject, ...charge, details: { ...charge.details, creditsUsed } }];
  });
}

function stretchesOf({ item, rate, period, before = [] }: SettledUsage): readonly RatedStretch[] {
  return [...before, { ...(item !== undefined && { item }), rate, period }];
}

function wholeLine(usage: SettledUsage): UsageLine | undefined {
  const { rate, current } = usage;
  if (!isUsed(current.quantity) && (rate.minimumAmount ?? 0n) === 0n) return undefined;
  const { details, ...charge } = usageCharge(rate, credited(current));
  return {
    ...subjectOf(usage),
    ...charge,
    details: { ...details, creditsUsed: current.creditsUsed },
  };
}

function differenceLine(usage: SettledUsage): UsageLine | undefined {
  const { rate, current, previous } = usage;
  if (previous === undefined) return undefined;
  const { details, ...charge } = usageChargeBeyond(rate, credited(current), credited(previous));
  if (!isUsed(charge.quantity) && charge.amount === 0n) return undefined;
  const creditsUsed = creditsBeyond(current.creditsUsed, previous.creditsUsed);
  return { ...subjectOf(usage), ...charge, details: { ...details, creditsUsed } };
}

function refundLine(refund: Refund): UsageLine {
  const { amount, ...subject } = refund;
  const exactAmount = amount.toString();
  return {
    ...subject,
    quantity: '0',
    unitAmount: undefined,
    amount,
    details: { tiers: [], includedUnits: '0', billedQuantity: '0', exactAmount, creditsUsed: [] },
  };
}

function refundOf({ itemId, productId, ...line }: UsageLine): Omit<Refund, 'amount'> {
  const { description, meterId, priceId, period } = line;
  const item = productId === undefined ? undefined : { itemId, productId };
  return { ...item, description, meterId, priceId, period };
}

function withAmount(line: UsageLine, amount: bigint): UsageLine {
  return { ...line, amount, details: { ...line.details, exactAmount: amount.toString() } };
}

function subjectOf({ item, rate, meterName, period }: SettledUsage) {
  return { ...item, description: meterName, meterId: rate.meterId, priceId: rate.id, period };
}

function credited({ quantity, creditsUsed }: MarkedQuantity): Usage {
  const units = creditsUsed.reduce((sum, use) => sum.add(Decimal.parse(use.quantity)), none);
  return { quantity, creditedUnits: units.toString() };
}

/** Change in the units that each grant covers. */
function creditsBeyond(now: readonly CreditUse[], before: readonly CreditUse[]): CreditUse[] {
  const used = new Map(now.map(({ grantId, quantity }) => [grantId, quantity]));
  const earlier = new Map(before.map(({ grantId, quantity }) => [grantId, quantity]));
  return [...new Set([...used.keys(), ...earlier.keys()])]
    .map((grantId) => ({
      grantId,
      quantity: difference(used.get(grantId) ?? '0', earlier.get(grantId) ?? '0'),
    }))
    .filter(({ quantity }) => isUsed(quantity));
}

function difference(now: string, before: string): string {
  return Decimal.parse(now).subtract(Decimal.parse(before)).toString();
}

function isUsed(quantity: string): boolean {
  return Decimal.parse(quantity).compare(none) !== 0;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
