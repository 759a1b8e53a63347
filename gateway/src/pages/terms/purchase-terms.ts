import { periodAt, type Recurrence, trialEnd } from '@billing/kernel/billing-period';
import { discountsPeriod, type DiscountSpan } from '@billing/kernel/discount-validity';
import { applyDiscount } from '@billing/kernel/discounting';
import { isCurrency } from '@billing/kernel/currency';
import { sumOf } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import type { Price } from '@billing/proto/billing/catalog/v1/catalog';
import type { Discount } from '@billing/proto/billing/discount/v1/discount';
import { billingIntervals, fromProtoTiers, pricingTypes } from '@billing/proto/values/catalog';
import { discountDurations, discountTypes } from '@billing/proto/values/discount';
import { amountText, quantityText, rateText } from '@billing/documents/amount-text';
import { dateText } from '@billing/documents/date-text';
import type { Text } from '@billing/documents/reader';
import { every } from '../../text/recurrence-text';
import { type PhraseKey, say } from '@billing/documents/say';
import type { TaxNote } from '@billing/documents/tax-text';
import { type UsageRate, usageTerms } from './usage-terms';

/** A price version and its quantity. */
interface PurchaseItem {
  readonly price: Price;
  readonly quantity: number;
}

/** A purchase: price version and quantity of the main item, and discount. */
export interface Purchase extends PurchaseItem {
  /** Items in addition to the main one, with its currency and billing interval. */
  readonly others?: readonly PurchaseItem[];
  readonly discount: Discount | undefined;
  /** Rates of usage, in addition to the price. */
  readonly rates: readonly UsageRate[];
  /** Start if paid now. */
  readonly from: Date;
  /** Undefined where no tax is charged. */
  readonly tax?: TaxNote | undefined;
}

/** Terms of a purchase in words. */
export interface PurchaseTerms {
  /** Total cost, such as `14 days free, then $29.00 every month from March 1, 2026`. */
  readonly summary: Text;
  /**
   * Amounts after the one that is due today, without repeating it; undefined if no later amount
   * differs from it.
   */
  readonly later: Text | undefined;
  /** Renewal, date of the next charge and cancellation. */
  readonly renewal: Text;
  /** Rates of usage, if any. */
  readonly usage: UsageSummary | undefined;
  /** True if later charges follow. */
  readonly isChargedLater: boolean;
}

/** Rates of usage in words. */
export interface UsageSummary {
  /** Time of billing, shown before the rates. */
  readonly billing: Text;
  readonly rates: readonly Text[];
}

/** Consecutive periods with the same amount. */
interface Stretch {
  readonly amount: bigint;
  readonly from: Date;
  /** Number of periods; undefined for all remaining. */
  readonly periods: number | undefined;
}

/** Terms of a purchase that is paid now. */
export function purchaseTerms(purchase: Purchase): PurchaseTerms {
  const { price, from } = purchase;
  const interval = billingIntervals.nameOf(price.billingInterval);
  if (interval === 'ONE_TIME') {
    return {
      summary: say('terms.once', { amount: pricedText(periodAmount(purchase, true), purchase) }),
      later: undefined,
      renewal: say('terms.oneTime'),
      usage: undefined,
      isChargedLater: false,
    };
  }
  const recurrence = { billingInterval: interval, intervalCount: price.intervalCount };
  const trialDays = price.trialDays ?? 0;
  const anchor = trialEnd(from, trialDays);
  const stretches = stretchesOf(purchase, { anchor, recurrence });
  const texts = [
    ...(trialDays > 0 ? [say('terms.free', { days: trialDays })] : []),
    ...stretches.map((stretch) => stretchText(stretch, { purchase, recurrence })),
  ];
  const recurring = oneAfterAnother(texts);
  const usage = usageSummary(price, purchase.rates);
  const [next, paidPeriods] =
    trialDays > 0 ? [anchor, 0] : [periodAt(anchor, recurrence, 0).end, 1];
  const charge = chargeKey({ isFree: amountAfter(stretches, paidPeriods) === 0n, usage });
  const renews = texts.length === 1 ? 'terms.renewsSame' : 'terms.renews';
  return {
    summary: usage === undefined ? recurring : say('terms.plusUsage', { terms: recurring }),
    later: laterText(texts, { isTrial: trialDays > 0, isOnce: stretches[0]?.periods === 1 }),
    renewal: say('sentences', {
      first: say(renews, { recurrence: every(recurrence) }),
      second: say(charge, { date: dateText(next) }),
    }),
    usage,
    isChargedLater:
      usage !== undefined ||
      stretches.some(({ amount, periods }) => amount > 0n && (periods !== 1 || trialDays > 0)),
  };
}

