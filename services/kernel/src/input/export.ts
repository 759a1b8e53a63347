/** Names of the resources that can be exported, in the order of an archive. */
export const exportedNames = [
  'customers',
  'products',
  'meter-prices',
  'discounts',
  'checkout-links',
  'checkout-sessions',
  'subscriptions',
  'changes',
  'invoices',
  'invoice-lines',
  'payments',
  'credit-notes',
  'refunds',
  'disputes',
  'balance-entries',
  'meters',
  'usage-events',
  'meter-credits',
  'webhook-events',
  'emails',
] as const;

export type ExportedName = (typeof exportedNames)[number];
