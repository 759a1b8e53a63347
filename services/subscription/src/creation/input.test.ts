import { anInput, day, refusedFields } from '../testing/fixtures';
import { checkInput, checkRepeat, inputText, type SubscriptionInput } from './input';

const authorizedTransactionId = 'txn_4242424242424242';

describe('the input of a creation is refused', () => {
  const now = day('06-15');
  const check = (parts: Partial<SubscriptionInput>, metadataProblems: string[] = []) =>
    refusedFields(() => {
      checkInput(anInput(parts), { now, metadataProblems });
    });
  const shifted = (isoTime: string) => new Date(isoTime);

  test.each<[string, Partial<SubscriptionInput>, string[]]>([
    ['with an empty authorization', { authorizedTransactionId: '' }, ['authorizedTransactionId']],
    [
      'with too long an authorization',
      { authorizedTransactionId: 'x'.repeat(256) },
      ['authorizedTransactionId'],
    ],
    ['for nothing', { quantity: 0 }, ['quantity']],
    ['for a part', { quantity: 1.5 }, ['quantity']],
    ['for too many', { quantity: 1_000_001 }, ['quantity']],
    ['for a start too long ago', { startAt: shifted('2025-06-14T23:59:59.999Z') }, ['startAt']],
    ['for a start too far ahead', { startAt: shifted('2031-06-15T00:00:00.001Z') }, ['startAt']],
    [
      'for all that is wrong',
      { authorizedTransactionId: '', quantity: 0 },
      ['authorizedTransactionId', 'quantity'],
    ],
  ])('%s', (_name, parts, fields) => {
    expect(Object.keys(check(parts) as object)).toEqual(fields);
  });

  test('for invalid metadata', () => {
    expect(check({}, ['a: b'])).toEqual({ metadata: ['a: b'] });
  });

  test.each<[string, Partial<SubscriptionInput>]>([
    ['a start one year ago', { startAt: shifted('2025-06-15T00:00:00.000Z') }],
    ['a start five years ahead', { startAt: shifted('2031-06-15T00:00:00.000Z') }],
    ['the longest authorization', { authorizedTransactionId: 'x'.repeat(255) }],
    ['the largest quantity', { quantity: 1_000_000 }],
  ])('but accepted with %s', (_name, parts) => {
    expect(check(parts)).toBeUndefined();
  });
});

describe('two inputs ask for the same subscription', () => {
  const base = anInput({ authorizedTransactionId, metadata: { a: 1, b: '2' } });

  test('in any order of their metadata', () => {
    expect(inputText({ ...base, metadata: { b: '2', a: 1 } })).toBe(inputText(base));
  });

  test.each<[string, Partial<SubscriptionInput>]>([
    ['customer', { customerId: 'other' }],
    ['product', { productId: 'other' }],
    ['start', { startAt: day('01-31') }],
    ['quantity', { quantity: 2 }],
    ['discount', { discountId: 'other' }],
    ['metadata', { metadata: { a: 1, b: 2 } }],
    ['metadata key', { metadata: { a: 1 } }],
  ])('unless they differ in %s', (_name, parts) => {
    expect(inputText({ ...base, ...parts })).not.toBe(inputText(base));
  });

  test('and a different one is refused under the same authorization', () => {
    const repeat = (fingerprint: string) =>
      refusedFields(() => {
        checkRepeat({ fingerprint: 'one' }, { fingerprint });
      });
    expect(repeat('one')).toBeUndefined();
    expect(repeat('two')).toEqual({ authorizedTransactionId: [expect.any(String)] });
  });
});
