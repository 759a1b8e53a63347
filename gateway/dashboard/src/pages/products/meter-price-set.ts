import type { FormValues } from '../../parts/form/form-values';
import { typedAmount } from '../../parts/text/amount';
import { typedDecimal } from '../../parts/text/decimal';
import { typedRate } from '../../parts/text/rate';
import type { MeterPrice } from '../../resources/product';
import { typedTiers } from './tier-values';

/** An unchanged price, as part of the set that replaces the previous set. */
export function sameMeterPrice({
  id: _id,
  productId: _productId,
  createdAt: _createdAt,
  ...terms
}: MeterPrice): object {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== null));
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
