import type { FormValues } from '../../parts/form/form-values';
import type { MeterPrice } from '../../resources/product';
import { typedTiers } from './typed-tiers';

/** An unchanged price, as part of the set that replaces the previous set. */
export function sameMeterPrice({
  id: _id,
  productId: _productId,
  createdAt: _createdAt,
  ...terms
}: MeterPrice): object {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== null));
}

/** Price from the values of its form. */
export function newMeterPrice(values: Pick<FormValues, 'text' | 'optional' | 'has'>) {
  return {
    meterId: values.text('meterId'),
    type: values.text('type'),
    includedUnits: values.optional('includedUnits'),
    packageSize: values.optional('packageSize'),
    ...(values.has('tiers')
      ? { tiers: typedTiers(values.text('tiers')) }
      : { unitAmount: values.text('unitAmount').trim() }),
  };
}
