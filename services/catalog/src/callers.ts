import type { Callers } from '@billing/chassis/callers';
import type { CatalogServiceServer } from '@billing/proto/billing/catalog/v1/catalog';

// Services that may call each method, if certificates identify the caller.

export const catalogCallers: Callers<CatalogServiceServer> = {
  createProduct: ['gateway'],
  getProduct: ['gateway', 'discount', 'checkout', 'subscription', 'notifier'],
  getProducts: ['checkout', 'subscription'],
  listProducts: ['gateway'],
  updateProduct: ['gateway'],
  getPrice: ['checkout', 'subscription'],
  setMeterPrices: ['gateway'],
  getMeterPrices: ['gateway', 'subscription'],
  getMeterPriceSets: ['subscription'],
};
