import type { toJsonCustomer } from '@billing/proto/json/customer';

export type Customer = ReturnType<typeof toJsonCustomer>;

/** Display name of a customer: the name if any, otherwise the email. */
export function customerName({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string;
}): string {
  return name ?? email;
}
