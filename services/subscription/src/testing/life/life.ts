import type { ChangeInput } from '../../change/read-wanted-change';
import { fromProtoPrice } from '../../peer/catalog';
import { fromProtoDiscount } from '../../peer/discount';
import { currentPeriod, type PriceSnapshot } from '../../subscription/subscription';
import type { SubscriptionChange } from '../../subscription/subscription-change';
import { aCreation, aCustomer, aNewSubscription, anInput, anOtherItem } from '../fixtures';
import {
  type DrawnDiscount,
  type DrawnPrice,
  discountOf,
  discountIdOf,
  percentOf,
  plainDiscountOf,
  plainMetersOf,
  plainPriceOf,
  priceIdOf,
  productIdOf,
  productOf,
  taxCategoryOf,
} from './catalog';
import { type ChargeOutcome, PlayedCheckout, type PlayedInvoice } from './played-checkout';
import { PlayedMetering } from './played-metering';
import { PlayedService } from './played-service';
import { changeAsShown, endAsShown } from './previewed-act';
import { type PlainItem, Recount } from './recount';

type Proration = ChangeInput['proration'];

/** What happens to a subscription next. */
export type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'reachEnd' }
  | { readonly kind: 'use'; readonly meter: number; readonly units: number }
  | {
      readonly kind: 'change';
      /** Index of the product of the main item; null: it stays. */
      readonly main: number | null;
      readonly quantity: number | null;
      /** Quantities of all other products; null: not there. Null as a whole: they stay. */
      readonly others: readonly (number | null)[] | null;
      /** Index of a discount; null: none; undefined: it stays. */
      readonly discount: number | null | undefined;
      readonly at: 'AUTO' | 'NOW' | 'PERIOD_END';
      readonly proration: Proration;
      readonly collect: ChangeInput['collect'];
      readonly requirePayment: boolean;
    }
  | { readonly kind: 'thereAndBack'; readonly quantity: number }
  | {
      readonly kind: 'pause';
      readonly at: 'NOW' | 'PERIOD_END';
      readonly proration: 'NONE' | 'PRORATE';
      readonly resumeInDays: number | null;
    }
  | { readonly kind: 'resume'; readonly requirePayment: boolean }
  | { readonly kind: 'cancel'; readonly atPeriodEnd: boolean; readonly isCredited: boolean }
  | { readonly kind: 'uncancel' | 'withdraw' | 'retry' | 'paySent' | 'endCharges' | 'openDrafts' }
  | {
      readonly kind: 'previewed';
      readonly asked: Asked;
      /** What happens between the preview and the use of its token. */
      readonly between: Step | null;
      readonly afterMs: number;
    };

/** What can be previewed. */
type Asked = Extract<Step, { readonly kind: 'change' | 'pause' | 'resume' | 'cancel' }>;

/** A drawn life. */
export interface Schedule {
  readonly prices: readonly DrawnPrice[];
  readonly discounts: readonly DrawnDiscount[];
  readonly pricesIncludeTax: boolean;
  readonly startAt: Date;
  readonly trialDays: number | null;
  readonly quantity: number;
  readonly hasOther: boolean;
  readonly discount: number | null;
  readonly isSentInvoices: boolean;
  readonly charges: readonly ChargeOutcome[];
  /** Which invoices of changes stay drafts at first. */
  readonly drafts: readonly boolean[];
  readonly steps: readonly Step[];
}

const dayMs = 86_400_000;
const environmentId = '01900000-0000-7000-8000-0000000000e0';

/** The life of one subscription, and the facts that a second count needs. */
export class Life {
  readonly checkout: PlayedCheckout;
  readonly metering = new PlayedMetering();
  readonly service: PlayedService;
  readonly recount: Recount;
  readonly firstItems: readonly PlainItem[];
  private isCreditedEnd = false;

