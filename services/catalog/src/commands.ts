import type { CommandHandler } from '@billing/chassis/aggregate-collection';
import type { MeterPriceSetStore } from './meter-price-set-store';
import type { ProductCommand } from './product';
import type { ReplacedMeterPricesDocument, SupersededPriceDocument } from './store';
import type { SupersededPriceStore } from './superseded-price-store';

/** A bill requests a replaced set of meter prices by number and waits until the set is stored. */
export const unskippableProductCommands: Partial<Readonly<Record<ProductCommand['type'], string>>> =
  {
    keepMeterPrices:
      'This command cannot be skipped: bills at the replaced meter prices would wait for it',
  };

/** Handlers of the commands that the rules emit. Each is idempotent. */
export function productCommands({
  supersededPricesOf,
  meterPriceSetsOf,
}: {
  readonly supersededPricesOf: (environmentId: string) => SupersededPriceStore;
  readonly meterPriceSetsOf: (environmentId: string) => MeterPriceSetStore;
}): Readonly<Record<ProductCommand['type'], CommandHandler>> {
  return {
    keepPrice: (payload: SupersededPriceDocument, { context }) =>
      supersededPricesOf(context.tenant.environmentId).store(payload),

    keepMeterPrices: (payload: ReplacedMeterPricesDocument, { context }) =>
      meterPriceSetsOf(context.tenant.environmentId).store(payload),
  };
}
