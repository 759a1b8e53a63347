import type { BillingPeriod } from '@billing/kernel/billing-period';
import type { ChargeDetails } from '@billing/kernel/charge';
import { Decimal } from '@billing/kernel/decimal';
import { isAmount } from '@billing/kernel/money';
import {
  type Usage,
  usageCharge,
  usageChargeBeyond,
  type UsagePrice,
} from '@billing/kernel/usage-pricing';
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

/** The used units, a decimal string, and the part that credits cover. */
export interface UsageQuantity {
  readonly quantity: string;
  readonly creditsUsed: readonly CreditUse[];
}

/** A settlement's result for one meter in one period. */
export interface SettledUsage {
  /** Item whose product has the price; absent: the main item. */
  readonly item?: UsageItem;
  readonly rate: MeterRate;
  /** Display name. */
  readonly meterName: string;
  readonly period: BillingPeriod;
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
  const whole = settled.filter(({ previous }) => previous === undefined).map(wholeLine);
  const differences = settled.map(differenceLine);
  return [...whole, ...differences].filter((line) => line !== undefined);
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

function credited({ quantity, creditsUsed }: UsageQuantity): Usage {
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
