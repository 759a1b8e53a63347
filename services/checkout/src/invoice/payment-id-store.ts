import type { Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';

/** Id of a payment, the same while its attempt runs and after it has ended. */
export function paymentIdOf(
  { id, attemptNumber }: { readonly id: string; readonly attemptNumber: number },
  { environmentId }: Pick<Tenant, 'environmentId'>,
): string {
  return derivedId(environmentId, 'payment', id, attemptNumber);
}
