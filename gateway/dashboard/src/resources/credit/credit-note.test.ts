import {
  creditNoteName,
  creditReasonText,
  type Refund,
  refundText,
  settleRefusal,
  splitText,
} from './credit-note';

const split = {
  currency: 'USD',
  ...{ reduced: 0, toBalance: 0, refunded: 0, external: 0, unsettled: 0 },
};
const refund = { failureCode: null, replacedBy: null, reference: null };

test('a credit note is displayed by its number, and by its id until it has one', () => {
  expect(creditNoteName({ number: 'CN-000007', id: '01970f3e-8a4b' })).toBe('CN-000007');
  expect(creditNoteName({ number: null, id: '01970f3e-8a4b' })).toBe('Credit note 01970f3e');
});

test('the reason of a credit note reads as a label', () => {
  expect(creditReasonText('GOODWILL')).toBe('Goodwill');
  expect(creditReasonText('CHANGE')).toBe('Plan change');
});

test('the split names each part that is not 0', () => {
  expect(splitText({ ...split, reduced: 1_451, toBalance: 2_000 })).toBe(
    '$14.51 off what was owed, $20.00 to the balance',
  );
  expect(splitText({ ...split, refunded: 1, external: 2, unsettled: 3 })).toBe(
    '$0.01 refunded, $0.02 returned by you, $0.03 of failed refunds',
  );
});

test.each<[string, Partial<Refund>, string]>([
  ['in progress', { status: 'PENDING' }, 'In progress at the provider'],
  ['succeeded', { status: 'SUCCEEDED' }, 'Returned to the customer'],
  ['failed', { status: 'FAILED', failureCode: 'refund_declined' }, 'Failed: refund declined'],
  ['to the balance', { status: 'REPLACED', replacedBy: 'BALANCE' }, 'Added to the balance'],
  [
    'outside',
    { status: 'REPLACED', replacedBy: 'EXTERNAL', reference: 'Transfer of 2 May' },
    'Returned in another way: Transfer of 2 May',
  ],
])('a refund %s reads as its outcome', (_kind, change, text) => {
  expect(refundText({ ...refund, status: 'PENDING', ...change })).toBe(text);
});

test('only a failed refund of a credit note can be settled in another way', () => {
  expect(settleRefusal({ status: 'FAILED', creditNoteId: 'id' })).toBeUndefined();
  expect(settleRefusal({ status: 'FAILED', creditNoteId: null })).toMatch('no credit note');
  expect(settleRefusal({ status: 'REPLACED', creditNoteId: 'id' })).toMatch('not failed');
});
