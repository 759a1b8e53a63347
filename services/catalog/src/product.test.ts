import {
  changeProduct,
  createProduct,
  lookupKeyTaken,
  type ProductChanges,
  type ProductInput,
} from './product';

const now = new Date('2026-01-31T12:00:00.000Z');
const priceIdOf = (number: number) => `price ${String(number)}`;
const creation = { id: 'product', priceIdOf, now, metadataProblems: [] };

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
  test('defaults to active, without description, trial, lookup key or metadata', () => {
    expect(createProduct(input, creation)).toEqual({
      id: 'product',
      name: 'Team',
      description: null,
      active: true,
      metadata: {},
      lookupKey: null,
      taxCategory: 'standard',
      meterPrices: { number: 0, since: null, prices: [] },
      price: {
        id: 'price 1',
        number: 1,
        type: 'FLAT',
        currency: 'USD',
        amount: 2900n,
        billingInterval: 'MONTHLY',
        intervalCount: 1,
        trialDays: null,
        tiers: null,
        metadata: {},
        lookupKey: null,
        createdAt: now,
      },
    });
  });

  test('keeps all sent fields, and so does its first price', () => {
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
  ])('can have %s', (_case, overrides) => {
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

  test('all its problems together', () => {
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

describe('an update', () => {
  const later = new Date('2026-02-28T12:00:00.000Z');
  const decision = { now: later, priceIdOf, metadataProblems: [] };
  const team = createProduct(
    {
      ...input,
      description: 'For teams',
      active: false,
      metadata: { a: 1, b: 2 },
      lookupKey: 'team',
      intervalCount: 3,
      trialDays: 14,
    },
    creation,
  );

  test.each<[string, ProductChanges, object]>([
    ['a name', { name: 'Crew' }, { name: 'Crew' }],
    ['a description', { description: '' }, { description: '' }],
    ['whether it is active', { active: true }, { active: true }],
    ['all keys of the metadata', { metadata: { a: 2 } }, { metadata: { a: 2 } }],
    ['a lookup key', { lookupKey: 'crew' }, { lookupKey: 'crew' }],
    ['no description', { description: null }, { description: null }],
    ['no metadata', { metadata: null }, { metadata: {} }],
    ['no lookup key', { lookupKey: null }, { lookupKey: null }],
    ['a tax category', { taxCategory: 'ebook' }, { taxCategory: 'ebook' }],
  ])('sets %s and leaves other fields and the price unchanged', (_case, changes, after) => {
    expect(changeProduct(team, changes, decision)).toEqual({
      state: { ...team, ...after },
      events: [],
      commands: [],
    });
  });

  test('of the amount creates a new price version and keeps the replaced one', () => {
    const changes = { amount: 3900n, lookupKey: 'crew' };
    expect(changeProduct(team, changes, decision)).toEqual({
      state: {
        ...team,
        lookupKey: 'crew',
        price: {
          ...team.price,
          id: 'price 2',
          number: 2,
          amount: 3900n,
          lookupKey: 'crew',
          createdAt: later,
        },
      },
      events: [],
      commands: [
        {
          type: 'keepPrice',
          payload: { productId: 'product', price: team.price, supersededAt: later },
        },
      ],
    });
  });

  test('of the tiers creates a new price version, and removing them another one', () => {
    const tiered = createProduct(
      { ...input, type: 'TIERED', tiers: [{ upTo: null, unitAmount: '5.50' }] },
      creation,
    );
    const open = { upTo: null, unitAmount: '5.5', flatAmount: '0' };
    const same = { tiers: [{ upTo: null, unitAmount: '5.5', flatAmount: '0.0' }] };
    expect(changeProduct(tiered, same, decision).state).toBe(tiered);

    const tiers = [{ upTo: '10', unitAmount: '7' }, open];
    const changed = changeProduct(tiered, { tiers }, decision).state;
    expect(changed.price).toMatchObject({
      number: 2,
      tiers: [{ upTo: '10', unitAmount: '7', flatAmount: '0' }, open],
    });
    const { price } = changeProduct(changed, { tiers: null }, decision).state;
    expect(price).toMatchObject({ number: 3, type: 'TIERED', tiers: null });
  });

  test('back to an earlier amount creates a new version again', () => {
    const dearer = changeProduct(team, { amount: 3900n }, decision).state;
    const { price } = changeProduct(dearer, { amount: 2900n }, decision).state;
    expect(price).toMatchObject({ id: 'price 3', number: 3, amount: 2900n });
  });

  test.each<[string, ProductChanges]>([
    ['nothing', {}],
    ['the same amount', { amount: 2900n }],
    ['the same metadata in another order', { metadata: { b: 2, a: 1 } }],
    ['the same name and lookup key', { name: 'Team', lookupKey: 'team' }],
  ])('to %s returns the same product object', (_case, changes) => {
    const { state, commands } = changeProduct(team, changes, decision);
    expect(state).toBe(team);
    expect(commands).toEqual([]);
  });

  test.each<[string, ProductChanges, Record<string, string[]>]>([
    ['clears the name', { name: null }, { name: ['Required'] }],
    ['empties the name', { name: '' }, { name: ['Required'] }],
    [
      'adds tiers to a flat price',
      { tiers: [{ upTo: null, unitAmount: '1' }] },
      { tiers: ['Only allowed with TIERED and VOLUME'] },
    ],
    ['clears the amount', { amount: null }, { amount: ['Required'] }],
    ['clears active', { active: null }, { active: ['Required'] }],
    [
      'sets a negative amount and a lookup key with a blank',
      { amount: -1n, lookupKey: 'a b' },
      {
        amount: ['Must be between 0 and 99999999999'],
        lookupKey: ['Must be 1 to 100 characters of a-z, 0-9, ., _ and -'],
      },
    ],
  ])('is refused if it %s', (_case, changes, fields) => {
    expect(() => changeProduct(team, changes, decision)).toThrow(
      expect.objectContaining({ kind: 'invalid_input', fields }),
    );
  });
});

test('a lookup key in use is a conflict with its own reason', () => {
  expect(lookupKeyTaken()).toMatchObject({ kind: 'already_exists', reason: 'LOOKUP_KEY_TAKEN' });
});
