/** Exported resources whose creation has an event, with the type of its subject. */
export const announcedResources = {
  customers: 'customer',
  products: 'product',
  discounts: 'discount',
  meters: 'meter',
  subscriptions: 'subscription',
  invoices: 'invoice',
} as const;

export type AnnouncedResource = keyof typeof announcedResources;
