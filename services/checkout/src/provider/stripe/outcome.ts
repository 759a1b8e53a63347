import { isCurrency } from '@billing/kernel/currency';
import { type DeclineCode, declined } from '../port/decline';
import type { ActionRequired, FinalOutcome } from '../port/payment-provider';
import { fromStripeAmount } from './amount';
import { declineCodeOf, type StripeDecline } from './decline';

/** The fields of a PaymentIntent that decide its outcome. */
export interface StripeIntent {
  readonly id: string;
  readonly status: string;
  /** In lower case. */
  readonly currency: string;
  readonly amount_capturable: number;
  readonly amount_received: number;
  readonly capture_method: string;
  readonly last_payment_error: StripeDecline | null;
  readonly next_action: {
    readonly redirect_to_url?: { readonly url: string | null } | undefined;
  } | null;
}

/** An amount in Stripe's units. */
export interface StripeAmount {
  readonly amount: number;
  /** In lower case. */
  readonly currency: string;
}

/** State of a charge. */
export type StripeState =
  | { readonly kind: 'ENDED'; readonly outcome: FinalOutcome }
  /** Declined; cancelled before it counts as failed, since it would accept another card. */
  | { readonly kind: 'DECLINED'; readonly outcome: FinalOutcome }
  | { readonly kind: 'WAITS'; readonly outcome: ActionRequired }
  /** The payment was prepared and no charge was requested yet. */
  | { readonly kind: 'PREPARED' }
  /** Stripe does not know yet. */
  | { readonly kind: 'RUNS' }
  /** The charge waits for a payer who has no way to answer. */
  | { readonly kind: 'STUCK' };

/** Reads the state of a charge over `amount`. */
export function stateOf(
  intent: StripeIntent,
  { amount }: Pick<StripeAmount, 'amount'>,
): StripeState {
  switch (intent.status) {
    case 'succeeded':
      return ended(
        intent.amount_received === amount
          ? { status: 'SUCCEEDED', providerPaymentId: intent.id, ...takenBy(intent) }
          : declined('authorization_mismatch', intent.id),
      );
    case 'requires_confirmation':
    case 'requires_capture':
      return { kind: 'PREPARED' };
    case 'requires_action':
      return stateOfChallenge(intent);
    case 'requires_payment_method':
      return {
        kind: 'DECLINED',
        outcome: declined(codeOf(intent, 'payment_method_unavailable'), intent.id),
      };
    case 'canceled':
      return ended(declined(codeOf(intent, codeOfCanceled(intent)), intent.id));
    default:
      return { kind: 'RUNS' };
  }
}

/** Reason why a payment authorized elsewhere cannot pay `expected`; undefined if it can, or has. */
export function refusalOf(
  intent: Omit<StripeIntent, 'id' | 'last_payment_error' | 'next_action'>,
  expected: StripeAmount & { readonly isRefunded: boolean },
): DeclineCode | undefined {
  if (intent.currency !== expected.currency) return 'authorization_mismatch';
  switch (intent.status) {
    case 'requires_capture':
      return intent.amount_capturable < expected.amount ? 'authorization_mismatch' : undefined;
    case 'succeeded':
      if (intent.amount_received !== expected.amount) return 'authorization_mismatch';
      return expected.isRefunded ? 'authorization_used' : undefined;
    case 'canceled':
      return 'authorization_expired';
    default:
      return 'authorization_incomplete';
  }
}

function takenBy({ currency, amount_received }: StripeIntent): { readonly amount?: bigint } {
  const ours = currency.toUpperCase();
  return isCurrency(ours) ? { amount: fromStripeAmount(amount_received, ours) } : {};
}

function stateOfChallenge({ id, next_action }: StripeIntent): StripeState {
  const redirectUrl = next_action?.redirect_to_url?.url ?? undefined;
  if (redirectUrl === undefined) return { kind: 'STUCK' };
  const outcome = { status: 'REQUIRES_ACTION', providerPaymentId: id, redirectUrl } as const;
  return { kind: 'WAITS', outcome };
}

function codeOf({ last_payment_error }: StripeIntent, otherwise: DeclineCode): DeclineCode {
  return last_payment_error === null ? otherwise : declineCodeOf(last_payment_error);
}

// We cancel only challenges; an authorization made elsewhere expires or is canceled by its owner.
function codeOfCanceled({ capture_method }: StripeIntent): DeclineCode {
  return capture_method === 'manual' ? 'authorization_expired' : 'authentication_required';
}

function ended(outcome: FinalOutcome): StripeState {
  return { kind: 'ENDED', outcome };
}
