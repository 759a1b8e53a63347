import { type AddressInput, addressOf, addressProblems } from './address';
import { COUNTRIES } from './countries';

const textParts = ['line1', 'line2', 'city', 'state', 'postalCode'] as const;

describe('an address', () => {
  test('requires no part', () => {
    expect(addressProblems({})).toEqual([]);
    expect(addressOf({})).toEqual({
      line1: null,
      line2: null,
      city: null,
      state: null,
      postalCode: null,
      country: null,
    });
  });

  test.each(textParts)('has a %s of at most 200 characters', (part) => {
    expect(addressProblems({ [part]: '' })).toEqual([]);
    expect(addressProblems({ [part]: 'x'.repeat(200) })).toEqual([]);
    expect(addressProblems({ [part]: 'x'.repeat(201) })).toEqual([
      `${part}: Must be at most 200 characters`,
    ]);
  });

  test.each(['', 'de', 'DEU', 'Germany', 'UK', 'XK', 'ZZ', ' DE', 'toString'])(
    'refuses the country %j',
    (country) => {
      expect(addressProblems({ country })).toEqual(['country: Invalid country']);
    },
  );

  test('all problems of an address are reported', () => {
    const wrong: AddressInput = { city: 'x'.repeat(201), state: 'x'.repeat(201), country: 'EU' };
    expect(addressProblems(wrong)).toEqual([
      'city: Must be at most 200 characters',
      'state: Must be at most 200 characters',
      'country: Invalid country',
    ]);
  });

  test('keeps its parts as sent', () => {
    const address = {
      line1: '1 Main St',
      line2: 'Suite 2',
      city: 'Springfield',
      state: 'IL',
      postalCode: '62701',
      country: 'US',
    };
    expect(addressOf(address)).toEqual(address);
  });
});

test('there are 249 countries, each with a code of two capitals', () => {
  expect(COUNTRIES.size).toBe(249);
  for (const country of COUNTRIES) expect(country).toMatch(/^[A-Z]{2}$/);
});
