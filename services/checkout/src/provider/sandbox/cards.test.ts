import {
  answerAfterChallenge,
  answerOf,
  type CardAnswer,
  type CardCharge,
  cardOfAuthorization,
  isSandboxCardName,
  sandboxCard,
} from './cards';

const secure = 'authentication_required';

function codeOf(answer: CardAnswer): string {
  if (answer.kind === 'FAILS') return answer.code;
  return answer.kind === 'SUCCEEDS' ? 'ok' : 'challenge';
}

// Card number, with the outcomes of a capture, of the payer's own charge, and of renewals by number
// of earlier ones.
const cards = [
  ['4242424242424242', 'ok', 'ok', ['ok', 'ok', 'ok']],
  ['5555555555554444', 'ok', 'ok', ['ok', 'ok', 'ok']],
  ['4000000000000002', 'card_declined', 'card_declined', ['card_declined', 'card_declined']],
  ['4000000000009995', 'insufficient_funds', 'insufficient_funds', ['insufficient_funds']],
  ['4000000000000119', 'processing_error', 'processing_error', ['processing_error']],
  ['4000000000000069', 'expired_card', 'expired_card', ['expired_card', 'expired_card']],
  ['4000000000009987', 'lost_card', 'lost_card', ['lost_card', 'lost_card']],
  ['4000000000009979', 'stolen_card', 'stolen_card', ['stolen_card', 'stolen_card']],
  ['4000000000000341', 'ok', 'ok', ['card_declined', 'card_declined', 'card_declined']],
  ['4000002500003155', secure, 'challenge', [secure, secure]],
  ['4000008400001629', secure, 'challenge', [secure, secure]],
  ['4000000000005126', 'ok', 'ok', ['card_declined', 'card_declined', 'ok', 'ok']],
  ['4000002760000016', 'ok', 'ok', ['ok', 'ok', 'ok']],
] as const;

test.each(cards)(
  'card %s is captured: %s, given by its payer: %s, and renewed: %j',
  (number, capture, given, renewed) => {
    const name = cardOfAuthorization(`txn_${number}`)!;
    const outcome = (charge: Partial<CardCharge>) =>
      codeOf(
        answerOf(name, {
          amount: 2900n,
          isCapture: false,
          isPayerPresent: false,
          isFirstCharge: false,
          earlierRenewals: 0,
          isAuthenticated: false,
          ...charge,
        }),
      );

    expect(outcome({ isCapture: true, isFirstCharge: true })).toBe(capture);
    expect(outcome({ isPayerPresent: true, isFirstCharge: true })).toBe(given);
    expect(renewed.map((_code, earlierRenewals) => outcome({ earlierRenewals }))).toEqual(renewed);
    expect(sandboxCard(name).last4).toBe(number.slice(-4));
    expect(sandboxCard(name).brand).toBe(number.startsWith('5') ? 'mastercard' : 'visa');
  },
);

test.each([
  ['secureOnce', true, 'ok'],
  ['secureOnce', false, secure],
  ['secureThenDeclined', true, 'card_declined'],
  ['secureThenDeclined', false, secure],
] as const)('a challenge of %s with approval %s ends: %s', (name, isApproved, outcome) => {
  expect(codeOf(answerAfterChallenge(name, { isApproved }))).toBe(outcome);
});

test.each([
  ['txn_4000000000000002', 'cardDeclined'],
  ['txn_4000000000000002_', 'cardDeclined'],
  ['txn_4000000000000002_order 7', 'cardDeclined'],
  ['txn_4000000000000002_two\nlines', 'cardDeclined'],
  ['anything', 'visa'],
  ['txn_', 'visa'],
  ['txn_1700000000000', 'visa'],
  ['txn_4000000000000002b', 'visa'],
  ['4000000000000002', 'visa'],
  ['TXN_4000000000000002', 'visa'],
  ['txn_4111111111111111', undefined],
  ['txn_4111111111111111_x', undefined],
  ['txn_40000000000000020', undefined],
])('the authorization %j has the card %s', (authorizedTransactionId, name) => {
  expect(cardOfAuthorization(authorizedTransactionId)).toBe(name);
});

test.each([
  [0n, 'ok'],
  [1n, 'amount_not_supported'],
  [49n, 'amount_not_supported'],
  [50n, 'ok'],
])('a charge of the card with a minimum over %s ends: %s', (amount, expected) => {
  const charge = { amount, isCapture: false, isPayerPresent: true, isFirstCharge: true };
  const known = { earlierRenewals: 0, isAuthenticated: false };
  const name = cardOfAuthorization('txn_4000000000000077')!;
  expect(codeOf(answerOf(name, { ...charge, ...known }))).toBe(expected);
});

test('a card that the sandbox does not know is refused', () => {
  const charge = { amount: 2900n, isCapture: true, isPayerPresent: false, isFirstCharge: true };
  const answer = answerOf(undefined, { ...charge, earlierRenewals: 0, isAuthenticated: false });
  expect(codeOf(answer)).toBe('card_not_supported');
});

test('only names of cards are accepted', () => {
  expect(isSandboxCardName('visa')).toBe(true);
  expect(isSandboxCardName('toString')).toBe(false);
});
