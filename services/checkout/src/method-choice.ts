import type { AttemptOrigin } from './attempt';
import { isRefusedForGood, type Tried } from './dunning';

/** The saved methods that an invoice may be charged to without its payer. */
export interface MethodChoice {
  /** The subscription's own method, else the customer's default; undefined: the customer has none. */
  readonly methodId: string | undefined;
  /** Whether `methodId` is the subscription's own method. Absent: no. */
  readonly isOwn?: boolean;
  /** The customer's other methods, which a retry tries after the first: the default, then the newest. */
  readonly otherMethodIds?: readonly string[];
}

/** A payment as far as it decides which method is tried next. */
export interface TriedPayment extends Tried {
  readonly origin: AttemptOrigin;
  /** Which retry of the schedule made it; undefined where the schedule did not. */
  readonly retry: number | undefined;
}

/** The method that a charge is made with; `methodId` is undefined where the customer has none, and the attempt fails for that. */
export interface NextMethod {
  readonly methodId: string | undefined;
}

/**
 * The method that a retry of the schedule charges next: each method of the customer once, but none that the invoice was refused with for
 * good. Undefined once none is left.
 */
export function nextMethod(
  { methodId, otherMethodIds = [] }: MethodChoice,
  { payments, retry }: { readonly payments: readonly TriedPayment[]; readonly retry: number },
): NextMethod | undefined {
  const ofRetry = payments.filter((payment) => isOfRetry(payment, retry));
  const isOpen = (id: string | undefined) =>
    !isRefusedForGood(payments, id) && ofRetry.every((payment) => payment.methodId !== id);
  const next = [methodId, ...otherMethodIds].findIndex(isOpen);
  return next < 0 ? undefined : { methodId: [methodId, ...otherMethodIds][next] };
}

/** Whether no method of the customer may be charged for the invoice again. */
export function isUseless(payments: readonly Tried[], choice: MethodChoice): boolean {
  const { methodId, otherMethodIds = [] } = choice;
  return [methodId, ...otherMethodIds].every((id) => isRefusedForGood(payments, id));
}

/** The number of the next retry: the first charge of the schedule is 0, and a date that passes without a charge is none. */
export function nextRetry(payments: readonly TriedPayment[]): number {
  const retries = payments.flatMap(({ origin, retry }) =>
    origin === 'COLLECTION' && retry !== undefined ? [retry] : [],
  );
  return Math.max(-1, ...retries) + 1;
}

function isOfRetry({ origin, retry }: TriedPayment, asked: number): boolean {
  return origin === 'COLLECTION' && retry === asked;
}
