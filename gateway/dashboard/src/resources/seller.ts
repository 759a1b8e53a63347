import type { toJsonSeller, toJsonTaxRate } from '@billing/proto/json/seller';

export type Seller = ReturnType<typeof toJsonSeller>;
export type TaxRate = ReturnType<typeof toJsonTaxRate>;
