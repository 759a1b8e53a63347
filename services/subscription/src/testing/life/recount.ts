import {
  type Fraction,
  dividedBy,
  fraction,
  least,
  minus,
  none,
  plus,
  sumOf,
  times,
} from './fraction';
import { monthsAfter, type PlainInterval, periodStart } from './plain-calendar';
import { countUsage, type PlainMeter, type Use } from './recount-usage';

// A second count of what a subscription costs: a list of charges with exact fractions. It shares no
// code with the services.

/** A price as the test has made it. */
export interface PlainPrice extends PlainInterval {
  /** FLAT: for any quantity; otherwise for each unit. In tenths of a cent. */
  readonly isFlat: boolean;
  readonly tenths: bigint;
}

export interface PlainItem {
  readonly id: string;
  readonly productId: string;
  readonly priceId: string;
  readonly quantity: number;
}

export interface PlainDiscount {
  readonly id: string;
  /** A percentage, or an amount in cents. */
  readonly isFixed: boolean;
  readonly value: bigint;
  /** Products that it is for; empty: all. */
  readonly products: readonly string[];
  /** Months that it lasts: 0 for one period, null for ever. */
  readonly months: number | null;
}

/** A change as a reader of the interface sees it. */
interface PlainChange {
  readonly kind: 'UPDATE' | 'PAUSE' | 'RESUME';
  readonly at: 'NOW' | 'PERIOD_END';
  readonly proration: 'PRORATE' | 'FULL_AND_RESET' | 'NONE';
  readonly effectiveAt: number;
  /** Start of the period in which it was made. */
  readonly periodStart: number;
  readonly items: readonly PlainItem[];
  readonly discountId: string | null;
}

interface Charge {
  readonly item: PlainItem;
  readonly from: number;
  readonly gross: Fraction;
  readonly net: Fraction;
}

interface Tables {
  readonly prices: ReadonlyMap<string, PlainPrice>;
  readonly discounts: ReadonlyMap<string, PlainDiscount>;
  /** Prices of meters, by product and number of the meter. */
  readonly meters: ReadonlyMap<string, readonly (PlainMeter | undefined)[]>;
  readonly used: readonly Use[];
  /** Thousandths of a percent that are added to prices, by product; empty: nothing is. */
  readonly taxes: ReadonlyMap<string, bigint>;
}

const periodsMax = 5_000;

/** The count of one subscription from its start on. */
export class Recount {
  /** All that is charged less all that is given back. */
  total: Fraction = none;
  /** Number of amounts that the services round. */
  roundings = 0n;
  /** Starts of the periods that were charged. */
  readonly starts: number[] = [];
  private items: readonly PlainItem[];
  private discount: { readonly terms: PlainDiscount; firstStart: number | null } | null;
  /** Discount of the running period. */
  private running: PlainDiscount | null = null;
  private cycle: { readonly anchor: number; count: number };
  private period: { readonly start: number; readonly end: number };
  private charges: readonly Charge[] = [];
  private stays: readonly { readonly from: number; readonly productIds: readonly string[] }[] = [];
  private isBilled = false;
  private isPaused = false;

  constructor(
    begun: {
      readonly at: number;
      readonly trialEnd: number | null;
      readonly items: readonly PlainItem[];
      readonly discountId: string | null;
    },
    private readonly tables: Tables,
  ) {
    const { at, trialEnd, items, discountId } = begun;
    this.items = items;
    this.discount = this.discountOf(discountId);
    this.cycle = { anchor: trialEnd ?? at, count: 0 };
    this.period = { start: at, end: trialEnd ?? at };
    if (trialEnd === null) this.beginCycle(at);
  }

  /**
   * What a change and its reverse at one instant may cost: nothing where the main item is charged
   * for the whole period in whole cents, else what rounding adds. Undefined: no limit, because the
   * item is not charged as it is, or a fixed discount is not given twice.
   */
  get costOfReverse(): bigint | undefined {
    const [main] = this.items;
    const charges = this.charges.filter(({ item: { id } }) => id === main?.id);
    const [charge, ...others] = charges;
    if (!this.isBilled || this.isPaused) return 0n;
    if (main === undefined || charge === undefined || others.length > 0) return undefined;
    if (!this.isSame(charge.item, main) || this.running?.isFixed === true) return undefined;
    const { from, gross, net } = charge;
    const isWhole = from === this.period.start && gross.under === 1n;
    const ofPrices = isWhole && minus(gross, net).over === 0n ? 0n : 4n;
    return ofPrices + this.roundingsEach - 1n;
  }

  /** With tax an amount is rounded, its tax, and what is given back of both. */
  private get roundingsEach(): bigint {
    return this.tables.taxes.size === 0 ? 1n : 3n;
  }

