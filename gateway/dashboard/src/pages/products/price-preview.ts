import { recurringCharge } from '@billing/kernel/pricing';
import { usageCharge } from '@billing/kernel/usage-pricing';
import { moneyText, pluralText } from '../../parts/text/text';
import type { MeterPrice, Product } from '../../resources/product';

type TypedTiers = readonly {
  readonly upTo: string | null;
  readonly unitAmount: string;
  readonly flatAmount?: string;
}[];

/** Price of a product as a form sends it: amounts that cannot be read are texts. */
interface TypedPrice {
  readonly type: string;
  readonly amount: number | string;
  readonly tiers?: TypedTiers | undefined;
}

/** “150 units: $545.00”, by the billing rules; undefined while the price is incomplete. */
export function productPreview(
  { type, amount, tiers }: TypedPrice,
  { quantity, currency }: { readonly quantity: string; readonly currency: string },
): string | undefined {
  const count = Number(quantity);
  if (typeof amount !== 'number') return undefined;
  return previewText(quantity, currency, () => {
    const price = { amount: BigInt(amount), tiers: completeTiers(tiers), quantity: count };
    return recurringCharge({ ...price, type: type as Product['type'] }).amount;
  });
}

/** Price of a meter as a form sends it. */
interface TypedMeterPrice {
  readonly type: string;
  readonly unitAmount?: string | undefined;
  readonly tiers?: TypedTiers | undefined;
  readonly includedUnits?: string | undefined;
  readonly packageSize?: string | undefined;
  readonly minimumAmount?: number | string | undefined;
  readonly maximumAmount?: number | string | undefined;
}

/** “150 units: $0.38”, by the billing rules; undefined while the price is incomplete. */
export function meterPricePreview(
  price: TypedMeterPrice,
  { quantity, currency }: { readonly quantity: string; readonly currency: string },
): string | undefined {
  return previewText(quantity, currency, () => {
    const terms = {
      type: price.type as MeterPrice['type'],
      unitAmount: price.unitAmount ?? null,
      tiers: completeTiers(price.tiers),
      includedUnits: price.includedUnits ?? '0',
      packageSize: price.packageSize ?? null,
      minimumAmount: boundOf(price.minimumAmount),
      maximumAmount: boundOf(price.maximumAmount),
    };
    return usageCharge(terms, { quantity }).amount;
  });
}

function completeTiers(tiers: TypedTiers | undefined) {
  return tiers?.map((tier) => ({ flatAmount: '0', ...tier })) ?? null;
}

function boundOf(amount: number | string | undefined): bigint | null {
  return amount === undefined ? null : BigInt(amount);
}

function previewText(
  quantity: string,
  currency: string,
  amountOf: () => bigint,
): string | undefined {
  try {
    return `${pluralText(Number(quantity), 'unit')}: ${moneyText(amountOf(), currency)}`;
  } catch {
    // The rules throw for a price or a quantity that is still being typed.
    return undefined;
  }
}