/** Terms without the amount of today, which is shown before them. */
function laterText(
  [first, ...rest]: readonly Text[],
  { isTrial, isOnce }: { readonly isTrial: boolean; readonly isOnce: boolean },
): Text | undefined {
  if (first === undefined || rest.length === 0) return undefined;
  const next = oneAfterAnother(rest);
  if (isTrial) return say('terms.then', { first, next });
  return say(isOnce ? 'terms.laterAfterOnce' : 'terms.laterAfterRenewals', { next });
}

/** Terms that follow each other: `$1.00 today, then $2.00 every month`. */
function oneAfterAnother(texts: readonly Text[]): Text {
  return texts.reduce((first, next) => say('terms.then', { first, next }));
}

/** The amount of the period after the given number of paid periods. */
function amountAfter(stretches: readonly Stretch[], paidPeriods: number): bigint {
  const stretch = stretches.find(({ periods = Infinity }) => periods > paidPeriods);
  return stretch?.amount ?? 0n;
}

function chargeKey({
  isFree,
  usage,
}: {
  isFree: boolean;
  usage: UsageSummary | undefined;
}): PhraseKey {
  if (usage === undefined) return isFree ? 'terms.nextRenewal' : 'terms.nextCharge';
  return isFree ? 'terms.nextUsageCharge' : 'terms.nextChargePlusUsage';
}

/** Rates of usage in words; undefined without rates and for one-time prices. */
export function usageSummary(price: Price, rates: readonly UsageRate[]): UsageSummary | undefined {
  const { currency, intervalCount } = price;
  const billingInterval = billingIntervals.nameOf(price.billingInterval);
  if (rates.length === 0 || billingInterval === 'ONE_TIME') return undefined;
  const recurrence = { billingInterval, intervalCount };
  const key = (price.trialDays ?? 0) > 0 ? 'terms.usageAfterTrial' : 'terms.usageBilled';
  return {
    billing: say(key, { recurrence: every(recurrence) }),
    rates: rates.map((rate) => usageTerms(rate, { currency, recurrence })),
  };
}

/** Amount that a quantity costs each time, before discounts and taxes. */
export function priceAmount(price: Price, quantity: number): bigint {
  return recurringCharge({ ...termsOf(price), quantity }).amount;
}

/** Price of a quantity in words: `$29.00 every month`. */
export function priceTerms(price: Price, quantity = 1, tax?: TaxNote): Text {
  const amount = pricedText(priceAmount(price, quantity), { price, tax });
  const interval = billingIntervals.nameOf(price.billingInterval);
  if (interval === 'ONE_TIME') return amount;
  const recurrence = every({ billingInterval: interval, intervalCount: price.intervalCount });
  const recurring = say('terms.recurring', { amount, recurrence });
  const trialDays = price.trialDays ?? 0;
  const first = say('terms.free', { days: trialDays });
  return trialDays > 0 ? say('terms.then', { first, next: recurring }) : recurring;
}

/** False for a flat fee, which is the same for every quantity. */
export function followsQuantity(price: Price): boolean {
  return termsOf(price).type !== 'FLAT';
}

