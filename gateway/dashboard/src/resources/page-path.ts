/** Pages of resources, by the type that logs and events give a resource. */
const pages: Readonly<Record<string, string>> = {
  customer: '/customers',
  subscription: '/subscriptions',
  invoice: '/invoices',
  credit_note: '/credit-notes',
  product: '/products',
  discount: '/discounts',
  webhook_endpoint: '/developers/webhooks',
  email: '/emails',
  price_migration: '/price-migrations',
};

/** Path of the page of a resource, relative to its environment; undefined: it has no page. */
export function pagePathOf(type: string, id: string): string | undefined {
  const page = pages[type];
  return page === undefined ? undefined : `${page}/${id}`;
}
