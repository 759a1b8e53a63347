import { type DeclineCode, declined } from '../port/decline';

/** Stripe's description of a failed payment. */
export interface StripeDecline {
  /** Stripe's own error code. */
  readonly code?: string | undefined;
  /** The issuer's reason, if the issuer declined. */
  readonly decline_code?: string | undefined;
  /** The card network's advice for the next step. */
  readonly advice_code?: string | undefined;
}

const codes: Readonly<Record<string, DeclineCode>> = {
  authentication_not_handled: 'authentication_required',
  authentication_required: 'authentication_required',
  mobile_device_authentication_required: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_required',

  insufficient_funds: 'insufficient_funds',
  card_velocity_exceeded: 'insufficient_funds',
  withdrawal_count_limit_exceeded: 'insufficient_funds',

  processing_error: 'processing_error',
  issuer_not_available: 'processing_error',
  reenter_transaction: 'processing_error',
  try_again_later: 'processing_error',

  expired_card: 'expired_card',
  invalid_expiry_month: 'expired_card',
  invalid_expiry_year: 'expired_card',

  lost_card: 'lost_card',
  stolen_card: 'stolen_card',
  pickup_card: 'pickup_card',
  fraudulent: 'fraudulent',
  highest_risk_level: 'fraudulent',
  merchant_blacklist: 'fraudulent',

  incorrect_number: 'invalid_account',
  invalid_account: 'invalid_account',
  invalid_number: 'invalid_account',
  new_account_information_available: 'invalid_account',

  card_not_supported: 'card_not_supported',
  not_permitted: 'card_not_supported',
  restricted_card: 'card_not_supported',
  service_not_allowed: 'card_not_supported',
  transaction_not_allowed: 'card_not_supported',

  currency_not_supported: 'currency_not_supported',

  do_not_try_again: 'do_not_try_again',
  revocation_of_all_authorizations: 'do_not_try_again',
  revocation_of_authorization: 'do_not_try_again',
  stop_payment_order: 'do_not_try_again',
};

const adviceToStop = 'do_not_try_again';

/**
 * Our code for Stripe's description; unexplained or unknown codes are a plain decline. A network's
 * advice to stop is followed, because networks fine merchants who continue.
 */
export function declineCodeOf(decline: StripeDecline): DeclineCode {
  const code = codeOfWord(decline.decline_code ?? decline.code) ?? 'card_declined';
  const mayPass = declined(code, undefined).decline === 'SOFT';
  return mayPass && decline.advice_code === adviceToStop ? 'do_not_try_again' : code;
}

function codeOfWord(word: string | undefined): DeclineCode | undefined {
  return word !== undefined && Object.hasOwn(codes, word) ? codes[word] : undefined;
}

// Faults of a request that no retry fixes, before anything was charged.
const refusals: Readonly<Record<string, DeclineCode>> = {
  amount_too_large: 'amount_not_supported',
  amount_too_small: 'amount_not_supported',
  invalid_charge_amount: 'amount_not_supported',
  invalid_charge_amount_no_decimal_compatible: 'amount_not_supported',
};

/**
 * Our code for a payment that Stripe refuses to begin; undefined if the request itself is at fault.
 */
export function refusalCodeOf({
  code,
  param,
}: {
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}): DeclineCode | undefined {
  if (code !== undefined && Object.hasOwn(refusals, code)) return refusals[code];
  if (param === 'currency') return 'currency_not_supported';
  return param === 'payment_method' ? 'payment_method_unavailable' : undefined;
}