  constructor(private readonly drawn: Schedule) {
    const { prices, discounts, startAt, isSentInvoices } = drawn;
    const products = prices.map(productOf);
    const proto = discounts.map(discountOf);
    const percents = prices.map((one, index) => [taxCategoryOf(index), percentOf(one)] as const);
    const rates = { isIncluded: drawn.pricesIncludeTax, percents: new Map(percents) };
    this.checkout = new PlayedCheckout(drawn.charges, rates, drawn.drafts);
    const [main, other] = prices.map((_one, index) => this.priceOf(index));
    if (main === undefined || other === undefined) throw new Error('There are two prices');
    const price = { ...main, trialDays: drawn.trialDays };
    const collectionMethod = isSentInvoices ? 'SEND_INVOICE' : 'CHARGE_AUTOMATICALLY';
    const discount = drawn.discount === null ? undefined : proto[drawn.discount];
    const [set = 0, otherSet = 0] = products.map(({ meterPriceSet }) => meterPriceSet);
    const ofOther = { ...offered(1), price: other, meterPriceSet: otherSet };
    const otherItem = anOtherItem({ ...ofOther, quantity: 2 });
    const input = anInput({ productId: productIdOf(0), quantity: drawn.quantity });
    const facts = {
      ...{ price, productName: productIdOf(0), meterPriceSet: set },
      customer: aCustomer({ collectionMethod }),
      otherItems: drawn.hasOther ? [otherItem] : [],
      discount: discount === undefined ? null : fromProtoDiscount(discount),
    };
    const { id } = aCreation();
    this.service = new PlayedService(
      (decision) => aNewSubscription(input, aCreation({ ...facts, ...decision })),
      { now: startAt, id, environmentId },
      {
        ...{ checkout: this.checkout, metering: this.metering, isSentInvoices },
        products: new Map(products.map((one) => [one.id, one])),
        discounts: new Map(proto.map((one) => [one.id, one])),
      },
    );
    this.firstItems = this.service.state.items.map(plainItem);
    this.recount = this.recountOf();
  }

  get hasEnded(): boolean {
    return this.service.state.status === 'CANCELED';
  }

  /** The sum of all documents, and of the lines that wait for one. */
  get billed(): bigint {
    const { putOff } = this.service.state.changes;
    const waiting = putOff.filter(({ bill }) => bill === null).flatMap(({ lines }) => lines);
    const ofLines = waiting.map(({ amount, discountAmount, productId }) =>
      this.withTax(amount - discountAmount, productId),
    );
    const made = this.documents.filter(({ invoice: { id } }) => id !== this.payingId);
    return [...made.map(billedOn), ...ofLines].reduce((sum, one) => sum + one, 0n);
  }

  /** The invoices, the oldest first. */
  get documents(): readonly PlayedInvoice[] {
    return [...this.checkout.invoices.values()];
  }

  /** Changes that took effect, in their order. */
  get applied(): readonly SubscriptionChange[] {
    return this.service.recorded.filter(({ status }) => status === 'APPLIED');
  }

  /** Invoices of changes that have failed, or are being paid. */
  get unapplied(): ReadonlySet<string | undefined> {
    const failed = this.service.recorded.filter(({ status }) => status === 'FAILED');
    return new Set([...failed.map(({ invoice }) => invoice?.invoiceId), this.payingId]);
  }

  private get payingId(): string | undefined {
    return this.service.state.changes.paying?.invoice?.invoiceId;
  }

  async begin(): Promise<void> {
    await this.service.settle();
  }

  async take(step: Step): Promise<void> {
    const { service, checkout } = this;
    switch (step.kind) {
      case 'wait':
        return service.advanceTo(new Date(service.now.getTime() + step.ms), { isInclusive: true });
      case 'reachEnd': {
        const { end } = currentPeriod(service.state);
        return service.advanceTo(end, { isInclusive: false });
      }
      case 'use': {
        const { meter, units } = step;
        this.metering.used.push({ at: service.now.getTime(), meter, units });
        return;
      }
      case 'change':
      case 'pause':
      case 'resume':
        await service.change(this.inputOf(step));
        return;
      case 'previewed':
        return this.takePreviewed(step);
      case 'thereAndBack':
        return this.goThereAndBack(step.quantity);
      case 'cancel':
        return this.cancel(step);
      case 'uncancel':
        return service.uncancel();
      case 'withdraw':
        return service.withdraw();
      case 'retry':
      case 'paySent':
      case 'endCharges':
      case 'openDrafts':
        checkout[step.kind]();
        await service.settle();
        return service.advanceTo(service.now, { isInclusive: false });
    }
  }

