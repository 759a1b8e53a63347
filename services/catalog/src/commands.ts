import type { CommandHandler } from '@billing/chassis/aggregate-collection';
import type { MeterPriceSetStore } from './meter-price-set-store';
import type { ProductCommand } from './product';
import type { ReplacedMeterPricesDocument, SupersededPriceDocument } from './store';
import type { SupersededPriceStore } from './superseded-price-store';

/** Bills ask for a replaced set of meter prices by its number, and wait until it is kept. */
export const unskippableProductCommands: Partial<Readonly<Record<ProductCommand['type'], string>>> =
  {
    keepMeterPrices:
      'This command cannot be skipped: bills at the replaced meter prices would wait for it',
  };

/** What the service does about the commands that its rules decide. Each may run again after it was carried out. */
export function productCommands({
  supersededPricesOf,
  meterPriceSetsOf,
}: {
  readonly supersededPricesOf: (environmentId: string) => SupersededPriceStore;
  readonly meterPriceSetsOf: (environmentId: string) => MeterPriceSetStore;
}): Readonly<Record<ProductCommand['type'], CommandHandler>> {
  return {
    keepPrice: (payload: SupersededPriceDocument, { context }) =>
      supersededPricesOf(context.tenant.environmentId).keep(payload),

    keepMeterPrices: (payload: ReplacedMeterPricesDocument, { context }) =>
      meterPriceSetsOf(context.tenant.environmentId).keep(payload),
  };
}