  apply(change: PlainChange): void {
    this.renewTo(change.periodStart);
    const { kind, at, items, discountId } = change;
    if (this.discount?.terms.id !== (discountId ?? undefined)) {
      this.discount = this.discountOf(discountId);
    }
    if (kind === 'PAUSE') this.pause(change);
    else if (kind === 'RESUME') this.resume(change.effectiveAt, items);
    else if (this.isPaused) this.items = items;
    else if (at === 'PERIOD_END') this.changeAtEnd(items);
    else this.changeNow(change);
  }

  /** Ends the subscription within its period, and gives unused time back if asked for. */
  end(
    at: number,
    { isCredited, isUseIncluded }: Readonly<Record<'isCredited' | 'isUseIncluded', boolean>>,
  ): void {
    if (!this.isBilled || this.isPaused) return;
    if (isCredited) this.giveAllBack(at);
    // What is used at the instant of an end that does not wait is billed.
    this.billUsage(isUseIncluded ? at + 1 : Math.min(at, this.period.end));
  }

  /** Enters the periods up to the one with a start. */
  renewTo(start: number): void {
    for (let count = 0; this.period.start !== start; count += 1) {
      if (this.isPaused || this.period.end > start || count > periodsMax) {
        throw new Error(`No period starts at ${new Date(start).toISOString()}`);
      }
      this.renew();
    }
  }

  private renew(): void {
    if (this.isBilled) {
      this.billUsage(this.period.end);
      this.cycle.count += 1;
    }
    this.beginPeriod();
  }

  private beginCycle(anchor: number): void {
    this.cycle = { anchor, count: 0 };
    this.beginPeriod();
  }

  private beginPeriod(): void {
    const { anchor, count } = this.cycle;
    const interval = this.intervalOf(this.items);
    const start = periodStart(anchor, interval, count);
    this.period = { start, end: periodStart(anchor, interval, count + 1) };
    this.starts.push(start);
    this.isBilled = true;
    this.isPaused = false;
    this.stays = [{ from: start, productIds: productIdsOf(this.items) }];
    const gross = this.items.map((item) => this.priceOf(item));
    this.running = this.discountFrom(start, gross);
    const off = this.shares(this.items, gross, (sum) => offOf(this.running, sum));
    this.charges = this.charged(start, this.items, gross, off);
  }

  private discountFrom(start: number, gross: readonly Fraction[]): PlainDiscount | null {
    const { discount } = this;
    if (discount === null) return null;
    const { terms } = discount;
    const isCosting = this.items.some(
      // A charge below half a cent is none.
      (item, index) => isFor(terms, item) && isFromHalf(gross[index] ?? none),
    );
    const isFirst = discount.firstStart === null && isCosting;
    if (isFirst) discount.firstStart = start;
    const first = discount.firstStart;
    if (first === null) return null;
    if (terms.months === null) return terms;
    // A new cycle may begin a second period with the same start.
    const isCovered = terms.months === 0 ? isFirst : start < monthsAfter(first, terms.months);
    return isCovered ? terms : null;
  }

  private changeNow({ items, effectiveAt: at, proration }: PlainChange): void {
    if (!this.isBilled) {
      this.items = items;
      if (proration === 'FULL_AND_RESET') this.beginCycle(at);
      return;
    }
    const [a, b] = [this.intervalOf(this.items), this.intervalOf(items)];
    const isOther = a.unit !== b.unit || a.each !== b.each;
    if (isOther || proration === 'FULL_AND_RESET') {
      if (proration === 'PRORATE') this.giveAllBack(at);
      this.billUsage(at);
      this.items = items;
      this.beginCycle(at);
      return;
    }
    this.stays = [...this.stays, { from: at, productIds: productIdsOf(items) }];
    const before = this.items;
    this.items = items;
    if (proration === 'PRORATE') this.prorate(before, items, at);
  }

  private prorate(before: readonly PlainItem[], after: readonly PlainItem[], at: number): void {
    const gone = before.filter((item) => after.every((other) => !this.isSame(item, other)));
    const added = after.filter((item) => before.every((other) => !this.isSame(item, other)));
    const isReplaced = ({ item }: Charge) => gone.some(({ id }) => id === item.id);
    const replaced = this.charges.filter(isReplaced);
    const back = replaced.map((charge) => this.unused(charge, at));
    const { start, end } = this.period;
    const left = fraction(BigInt(end - at), BigInt(end - start));
    const gross = added.map((item) => times(this.priceOf(item), left));
    // What the charges give back of a fixed discount is all that the new ones get of it.
    const given = sumOf(
      replaced.flatMap((charge, index) =>
        this.running !== null && isFor(this.running, charge.item)
          ? [minus(times(charge.gross, this.leftOf(charge, at)), back[index] ?? none)]
          : [],
      ),
    );
    const off = this.shares(added, gross, (sum) =>
      this.running?.isFixed === true ? least(sum, given) : offOf(this.running, sum),
    );
    this.giveBack(replaced, back);
    const others = this.charges.filter((charge) => !isReplaced(charge));
    this.charges = [...others, ...this.charged(at, added, gross, off)];
  }

