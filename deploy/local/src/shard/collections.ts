import { collections as catalog } from '@billing/catalog/collections';
import type { CollectionLayouts } from '@billing/chassis/collection-layout';
import { collections as checkout } from '@billing/checkout/collections';
import { collections as customer } from '@billing/customer/collections';
import { collections as discount } from '@billing/discount/collections';
import { collections as identity } from '@billing/identity/collections';
import { collections as metering } from '@billing/metering/collections';
import { collections as notifier } from '@billing/notifier/collections';
import { collections as subscription } from '@billing/subscription/collections';

/** Collections of every service that has a database. */
export const collectionsByService: Readonly<Record<string, CollectionLayouts>> = {
  identity,
  catalog,
  customer,
  discount,
  checkout,
  subscription,
  metering,
  notifier,
};
