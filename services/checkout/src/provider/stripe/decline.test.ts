import { declined } from '../port/decline';
import { declineCodeOf, refusalCodeOf, type StripeDecline } from './decline';

function kindAndCode(decline: StripeDecline): [string, string] {
  const { failureCode, decline: kind } = declined(declineCodeOf(decline), undefined);
  return [failureCode, kind];
}

const issuerDeclines: readonly (readonly [string, string, string])[] = [
  ['approve_with_id', 'card_declined', 'SOFT'],
  ['authentication_not_handled', 'authentication_required', 'SOFT'],
  ['authentication_required', 'authentication_required', 'SOFT'],
  ['call_issuer', 'card_declined', 'SOFT'],
  ['card_not_supported', 'card_not_supported', 'HARD'],
  ['card_velocity_exceeded', 'insufficient_funds', 'SOFT'],
  ['currency_not_supported', 'currency_not_supported', 'HARD'],
  ['do_not_honor', 'card_declined', 'SOFT'],
  ['do_not_try_again', 'do_not_try_again', 'HARD'],
  ['duplicate_transaction', 'card_declined', 'SOFT'],
  ['expired_card', 'expired_card', 'HARD'],
  ['fraudulent', 'fraudulent', 'HARD'],
  ['generic_decline', 'card_declined', 'SOFT'],
  ['highest_risk_level', 'fraudulent', 'HARD'],
  ['incorrect_number', 'invalid_account', 'HARD'],
  ['insufficient_funds', 'insufficient_funds', 'SOFT'],
  ['invalid_account', 'invalid_account', 'HARD'],
  ['invalid_amount', 'card_declined', 'SOFT'],
  ['issuer_not_available', 'processing_error', 'SOFT'],
  ['lost_card', 'lost_card', 'HARD'],
  ['merchant_blacklist', 'fraudulent', 'HARD'],
  ['new_account_information_available', 'invalid_account', 'HARD'],
  ['no_action_taken', 'card_declined', 'SOFT'],
  ['not_permitted', 'card_not_supported', 'HARD'],
  ['pickup_card', 'pickup_card', 'HARD'],
  ['processing_error', 'processing_error', 'SOFT'],
  ['reenter_transaction', 'processing_error', 'SOFT'],
  ['restricted_card', 'card_not_supported', 'HARD'],
  ['revocation_of_all_authorizations', 'do_not_try_again', 'HARD'],
  ['revocation_of_authorization', 'do_not_try_again', 'HARD'],
  ['security_violation', 'card_declined', 'SOFT'],
  ['service_not_allowed', 'card_not_supported', 'HARD'],
  ['stolen_card', 'stolen_card', 'HARD'],
  ['stop_payment_order', 'do_not_try_again', 'HARD'],
  ['testmode_decline', 'card_declined', 'SOFT'],
  ['transaction_not_allowed', 'card_not_supported', 'HARD'],
  ['try_again_later', 'processing_error', 'SOFT'],
  ['withdrawal_count_limit_exceeded', 'insufficient_funds', 'SOFT'],
];

test.each(issuerDeclines)("the issuer's %s is %s, %s", (word, code, kind) => {
  expect(kindAndCode({ code: 'card_declined', decline_code: word })).toEqual([code, kind]);
});

test.each([
  ['expired_card', 'expired_card', 'HARD'],
  ['incorrect_cvc', 'card_declined', 'SOFT'],
  ['processing_error', 'processing_error', 'SOFT'],
  ['card_declined', 'card_declined', 'SOFT'],
  ['payment_intent_authentication_failure', 'authentication_required', 'SOFT'],
])("Stripe's own code %s, without a code of the issuer, is %s, %s", (word, code, kind) => {
  expect(kindAndCode({ code: word })).toEqual([code, kind]);
});

test("a network's advice to stop takes precedence over the issuer", () => {
  const advice = { advice_code: 'do_not_try_again' };
  const poor = { decline_code: 'insufficient_funds', ...advice };
  expect(kindAndCode(poor)).toEqual(['do_not_try_again', 'HARD']);
  expect(kindAndCode({ decline_code: 'lost_card', ...advice })).toEqual(['lost_card', 'HARD']);
});

test('an unknown code is a plain soft decline, unless the network advises to stop', () => {
  const unknown = { code: 'card_declined', decline_code: 'mercury_in_retrograde' };
  expect(kindAndCode(unknown)).toEqual(['card_declined', 'SOFT']);
  expect(kindAndCode({ ...unknown, advice_code: 'try_again_later' })).toEqual([
    'card_declined',
    'SOFT',
  ]);
  expect(kindAndCode({ ...unknown, advice_code: 'do_not_try_again' })).toEqual([
    'do_not_try_again',
    'HARD',
  ]);
  expect(kindAndCode({ decline_code: 'constructor' })).toEqual(['card_declined', 'SOFT']);
  expect(kindAndCode({})).toEqual(['card_declined', 'SOFT']);
});

test.each([
  [{ code: 'amount_too_small', param: 'amount' }, 'amount_not_supported'],
  [{ code: 'amount_too_large', param: 'amount' }, 'amount_not_supported'],
  [{ code: 'invalid_charge_amount_no_decimal_compatible' }, 'amount_not_supported'],
  [{ param: 'currency' }, 'currency_not_supported'],
  [{ param: 'payment_method' }, 'payment_method_unavailable'],
  [{ code: 'parameter_unknown', param: 'colour' }, undefined],
  [{}, undefined],
])('a request refused for %j is %s', (refusal, code) => {
  expect(refusalCodeOf(refusal)).toBe(code);
});
