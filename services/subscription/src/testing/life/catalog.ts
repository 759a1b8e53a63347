import {
  BillingInterval,
  type MeterPrice,
  MeterPricingType,
  PricingType,
  type Product,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  type Discount,
  DiscountDuration,
  DiscountType,
} from '@billing/proto/billing/discount/v1/discount';
import { aProtoDiscount } from '../customer-facts';
import type { PlainDiscount, PlainPrice } from './recount';
import type { PlainMeter } from './recount-usage';

export type { Use } from './recount-usage';

const createdAt = new Date('2026-01-01T00:00:00.000Z');

/** A price as it is drawn. */
export interface DrawnPrice {
  readonly type: 'FLAT' | 'PER_UNIT' | 'TIERED';
  readonly interval: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  /** In tenths of a cent; only a price with tiers has a part of a cent. */
  readonly tenths: number;
  /** Prices of the meters; null: the product prices that one not. */
  readonly meters: readonly (DrawnMeter | null)[];
  /** Thousandths of a percent. */
  readonly tax: number;
}

/** A price of a meter as it is drawn. */
interface DrawnMeter {
  /** In tenths of a cent. */
  readonly tenths: number;
  readonly included: number;
}

/** A discount as it is drawn. */
export interface DrawnDiscount {
  readonly isFixed: boolean;
  /** A percentage, or cents. */
  readonly value: number;
  /** Index of the only product; null: all. */
  readonly product: number | null;
  readonly months: number | null;
}

const intervals = {
  DAILY: { proto: BillingInterval.BILLING_INTERVAL_DAILY, unit: 'DAY', each: 1 },
  WEEKLY: { proto: BillingInterval.BILLING_INTERVAL_WEEKLY, unit: 'DAY', each: 7 },
  MONTHLY: { proto: BillingInterval.BILLING_INTERVAL_MONTHLY, unit: 'MONTH', each: 1 },
  YEARLY: { proto: BillingInterval.BILLING_INTERVAL_YEARLY, unit: 'MONTH', each: 12 },
} as const;

const types = {
  FLAT: PricingType.PRICING_TYPE_FLAT,
  PER_UNIT: PricingType.PRICING_TYPE_PER_UNIT,
  TIERED: PricingType.PRICING_TYPE_TIERED,
};

export function productIdOf(index: number): string {
  return `product-${String(index)}`;
}

export function priceIdOf(index: number): string {
  return `price-${String(index)}`;
}

export function meterIdOf(index: number): string {
  return `meter-${String(index)}`;
}

export function taxCategoryOf(index: number): string {
  return `category-${String(index)}`;
}

/** Percentage of the tax on a product, a decimal string. */
export function percentOf({ tax }: Pick<DrawnPrice, 'tax'>): string {
  return String(tax / 1000);
}

export function discountIdOf(index: number): string {
  return `discount-${String(index)}`;
}

/** Price of the amount that is charged: whole cents but for tiers. */
function chargedTenths({ type, tenths }: DrawnPrice): number {
  return type === 'TIERED' ? tenths : tenths - (tenths % 10);
}

export function productOf(drawn: DrawnPrice, index: number): Product {
  const tenths = chargedTenths(drawn);
  const { type, interval } = drawn;
  const unitAmount = `${String(Math.floor(tenths / 10))}.${String(tenths % 10)}`;
  const [id, productId] = [priceIdOf(index), productIdOf(index)];
  return {
    ...{ id: productId, organizationId: 'organization', name: productId, active: true },
    price: {
      ...{ id, productId, type: types[type], currency: 'USD', intervalCount: 1, active: true },
      tiers: type === 'TIERED' ? [{ upTo: undefined, unitAmount, flatAmount: '0' }] : [],
      amount: type === 'TIERED' ? 0n : BigInt(tenths / 10),
      billingInterval: intervals[interval].proto,
      ...{ createdAt, updatedAt: createdAt, metadata: {} },
    },
    ...{ createdAt, updatedAt: createdAt, version: 1n, metadata: {} },
    taxCategory: taxCategoryOf(index),
    ...meterPricesOf(drawn, productId),
  };
}

function meterPricesOf({ meters }: DrawnPrice, productId: string) {
  const meterPrices = meters.flatMap((meter, index): MeterPrice[] => {
    if (meter === null) return [];
    return [
      {
        ...{ id: `${productId}-${meterIdOf(index)}`, productId, meterId: meterIdOf(index) },
        type: MeterPricingType.METER_PRICING_TYPE_PER_UNIT,
        ...{ unitAmount: inCents(meter.tenths), tiers: [] },
        ...{ includedUnits: String(meter.included), metadata: {}, createdAt },
      },
    ];
  });
  return { meterPrices, meterPriceSet: meterPrices.length === 0 ? 0 : 1 };
}

function inCents(tenths: number): string {
  const tenth = tenths % 10;
  return `${String(Math.floor(tenths / 10))}${tenth === 0 ? '' : `.${String(tenth)}`}`;
}

export function plainPriceOf(drawn: DrawnPrice): PlainPrice {
  const { unit, each } = intervals[drawn.interval];
  const tenths = BigInt(chargedTenths(drawn));
  return { unit, each, isFlat: drawn.type === 'FLAT', tenths };
}

export function plainMetersOf({ meters }: DrawnPrice): (PlainMeter | undefined)[] {
  return meters.map((meter) => {
    if (meter === null) return undefined;
    return { tenths: BigInt(meter.tenths), included: BigInt(meter.included) };
  });
}

export function discountOf(drawn: DrawnDiscount, index: number): Discount {
  const { isFixed, value, product, months } = drawn;
  const { ONCE, REPEATING, FOREVER } = {
    ONCE: DiscountDuration.DISCOUNT_DURATION_ONCE,
    REPEATING: DiscountDuration.DISCOUNT_DURATION_REPEATING,
    FOREVER: DiscountDuration.DISCOUNT_DURATION_FOREVER,
  };
  return aProtoDiscount({
    ...{ id: discountIdOf(index), value: String(value) },
    type: isFixed ? DiscountType.DISCOUNT_TYPE_FIXED : DiscountType.DISCOUNT_TYPE_PERCENTAGE,
    duration: months === null ? FOREVER : months === 0 ? ONCE : REPEATING,
    durationInMonths: months === null || months === 0 ? undefined : months,
    productIds: product === null ? [] : [productIdOf(product)],
  });
}

export function plainDiscountOf(drawn: DrawnDiscount, index: number): PlainDiscount {
  const { isFixed, value, product, months } = drawn;
  const products = product === null ? [] : [productIdOf(product)];
  return { id: discountIdOf(index), isFixed, value: BigInt(value), products, months };
}
