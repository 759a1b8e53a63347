import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import { announceChanges, type ResourceEvent } from '@billing/chassis/announced-changes';
import { MeterPricesEvent } from '@billing/proto/billing/event/v1/meter_prices_event';
import { ProductEvent } from '@billing/proto/billing/event/v1/product_event';
import { toJsonProduct } from '@billing/proto/json/product';
import type { DomainEvent } from '@billing/kernel/transition';
import type { Product } from './product';
import { toProtoProduct } from './product-rpc';
import { productDefinition } from './store';

const announceProduct = announceChanges<Product>('product', {
  toJson: (stored) => toJsonProduct(toProtoProduct(stored)),
  without: ['meterPrices'],
});

// Numbered by a subject of their own, although the product holds them.
const meterPricesReplaced: DomainEvent = {
  type: 'meter_prices.replaced',
  subject: 'meter_price_set',
  data: {},
};

/** Products that announce their creation, their changes and those of their meter prices. */
export const announcedProducts: AggregateDefinition<Product> = {
  ...productDefinition,
  announce: (decided, change) => {
    const { before, after } = change;
    const isReplaced =
      before !== undefined && before.state.meterPrices.number !== after.state.meterPrices.number;
    const events = announceProduct(decided, change);
    return isReplaced ? [...events, meterPricesReplaced] : events;
  },
  encodeEvent,
};

function encodeEvent(event: DomainEvent, stored: Stored<Product>): unknown {
  if (event.type === meterPricesReplaced.type) {
    const { id: productId, meterPrices: prices } = toProtoProduct(stored);
    return MeterPricesEvent.toJSON({ productId, prices });
  }
  const { changes } = (event as ResourceEvent).data;
  return ProductEvent.toJSON({ product: toProtoProduct(stored), changes });
}
