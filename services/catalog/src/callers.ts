import type { Callers } from '@billing/chassis/callers';
import type { CatalogServiceServer } from '@billing/proto/billing/catalog/v1/catalog';

// Which services may call each method of this one where certificates say who calls.

export const catalogCallers: Callers<CatalogServiceServer> = {
  createProduct: ['gateway'],
  getProduct: ['gateway', 'discount', 'checkout', 'subscription'],
  getProducts: ['checkout'],
  listProducts: ['gateway'],
  updateProduct: ['gateway'],
  getPrice: ['checkout'],
  setMeterPrices: ['gateway'],
  getMeterPrices: ['gateway', 'subscription'],
  getMeterPriceSets: ['subscription'],
};
