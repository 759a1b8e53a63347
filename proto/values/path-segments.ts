/**
 * First segments of all paths below /v1. Scopes of keys are named after them: `<segment>:read` and
 * `<segment>:write`.
 */
export const pathSegments = [
  'customers',
  'products',
  'checkout',
  'checkout-links',
  'discounts',
  'subscriptions',
  'invoices',
  'meters',
  'events',
  'portal',
  'webhook-endpoints',
  'webhook-events',
  'sandboxes',
  'api-keys',
  'balance-entries',
  'balances',
  'seller',
  'branding',
  'tax-rates',
  'tax-report',
  'credit-notes',
  'refunds',
  'disputes',
  'previews',
  'price-migrations',
  'emails',
  'email-suppressions',
  'email-settings',
  'email-templates',
  'exports',
  'restores',
] as const;

/** All scopes that a key can have. */
export const keyScopes: ReadonlySet<string> = new Set(
  pathSegments.flatMap((segment) => [`${segment}:read`, `${segment}:write`]),
);
