import type { FormValues } from '../../parts/form-values';
import type { MeterPrice } from './price-text';
import { typedTiers } from './typed-tiers';

/** A price that stays as it is in a set that replaces the one before. */
export function sameMeterPrice({
  id: _id,
  productId: _productId,
  createdAt: _createdAt,
  ...terms
}: MeterPrice): object {
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== null));
}

/** A price as it was typed into its form. */
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
