import { aPrice, refusedFields } from '../testing/fixtures';
import { checkCurrency, offerOf } from './offer';

const facts = (parts: object = {}) => ({
  id: 'p',
  name: 'Pro',
  meterPriceSet: 0,
  active: true,
  price: aPrice(),
  ...parts,
});

describe('a product can be subscribed to', () => {
  test('at its price', () => {
    expect(offerOf(facts(), 1)).toEqual({ productName: 'Pro', price: aPrice(), meterPriceSet: 0 });
  });

  test('unless it is inactive, which is answered like an unknown one', () => {
    expect(refusedFields(() => offerOf(facts({ active: false }), 1))).toBe('PRODUCT_NOT_FOUND');
  });

  test('unless it is charged once', () => {
    const price = { ...aPrice(), billingInterval: 'ONE_TIME' as const };
    expect(refusedFields(() => offerOf(facts({ price }), 1))).toHaveProperty('productId');
  });

  test.each([
    ['in the currency of a customer with an invoice', 'USD', 'USD', undefined],
    ['in any currency before the first invoice', 'EUR', undefined, undefined],
    ['but not in another currency after it', 'EUR', 'USD', { productId: [expect.any(String)] }],
  ])('%s', (_name, currency, billed, refusal) => {
    const refused = refusedFields(() => {
      checkCurrency({ currency }, billed);
    });
    expect(refused).toEqual(refusal);
  });
});

describe('a quantity', () => {
  const perUnit = aPrice({ type: 'PER_UNIT', amount: 99_999n });

  test('is accepted up to the largest amount', () => {
    expect(() => {
      offerOf(facts({ price: perUnit }), 1_000_000);
    }).not.toThrow();
  });

  test('is refused when it costs more', () => {
    const dearer = { ...perUnit, amount: 100_000n };
    const check = () => {
      offerOf(facts({ price: dearer }), 1_000_000);
    };
    expect(refusedFields(check)).toEqual({ quantity: ['The total exceeds the maximum amount'] });
  });

  test('is not limited by a flat price', () => {
    expect(() => {
      offerOf(facts({ price: aPrice({ amount: 99_999_999_999n }) }), 1_000_000);
    }).not.toThrow();
  });
});
