import type { FormValues } from '../../parts/form/form-values';
import { amountToType, typedAmount } from '../../parts/text/amount';
import { typedDecimal } from '../../parts/text/decimal';
import { rateToType, typedRate } from '../../parts/text/rate';
import type { MeterPrice } from '../../resources/product';
import { tierRows, typedTiers } from './tier-values';

type OfMeter = Pick<MeterPrice, 'meterId'>;

/** The set with a new price, or with the changed price at its place. */
export function withMeterPrice(prices: readonly MeterPrice[], price: OfMeter): readonly object[] {
  const isPriced = prices.some(({ meterId }) => meterId === price.meterId);
  const set = prices.map((one) => (one.meterId === price.meterId ? price : sameMeterPrice(one)));
  return isPriced ? set : [...set, price];
}

/** The set without the price of a meter. */
export function withoutMeterPrice(prices: readonly MeterPrice[], { meterId }: OfMeter): object[] {
  return prices.filter((one) => one.meterId !== meterId).map(sameMeterPrice);
}

/** An unchanged price, as part of the set that replaces the previous set. */
function sameMeterPrice({
  id: _id,
  productId: _productId,
  createdAt: _createdAt,
  ...terms
}: MeterPrice): object {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== null));
}

/** Price as its form shows it, in major units of the product's currency. */
export function typedMeterPrice(price: MeterPrice, currency: string) {
  const { type, unitAmount, packageSize, includedUnits, tiers } = price;
  const amountOf = (amount: number | null) =>
    amount === null ? '' : amountToType(amount, currency);
  return {
    type,
    unitAmount: unitAmount === null ? '' : rateToType(unitAmount, currency),
    packageSize: packageSize ?? '',
    includedUnits: includedUnits === '0' ? '' : includedUnits,
    minimumAmount: amountOf(price.minimumAmount),
    maximumAmount: amountOf(price.maximumAmount),
    rows: tiers === null ? undefined : tierRows(tiers, currency),
  };
}

/** Price from the values of its form, which are in major units of the product's currency. */
export function newMeterPrice(
  values: Pick<FormValues, 'text' | 'optional' | 'has'>,
  currency: string,
) {
  const tiers = typedTiers(values, currency);
  const optional = <T>(name: string, read: (typed: string) => T) => {
    const typed = values.optional(name);
    return typed === undefined ? undefined : read(typed);
  };
  const amountOf = (typed: string) => typedAmount(typed, currency);
  return {
    meterId: values.text('meterId'),
    type: values.text('type'),
    includedUnits: optional('includedUnits', typedDecimal),
    packageSize: optional('packageSize', typedDecimal),
    minimumAmount: optional('minimumAmount', amountOf),
    maximumAmount: optional('maximumAmount', amountOf),
    ...(tiers === undefined
      ? { unitAmount: typedRate(values.text('unitAmount'), currency) }
      : { tiers }),
  };
}
