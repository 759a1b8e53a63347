/** A UUID of any version. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** ISO 8601 UTC with milliseconds. */
export const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A UUID that no resource has. */
export const unknownId = '01900000-0000-7000-8000-000000000000';

/** The product of most tests. */
export const product = {
  name: 'Pro',
  type: 'FLAT',
  currency: 'eur',
  amount: 2900,
  billingInterval: 'MONTHLY',
};
