import type { AttemptOrigin } from './attempt';
import { isPermanentlyRefused, type Tried } from './dunning';

/** Saved methods to which an invoice may be charged without its payer. */
export interface MethodChoice {
  /**
   * The subscription's own method, otherwise the customer's default; undefined if the customer has
   * none.
   */
  readonly methodId: string | undefined;
  /** True if `methodId` is the subscription's own method. Absent means false. */
  readonly isOwn?: boolean;
  /**
   * The customer's other methods, which a retry tries after the first: the default, then the
   * newest.
   */
  readonly otherMethodIds?: readonly string[];
}

/** The fields of a payment that decide which method is tried next. */
export interface TriedPayment extends Tried {
  readonly origin: AttemptOrigin;
  /** Index of the scheduled charge; undefined outside the schedule. */
  readonly retry: number | undefined;
}

/** Method of a charge. `methodId` is undefined if the customer has none; the attempt then fails. */
export interface NextMethod {
  readonly methodId: string | undefined;
}

/**
 * Method that a retry of the schedule charges next: each method of the customer once, except those
 * permanently refused for the invoice. Undefined once none is left.
 */
export function nextMethod(
  { methodId, otherMethodIds = [] }: MethodChoice,
  { payments, retry }: { readonly payments: readonly TriedPayment[]; readonly retry: number },
): NextMethod | undefined {
  const ofRetry = payments.filter((payment) => isOfRetry(payment, retry));
  const isOpen = (id: string | undefined) =>
    !isPermanentlyRefused(payments, id) && ofRetry.every((payment) => payment.methodId !== id);
  const next = [methodId, ...otherMethodIds].findIndex(isOpen);
  return next < 0 ? undefined : { methodId: [methodId, ...otherMethodIds][next] };
}

/** True if no method of the customer may be charged for the invoice again. */
export function hasNoChargeableMethod(payments: readonly Tried[], choice: MethodChoice): boolean {
  const { methodId, otherMethodIds = [] } = choice;
  return [methodId, ...otherMethodIds].every((id) => isPermanentlyRefused(payments, id));
}

/**
 * Number of the next retry. The first charge of the schedule is 0; a skipped date does not count.
 */
export function nextRetry(payments: readonly TriedPayment[]): number {
  const retries = payments.flatMap(({ origin, retry }) =>
    origin === 'COLLECTION' && retry !== undefined ? [retry] : [],
  );
  return Math.max(-1, ...retries) + 1;
}

function isOfRetry({ origin, retry }: TriedPayment, asked: number): boolean {
  return origin === 'COLLECTION' && retry === asked;
}