  /** Feeds the second count with all that has happened, and returns it. */
  counted(): Recount {
    const { service } = this;
    const recount = this.recountOf();
    for (const change of this.applied) recount.apply(plainChange(change));
    const { phase, endedAt, canceledAt } = service.state;
    if (phase !== 'PAUSED') recount.renewTo(currentPeriod(service.state).start.getTime());
    if (endedAt !== null) {
      const isUseIncluded = canceledAt?.getTime() === endedAt.getTime();
      recount.end(endedAt.getTime(), { isCredited: this.isCreditedEnd, isUseIncluded });
    }
    return recount;
  }

  private recountOf(): Recount {
    const { prices, discounts, startAt, discount } = this.drawn;
    const { trialEnd } = this.service.state;
    const begun = { at: startAt.getTime(), trialEnd: this.firstTrialEnd(trialEnd) };
    return new Recount(
      {
        ...{ ...begun, items: this.firstItems },
        discountId: discount === null ? null : discountIdOf(discount),
      },
      {
        prices: new Map(prices.map((one, index) => [priceIdOf(index), plainPriceOf(one)])),
        discounts: new Map(
          discounts.map((one, index) => [discountIdOf(index), plainDiscountOf(one, index)]),
        ),
        meters: new Map(prices.map((one, index) => [productIdOf(index), plainMetersOf(one)])),
        used: this.metering.used,
        taxes: this.addedTaxes,
      },
    );
  }

  /** Thousandths of a percent by product; empty: nothing is added to prices. */
  private get addedTaxes(): ReadonlyMap<string, bigint> {
    const { prices, pricesIncludeTax } = this.drawn;
    if (pricesIncludeTax || prices.every(({ tax }) => tax === 0)) return new Map();
    return new Map(prices.map(({ tax }, index) => [productIdOf(index), BigInt(tax)]));
  }

  private withTax(amount: bigint, productId: string): bigint {
    const hundredThousandths = amount * (this.addedTaxes.get(productId) ?? 0n);
    return amount + hundredThousandths / 100_000n;
  }

  // A full charge ends a trial before its time.
  private firstTrialEnd(trialEnd: Date | null): number | null {
    const { startAt, trialDays } = this.drawn;
    return trialEnd === null ? null : startAt.getTime() + (trialDays ?? 0) * dayMs;
  }

  private async takePreviewed({
    asked,
    between,
    afterMs,
  }: Step & { readonly kind: 'previewed' }): Promise<void> {
    const { service } = this;
    const happening = async (): Promise<void> => {
      if (between !== null) await this.take(between);
      const at = new Date(service.now.getTime() + afterMs);
      await service.advanceTo(at, { isInclusive: true });
    };
    await service.advanceTo(service.now, { isInclusive: true });
    if (asked.kind !== 'cancel') return changeAsShown(this, this.inputOf(asked), happening);
    const input = endOf(asked);
    const isEnded = await endAsShown(this, input, happening);
    if (isEnded && this.hasEnded) this.isCreditedEnd = input.proration === 'PRORATE';
  }

  /** Changes the quantity, and back at the same instant. */
  private async goThereAndBack(quantity: number): Promise<void> {
    const { service, checkout } = this;
    checkout.openDrafts();
    await service.settle();
    // A payment that took long may have let renewals wait.
    await service.advanceTo(service.now, { isInclusive: false });
    const [{ quantity: before }] = service.state.items;
    if (before === quantity) return;
    const now = { ...plain, at: 'NOW', requirePayment: false } as const;
    const { billed } = this;
    const limit = this.counted().costOfReverse;
    const there = await service.change({ ...now, quantity });
    if (there?.status !== 'APPLIED') return;
    checkout.openDrafts();
    await service.settle();
    await service.change({ ...now, quantity: before });
    const cost = this.billed - billed;
    if (limit === undefined || (cost <= limit && cost >= -limit)) return;
    throw new Error(`A change and its reverse cost ${String(cost)}`);
  }

