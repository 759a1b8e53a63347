import type { DomainEvent, Transition } from '@billing/kernel/transition';
import type { Payer, PaymentMethod } from './payment-method';

/** Event of a customer's payment method, which the customer's payer numbers. */
export interface PaymentMethodEvent extends DomainEvent {
  readonly type:
    | 'payment_method.added'
    | 'payment_method.updated'
    | 'payment_method.removed'
    | 'payment_method.expiring';
  readonly data: { readonly method: PaymentMethod; readonly isDefault: boolean };
}

/** Change of a payer without the details of its methods. */
interface MethodChange {
  readonly type: PaymentMethodEvent['type'];
  readonly methodId: string;
  readonly isDefault: boolean;
}

/** Methods by their ids. */
export type MethodDetails = ReadonlyMap<string, PaymentMethod>;

/** Thrown for a decision that changes methods whose details are not given. */
export class UnknownMethodsError extends Error {
  constructor(readonly ids: readonly string[]) {
    super(`The payment methods ${ids.join(', ')} are not given`);
  }
}

/**
 * Adds the events of the methods that a decision added to the list of a payer, made the default or
 * removed. Throws UnknownMethodsError if their details are not given.
 */
export function withMethodEvents(
  before: Payer | undefined,
  { state, events, commands }: Transition<Payer>,
  details: MethodDetails,
): Transition<Payer> {
  const changes = methodChanges(before, state);
  const announced = changes.flatMap(({ type, methodId, isDefault }) => {
    const method = details.get(methodId);
    return method === undefined ? [] : [{ type, data: { method, isDefault } }];
  });
  if (announced.length < changes.length) {
    const unknown = changes.map(({ methodId }) => methodId).filter((id) => !details.has(id));
    throw new UnknownMethodsError(unknown);
  }
  return { state, events: [...events, ...announced], commands };
}

function methodChanges(before: Payer | undefined, after: Payer): MethodChange[] {
  const known = before?.methodIds ?? [];
  const { methodIds, defaultMethodId } = after;
  const isPromoted = defaultMethodId !== null && defaultMethodId !== before?.defaultMethodId;
  return [
    ...methodIds
      .filter((id) => !known.includes(id))
      .map((id) => changeOf('payment_method.added', id, id === defaultMethodId)),
    ...(isPromoted && known.includes(defaultMethodId)
      ? [changeOf('payment_method.updated', defaultMethodId, true)]
      : []),
    ...known
      .filter((id) => !methodIds.includes(id))
      .map((id) => changeOf('payment_method.removed', id, id === before?.defaultMethodId)),
  ];
}

function changeOf(type: MethodChange['type'], methodId: string, isDefault: boolean): MethodChange {
  return { type, methodId, isDefault };
}
