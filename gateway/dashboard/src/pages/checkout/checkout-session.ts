import type { toJsonListedSession } from '@billing/gateway/operator/checkout-session-routes';
import { reasonText } from '../../resources/invoice/invoice';

/** A checkout session in a list. */
export type CheckoutSession = ReturnType<typeof toJsonListedSession>;

const endReasons: Readonly<Record<NonNullable<CheckoutSession['endReason']>, string>> = {
  EXPIRED: 'Not paid in time',
  WITHDRAWN: 'Product or discount removed',
  REPLACED: 'Visitor started another checkout',
  INVOICE_CLOSED: 'Invoice can no longer be paid',
  NOT_CREATED: 'Creation failed',
};

/** Reason of a session's state: why it ended, and its last failed payment; may be empty. */
export function sessionReason({
  endReason,
  lastPaymentError,
}: Pick<CheckoutSession, 'endReason' | 'lastPaymentError'>): string {
  const ended = endReason === null ? [] : [endReasons[endReason]];
  const failed =
    lastPaymentError === null ? [] : [`Payment failed: ${reasonText(lastPaymentError.code)}`];
  return [...ended, ...failed].join('. ');
}
