import { createProduct, lookupKeyTaken, type ProductInput } from './product';

const now = new Date('2026-01-31T12:00:00.000Z');
const creation = { id: 'product', priceId: 'price', now, metadataProblems: [] };

const input: ProductInput = {
  name: 'Team',
  type: 'FLAT',
  currency: 'USD',
  amount: 2900n,
  billingInterval: 'MONTHLY',
};

function refusal(overrides: Partial<ProductInput>, metadataProblems: string[] = []): unknown {
  try {
    createProduct({ ...input, ...overrides }, { ...creation, metadataProblems });
  } catch (error) {
    return error;
  }
  throw new Error('The product was not refused');
}

describe('a new product', () => {
  test('is active, without description, trial, lookup key and metadata unless told otherwise', () => {
    expect(createProduct(input, creation)).toEqual({
      id: 'product',
      name: 'Team',
      description: null,
      active: true,
      metadata: {},
      lookupKey: null,
      price: {
        id: 'price',
        type: 'FLAT',
        currency: 'USD',
        amount: 2900n,
        billingInterval: 'MONTHLY',
        intervalCount: 1,
        trialDays: null,
        metadata: {},
        lookupKey: null,
        createdAt: now,
      },
    });
  });

  test('keeps what was sent, and so does its first price', () => {
    const sent = {
      description: 'For teams',
      active: false,
      metadata: { 'a.b': 1 },
      lookupKey: 'team.monthly',
    };
    expect(createProduct({ ...input, ...sent }, creation)).toMatchObject({
      ...sent,
      price: { metadata: sent.metadata, lookupKey: sent.lookupKey },
    });
  });

  test.each<[string, Partial<ProductInput>]>([
    ['the shortest name', { name: 'x' }],
    ['the longest name', { name: 'x'.repeat(200) }],
    ['an empty description', { description: '' }],
    ['the longest description', { description: 'x'.repeat(2000) }],
    ['the shortest lookup key', { lookupKey: 'a' }],
    ['the longest lookup key', { lookupKey: 'a'.repeat(100) }],
    ['every kind of character in a lookup key', { lookupKey: 'az09._-' }],
  ])('may have %s', (_case, overrides) => {
    expect(createProduct({ ...input, ...overrides }, creation)).toMatchObject(overrides);
  });
});

describe('a product is refused for', () => {
  const lookupKeyRefused = { lookupKey: ['Must be 1 to 100 characters of a-z, 0-9, ., _ and -'] };

  test.each<[string, Partial<ProductInput>, Record<string, string[]>]>([
    ['a missing name', { name: '' }, { name: ['Required'] }],
    [
      'a name one character too long',
      { name: 'x'.repeat(201) },
      { name: ['Must be at most 200 characters'] },
    ],
    [
      'a description one character too long',
      { description: 'x'.repeat(2001) },
      { description: ['Must be at most 2000 characters'] },
    ],
    ['an empty lookup key', { lookupKey: '' }, lookupKeyRefused],
    ['a lookup key one character too long', { lookupKey: 'a'.repeat(101) }, lookupKeyRefused],
    ['an upper-case lookup key', { lookupKey: 'Team' }, lookupKeyRefused],
    ['a blank in a lookup key', { lookupKey: 'a b' }, lookupKeyRefused],
    ['a line break after a lookup key', { lookupKey: 'a\n' }, lookupKeyRefused],
    ['a letter beyond ASCII in a lookup key', { lookupKey: 'ä' }, lookupKeyRefused],
  ])('%s', (_case, overrides, fields) => {
    expect(refusal(overrides)).toMatchObject({ kind: 'invalid_input', fields });
  });

  test('everything that is wrong with it at once', () => {
    const wrong: Partial<ProductInput> = {
      name: '',
      description: 'x'.repeat(2001),
      type: 'UNKNOWN',
      currency: '',
      amount: -1n,
      billingInterval: undefined,
      intervalCount: 0,
      trialDays: -1,
      lookupKey: '?',
    };
    const { fields } = refusal(wrong, ['a: Number out of range']) as { fields: object };

    expect(Object.keys(fields).sort()).toEqual([...Object.keys(wrong), 'metadata'].sort());
    expect(fields).toHaveProperty('metadata', ['a: Number out of range']);
  });
});

test('a taken lookup key is a conflict that programs can tell from others', () => {
  expect(lookupKeyTaken()).toMatchObject({ kind: 'already_exists', reason: 'LOOKUP_KEY_TAKEN' });
});