  private async cancel(step: Step & { readonly kind: 'cancel' }): Promise<void> {
    const input = endOf(step);
    const isEnded = await this.service.cancel(input);
    if (isEnded && this.hasEnded) this.isCreditedEnd = input.proration === 'PRORATE';
  }

  private pauseOf({ at, proration, resumeInDays }: Step & { readonly kind: 'pause' }) {
    const { service } = this;
    const { end } = currentPeriod(service.state);
    const from = at === 'NOW' ? service.now : end;
    const resumeAt = resumeInDays === null ? null : new Date(from.getTime() + resumeInDays * dayMs);
    return { at, proration, resumeAt };
  }

  private inputOf(step: Exclude<Asked, { readonly kind: 'cancel' }>): ChangeInput {
    if (step.kind === 'pause') return { ...plain, ...this.pauseOf(step), kind: 'PAUSE' };
    if (step.kind === 'resume') {
      return { ...plain, kind: 'RESUME', requirePayment: step.requirePayment };
    }
    const { at, proration, collect, requirePayment, discount, main, quantity } = step;
    return {
      ...plain,
      ...{ at, proration, collect, requirePayment, quantity },
      productId: main === null ? null : productIdOf(main),
      otherItems: this.othersOf(step),
      discountId: typeof discount === 'number' ? discountIdOf(discount) : discount,
    };
  }

  /** The other items: all have the interval of the main item. */
  private othersOf({ main, others }: Step & { readonly kind: 'change' }) {
    if (others === null) return null;
    const [{ productId }] = this.service.state.items;
    const { prices } = this.drawn;
    const present = prices.findIndex((_one, index) => productIdOf(index) === productId);
    const first = main ?? present;
    return others.flatMap((quantity, index) => {
      const isOther = index !== first && prices[index]?.interval === prices[first]?.interval;
      if (quantity === null || !isOther) return [];
      return [{ productId: productIdOf(index), quantity }];
    });
  }

  private priceOf(index: number): PriceSnapshot {
    const drawn = this.drawn.prices[index];
    const found = drawn && productOf(drawn, index).price;
    if (found === undefined) throw new Error('A product has a price');
    return fromProtoPrice(found) as PriceSnapshot;
  }
}

const plain: ChangeInput = {
  ...{ productId: null, priceId: null, quantity: null, otherItems: null },
  ...{ discountId: undefined, at: 'NOW', requirePayment: false, kind: 'UPDATE', resumeAt: null },
  ...{ proration: 'PRORATE', collect: 'NOW', metadata: {} },
};

function endOf({ atPeriodEnd, isCredited }: Step & { readonly kind: 'cancel' }) {
  return { atPeriodEnd, proration: isCredited && !atPeriodEnd ? 'PRORATE' : 'NONE' } as const;
}

function offered(index: number) {
  return { productId: productIdOf(index), productName: productIdOf(index) };
}

/** What a document adds to the sum of all. */
function billedOn({ invoice, status, notes }: PlayedInvoice): bigint {
  const whole = status === 'VOID' ? 0n : invoice.total;
  return notes.reduce((left, { amount }) => left - amount, whole);
}

/** An item with its price alone. */
export function plainItem({
  id,
  productId,
  price,
  quantity,
}: SubscriptionChange['from']['items'][number]): PlainItem {
  return { id, productId, priceId: price.id, quantity };
}

function plainChange({
  kind,
  at,
  proration,
  effectiveAt,
  from,
  to,
}: SubscriptionChange): Parameters<Recount['apply']>[0] {
  return {
    ...{ kind, at, proration, discountId: to.discountId },
    effectiveAt: effectiveAt.getTime(),
    periodStart: from.currentPeriodStart.getTime(),
    items: to.items.map(plainItem),
  };
}
