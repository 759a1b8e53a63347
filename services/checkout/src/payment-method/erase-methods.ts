import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { PaymentProvider } from '../provider/port/payment-provider';
import { type Payer, type PaymentMethod, removeAll } from './payment-method';
import { payerIdOf } from './store';

export interface EraseMethodsDependencies {
  readonly saved: AggregateCollection<PaymentMethod>;
  readonly payers: AggregateCollection<Payer>;
  readonly providerOf: (tenant: Tenant) => PaymentProvider;
}

/**
 * Erases the saved methods of a deleted customer: they are removed, detached at the provider, and
 * blanked. Charges that refer to one stay.
 */
export async function eraseMethods(
  customerId: string,
  context: CallContext,
  { saved, payers, providerOf }: EraseMethodsDependencies,
): Promise<void> {
  const methods = saved.within(context);
  const found = await methods.listAll({ customerId });
  const payerId = payerIdOf(customerId, context);
  // First, so that no attempt takes a method that is about to be detached.
  if ((await payers.within(context).find(payerId)) !== undefined) {
    const ids = found.map(({ state }) => state.id);
    await payers.within(context).mutate(payerId, (payer) => removeAll(payer, ids));
  }
  const provider = providerOf(context.tenant);
  for (const { state } of found) {
    const { id, providerMethodId } = state;
    if (providerMethodId === '') continue;
    if (state.provider === provider.name) await provider.detach(providerMethodId);
    await methods.mutate(id, erased);
  }
}

function erased(method: PaymentMethod): Transition<PaymentMethod> {
  if (method.providerMethodId === '') return unchanged(method);
  return only({ ...method, providerMethodId: '', brand: '', last4: '', country: undefined });
}
