import type { toJsonCustomer } from '@billing/proto/json/customer';

export type Customer = ReturnType<typeof toJsonCustomer>;

/** Display name of a customer: the name if any, otherwise the email. A deleted one has neither. */
export function customerName({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string | null;
}): string {
  return name ?? email ?? 'Deleted customer';
}
