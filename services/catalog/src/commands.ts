import type { CommandHandler } from '@billing/chassis/aggregate-collection';
import type { KeepPrice } from './product';
import type { SupersededPriceDocument } from './store';
import type { SupersededPriceStore } from './superseded-price-store';

/** What the service does about the commands that its rules decide. Each may run again after it was carried out. */
export function productCommands(
  supersededPricesOf: (environmentId: string) => SupersededPriceStore,
): Readonly<Record<KeepPrice['type'], CommandHandler>> {
  return {
    keepPrice: (payload: SupersededPriceDocument, { context }) =>
      supersededPricesOf(context.tenant.environmentId).keep(payload),
  };
}