  /** An item of a price for any quantity stays the same with another one. */
  private isSame(a: PlainItem, b: PlainItem): boolean {
    const isKept = a.id === b.id && a.productId === b.productId && a.priceId === b.priceId;
    return isKept && (a.quantity === b.quantity || this.tableOf(a).isFlat);
  }

  private charged(
    from: number,
    items: readonly PlainItem[],
    gross: readonly Fraction[],
    off: readonly Fraction[],
  ): Charge[] {
    const charges = items.map((item, index) => {
      const whole = gross[index] ?? none;
      return { item, from, gross: whole, net: minus(whole, off[index] ?? none) };
    });
    for (const { item, net } of charges) this.add(net, item);
    return charges;
  }

  private changeAtEnd(items: readonly PlainItem[]): void {
    const [a, b] = [this.intervalOf(this.items), this.intervalOf(items)];
    this.items = items;
    if (!this.isBilled || (a.unit === b.unit && a.each === b.each)) {
      this.renew();
      return;
    }
    this.billUsage(this.period.end);
    this.beginCycle(this.period.end);
  }

  private pause({ at, effectiveAt, proration }: PlainChange): void {
    if (this.isPaused) return;
    this.isPaused = true;
    if (at === 'NOW' && proration === 'PRORATE') this.giveAllBack(effectiveAt);
    this.billUsage(effectiveAt);
    this.charges = [];
  }

  private resume(at: number, items: readonly PlainItem[]): void {
    this.items = items;
    this.beginCycle(at);
  }

  private giveAllBack(at: number): void {
    const back = this.charges.map((charge) => this.unused(charge, at));
    this.giveBack(this.charges, back);
    this.charges = [];
  }

  private giveBack(charges: readonly Charge[], back: readonly Fraction[]): void {
    charges.forEach(({ item }, index) => {
      this.add(minus(none, back[index] ?? none), item);
    });
  }

  private billUsage(until: number): void {
    const { used, meters: prices } = this.tables;
    const priceOf = (productId: string, meter: number) => prices.get(productId)?.[meter];
    const meters = Math.max(0, ...[...prices.values()].map((all) => all.length));
    const counted = countUsage(this.stays, { until, used, priceOf, meters });
    for (const { productId, cost } of counted) this.add(cost, { productId });
  }

  /** Adds an amount, which is rounded, and its tax. */
  private add(amount: Fraction, { productId }: Pick<PlainItem, 'productId'>): void {
    const tax = fraction(this.tables.taxes.get(productId) ?? 0n, 100_000n);
    this.total = plus(this.total, plus(amount, times(amount, tax)));
    this.roundings += this.roundingsEach;
  }

  private unused(charge: Charge, at: number): Fraction {
    return times(charge.net, this.leftOf(charge, at));
  }

  private leftOf({ from }: Charge, at: number): Fraction {
    const { end } = this.period;
    // Time that has no length gives nothing back.
    return end === from ? none : fraction(BigInt(end - at), BigInt(end - from));
  }

  /** Splits a deduction over the items that it is for, in proportion to their charges. */
  private shares(
    items: readonly PlainItem[],
    gross: readonly Fraction[],
    off: (eligible: Fraction) => Fraction,
  ): Fraction[] {
    const { running } = this;
    if (running === null) return items.map(() => none);
    const eligible = gross.map((one, index) => {
      const item = items[index];
      return item !== undefined && isFor(running, item) ? one : none;
    });
    const sum = sumOf(eligible);
    if (sum.over === 0n) return items.map(() => none);
    const whole = off(sum);
    return eligible.map((one) => dividedBy(times(whole, one), sum));
  }

  private tableOf({ priceId }: PlainItem): PlainPrice {
    const price = this.tables.prices.get(priceId);
    if (price === undefined) throw new Error(`Unknown price ${priceId}`);
    return price;
  }

  private priceOf(item: PlainItem): Fraction {
    const { isFlat, tenths } = this.tableOf(item);
    return fraction(isFlat ? tenths : tenths * BigInt(item.quantity), 10n);
  }

  private intervalOf([main]: readonly PlainItem[]): PlainInterval {
    if (main === undefined) throw new Error('A subscription has items');
    return this.tableOf(main);
  }

  private discountOf(id: string | null) {
    if (id === null) return null;
    const terms = this.tables.discounts.get(id);
    if (terms === undefined) throw new Error(`Unknown discount ${id}`);
    return { terms, firstStart: null };
  }
}

function productIdsOf(items: readonly PlainItem[]): string[] {
  return items.map(({ productId }) => productId);
}

function isFor({ products }: PlainDiscount, { productId }: PlainItem): boolean {
  return products.length === 0 || products.includes(productId);
}

function isFromHalf({ over, under }: Fraction): boolean {
  return 2n * over >= under;
}

function offOf(terms: PlainDiscount | null, eligible: Fraction): Fraction {
  if (terms === null) return none;
  if (terms.isFixed) return least(eligible, fraction(terms.value));
  return times(eligible, fraction(terms.value, 100n));
}
