import type { toJsonCustomer } from '@billing/proto/json/customer';

export type Customer = ReturnType<typeof toJsonCustomer>;

/** What a customer is called: by name, else by e-mail. */
export function customerName({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string;
}): string {
  return name ?? email;
}