/** How the price follows the quantity, such as `$29.00 each`; empty if it does not. */
export function quantityTerms(price: Price): Text[] {
  const { type, amount, tiers } = termsOf(price);
  if (type === 'FLAT') return [];
  if (type === 'PER_UNIT' || tiers === null) {
    return [say('terms.each', { rate: amountText(amount, price.currency) })];
  }
  return tiers.map(({ upTo, unitAmount, flatAmount }, index) => {
    const range = tierUnits(upTo, tiers[index - 1]?.upTo ?? null);
    const each = rateText(unitAmount, price.currency);
    const flat = rateText(flatAmount, price.currency);
    const rate =
      flatAmount === '0'
        ? say('terms.each', { rate: each })
        : say('terms.eachPlus', { rate: each, flat });
    return say(type === 'VOLUME' ? 'terms.allUnits' : 'terms.someUnits', { range, rate });
  });
}

function tierUnits(upTo: string | null, above: string | null): Text {
  if (upTo === null) {
    return above === null
      ? say('terms.anyNumber')
      : say('terms.above', { from: quantityText(above) });
  }
  const to = quantityText(upTo);
  return above === null
    ? say('terms.upTo', { to })
    : say('terms.aboveUpTo', { from: quantityText(above), to });
}

function stretchesOf(
  purchase: Purchase,
  { anchor, recurrence }: { anchor: Date; recurrence: Recurrence },
): Stretch[] {
  const full = periodAmount(purchase, false);
  const reduced = periodAmount(purchase, true);
  const { discount } = purchase;
  if (discount === undefined || full === reduced) {
    return [{ amount: full, from: anchor, periods: undefined }];
  }
  const periods = discountedPeriods(discount, { anchor, recurrence });
  const first = { amount: reduced, from: anchor, periods };
  if (periods === undefined) return [first];
  return [
    first,
    { amount: full, from: periodAt(anchor, recurrence, periods).start, periods: undefined },
  ];
}

/** Number of discounted periods; undefined for all. */
function discountedPeriods(
  discount: Discount,
  { anchor, recurrence }: { anchor: Date; recurrence: Recurrence },
): number | undefined {
  const span = spanOf(discount);
  if (span.duration === 'FOREVER') return undefined;
  let periods = 1;
  // At most five years of daily periods.
  while (
    discountsPeriod(span, { first: anchor, start: periodAt(anchor, recurrence, periods).start })
  ) {
    periods += 1;
  }
  return periods;
}

function stretchText(
  { amount, from: start, periods }: Stretch,
  { purchase, recurrence }: { purchase: Purchase; recurrence: Recurrence },
): Text {
  const isNow = start.getTime() === purchase.from.getTime();
  const text = { amount: pricedText(amount, purchase) };
  const date = dateText(start);
  if (periods === 1)
    return isNow ? say('terms.today', text) : say('terms.onDate', { ...text, date });
  const recurring = { ...text, recurrence: every(recurrence) };
  return isNow
    ? say('terms.recurring', recurring)
    : say('terms.recurringFrom', { ...recurring, date });
}

function pricedText(value: bigint, { price, tax }: Pick<Purchase, 'price' | 'tax'>): Text {
  const amount = amountText(value, price.currency);
  if (tax === undefined) return amount;
  return say(tax === 'PLUS_TAX' ? 'terms.plusTax' : 'terms.includingTax', { amount });
}

function periodAmount(
  { price, quantity, others = [], discount }: Purchase,
  isDiscounted: boolean,
): bigint {
  const { currency } = price;
  const lines = [{ price, quantity }, ...others].map((item) => ({
    productId: item.price.productId,
    amount: priceAmount(item.price, item.quantity),
  }));
  const amount = sumOf(lines.map((line) => line.amount));
  if (!isDiscounted || discount === undefined || !isCurrency(currency)) return amount;
  const { value, productIds } = discount;
  const terms = { type: discountTypes.nameOf(discount.type), value, currency: null, productIds };
  return amount - applyDiscount(terms, { currency, lines }).amount;
}

function termsOf({ type, amount, tiers }: Price) {
  return {
    type: pricingTypes.nameOf(type),
    amount,
    tiers: fromProtoTiers(tiers),
  };
}

function spanOf({ duration, durationInMonths }: Discount): DiscountSpan {
  return {
    duration: discountDurations.nameOf(duration),
    durationInMonths: durationInMonths ?? null,
  };
}
