import type { Address } from '@billing/kernel/input/address';
import {
  changeCustomer,
  createCustomer,
  fillCustomer,
  fixCurrency,
  type CustomerChanges,
  type CustomerInput,
  externalIdTaken,
} from './customer';

const input: CustomerInput = { email: 'ada@example.com', collectionMethod: undefined };
const creation = { id: 'customer', metadataProblems: [] };

function anAddress(parts: Partial<Address>): Address {
  const none = { line1: null, line2: null, city: null, state: null, postalCode: null };
  return { ...none, country: null, ...parts };
}

function refusal(overrides: Partial<CustomerInput>, metadataProblems: string[] = []): unknown {
  try {
    createCustomer({ ...input, ...overrides }, { ...creation, metadataProblems });
  } catch (error) {
    return error;
  }
  throw new Error('The customer was not refused');
}

describe('a new customer', () => {
  test('defaults to automatic collection in US dollars', () => {
    expect(createCustomer(input, creation)).toEqual({
      id: 'customer',
      externalId: null,
      email: 'ada@example.com',
      name: null,
      phone: null,
      buyerReference: null,
      address: null,
      currency: 'USD',
      isCurrencyFixed: false,
      collectionMethod: 'CHARGE_AUTOMATICALLY',
      taxIds: [],
      taxExempt: 'NONE',
      netDays: null,
      locale: null,
      metadata: {},
      erasure: null,
    });
  });

  test('gets a trimmed email address and an upper-case currency', () => {
    const sent = { email: ' ada@example.com ', currency: 'eur' };
    expect(createCustomer({ ...input, ...sent }, creation)).toMatchObject({
      email: 'ada@example.com',
      currency: 'EUR',
    });
  });

  test('has tax ids in their stored form', () => {
    const taxIds = [{ type: 'EU_VAT', value: 'de 136.695.976' }] as const;
    expect(createCustomer({ ...input, taxIds }, creation).taxIds).toEqual([
      { type: 'EU_VAT', value: 'DE136695976' },
    ]);
  });

  test.each<[Partial<CustomerInput>, object]>([
    [
      { taxIds: [{ type: 'EU_VAT', value: 'DE136695978' }] },
      { taxIds: ['0.value: Invalid EU VAT id'] },
    ],
    [{ locale: 'zh-TW' }, { locale: ['Unsupported locale'] }],
    [{ netDays: 366 }, { netDays: ['Must be a whole number from 0 to 365'] }],
    [{ taxExempt: 'UNKNOWN' }, { taxExempt: ['Invalid tax exemption'] }],
    [{ buyerReference: 'x'.repeat(101) }, { buyerReference: ['Must be at most 100 characters'] }],
  ])('is refused with %j', (given, fields) => {
    expect(refusal(given)).toMatchObject({ kind: 'invalid_input', fields });
  });

  test('with an empty address still has an address', () => {
    expect(createCustomer({ ...input, address: {} }, creation).address).toMatchObject({
      country: null,
    });
  });

  test.each<[string, Partial<CustomerInput>]>([
    ['an empty external id', { externalId: '' }],
    ['the longest external id', { externalId: 'x'.repeat(255) }],
    ['an empty name', { name: '' }],
    ['the longest name', { name: 'x'.repeat(200) }],
    ['the longest phone number', { phone: '1'.repeat(40) }],
    ['the collection method SEND_INVOICE', { collectionMethod: 'SEND_INVOICE' }],
    ['metadata with dots in a key', { metadata: { 'a.b': 1 } }],
  ])('can have %s', (_case, overrides) => {
    expect(createCustomer({ ...input, ...overrides }, creation)).toMatchObject(overrides);
  });
});

describe('a customer is refused for', () => {
  test.each<[string, Partial<CustomerInput>, Record<string, string[]>]>([
    ['an empty email address', { email: '' }, { email: ['Invalid email'] }],
    ['an invalid email address', { email: 'ada' }, { email: ['Invalid email'] }],
    [
      'an external id one character too long',
      { externalId: 'x'.repeat(256) },
      { externalId: ['Must be at most 255 characters'] },
    ],
    [
      'a name one character too long',
      { name: 'x'.repeat(201) },
      { name: ['Must be at most 200 characters'] },
    ],
    [
      'a phone number one character too long',
      { phone: '1'.repeat(41) },
      { phone: ['Must be at most 40 characters'] },
    ],
    [
      'an unknown country',
      { address: { country: 'ZZ' } },
      { address: ['country: Invalid country'] },
    ],
    ['an empty currency', { currency: '' }, { currency: ['Invalid currency'] }],
    ['an unknown currency', { currency: 'XYZ' }, { currency: ['Invalid currency'] }],
    [
      'an unknown collection method',
      { collectionMethod: 'UNKNOWN' },
      { collectionMethod: ['Invalid collection method'] },
    ],
  ])('%s', (_case, overrides, fields) => {
    expect(refusal(overrides)).toMatchObject({ kind: 'invalid_input', fields });
  });

  test('all its problems together', () => {
    const wrong: Partial<CustomerInput> = {
      email: 'ada',
      externalId: 'x'.repeat(256),
      name: 'x'.repeat(201),
      phone: '1'.repeat(41),
      address: { country: 'ZZ' },
      currency: '?',
      collectionMethod: 'UNKNOWN',
    };
    const { fields } = refusal(wrong, ['a: Number out of range']) as { fields: object };

    expect(Object.keys(fields).sort()).toEqual([...Object.keys(wrong), 'metadata'].sort());
    expect(fields).toHaveProperty('metadata', ['a: Number out of range']);
  });
});

describe('an update', () => {
  const noProblems = { metadataProblems: [] };
  const ada = createCustomer(
    {
      email: 'ada@example.com',
      externalId: 'crm-1',
      name: 'Ada',
      phone: '+44 20',
      address: { line1: '1 St', country: 'GB' },
      currency: 'GBP',
      collectionMethod: 'SEND_INVOICE',
      metadata: { plan: 'a', seats: 3 },
    },
    creation,
  );

  test.each<[string, CustomerChanges, object]>([
    ['an email address', { email: ' grace@example.com ' }, { email: 'grace@example.com' }],
    ['a name', { name: 'Grace' }, { name: 'Grace' }],
    ['a phone number', { phone: '1' }, { phone: '1' }],
    ['all parts of an address', { address: { city: 'L' } }, { address: anAddress({ city: 'L' }) }],
    ['a currency', { currency: 'eur' }, { currency: 'EUR' }],
    [
      'the collection method',
      { collectionMethod: 'CHARGE_AUTOMATICALLY' },
      { collectionMethod: 'CHARGE_AUTOMATICALLY' },
    ],
    ['all keys of the metadata', { metadata: { seats: 4 } }, { metadata: { seats: 4 } }],
    ['net days', { netDays: 0 }, { netDays: 0 }],
    ['the locale', { locale: 'de-ch' }, { locale: 'de-CH' }],
    ['no tax ids', { taxIds: null }, { taxIds: [] }],
    ['an exemption', { taxExempt: 'REVERSE' }, { taxExempt: 'REVERSE' }],
    ['several fields', { name: 'G', phone: null }, { name: 'G', phone: null }],
  ])('sets %s and leaves other fields unchanged', (_case, changes, after) => {
    expect(changeCustomer(ada, changes, noProblems)).toEqual({ ...ada, ...after });
  });

  test.each<[keyof CustomerChanges, unknown]>([
    ['name', null],
    ['phone', null],
    ['address', null],
    ['currency', 'USD'],
    ['collectionMethod', 'CHARGE_AUTOMATICALLY'],
    ['metadata', {}],
  ])('clears %s with null', (field, cleared) => {
    expect(changeCustomer(ada, { [field]: null }, noProblems)).toEqual({
      ...ada,
      [field]: cleared,
    });
  });

  test.each<[string, CustomerChanges]>([
    ['nothing', {}],
    ['the same name', { name: 'Ada' }],
    ['the same address', { address: { country: 'GB', line1: '1 St' } }],
    ['the same metadata in another order', { metadata: { seats: 3, plan: 'a' } }],
    ['the same email address with surrounding whitespace', { email: ' ada@example.com' }],
  ])('to %s returns the same customer object', (_case, changes) => {
    expect(changeCustomer(ada, changes, noProblems)).toBe(ada);
  });

  test.each<[string, CustomerChanges, Record<string, string[]>]>([
    ['clears the email address', { email: null }, { email: ['Invalid email'] }],
    ['sets an invalid email address', { email: 'ada' }, { email: ['Invalid email'] }],
    ['sets an unknown currency', { currency: 'XYZ' }, { currency: ['Invalid currency'] }],
    [
      'sets an unknown collection method',
      { collectionMethod: 'UNKNOWN' },
      { collectionMethod: ['Invalid collection method'] },
    ],
    [
      'sets an unknown country and a name that is too long',
      { address: { country: 'ZZ' }, name: 'x'.repeat(201) },
      { address: ['country: Invalid country'], name: ['Must be at most 200 characters'] },
    ],
  ])('is refused if it %s', (_case, changes, fields) => {
    expect(() => changeCustomer(ada, changes, noProblems)).toThrow(
      expect.objectContaining({ kind: 'invalid_input', fields }),
    );
  });

  test('is refused for its metadata', () => {
    const problems = { metadataProblems: ['a: Number out of range'] };
    expect(() => changeCustomer(ada, { metadata: {} }, problems)).toThrow(
      expect.objectContaining({ fields: { metadata: problems.metadataProblems } }),
    );
  });
});

test('an external id in use is a conflict with the message of the API', () => {
  expect(externalIdTaken()).toMatchObject({
    kind: 'already_exists',
    reason: 'EXTERNAL_ID_TAKEN',
    message: 'Customer with this externalId already exists',
  });
});

describe('the currency of the first invoice', () => {
  const inDollars = createCustomer(input, creation);
  const change = (customer: typeof inDollars, currency: string) =>
    changeCustomer(customer, { currency }, { metadataProblems: [] });

  test('replaces the customer’s initial currency', () => {
    expect(fixCurrency(inDollars, 'EUR')).toEqual({
      ...inDollars,
      currency: 'EUR',
      isCurrencyFixed: true,
    });
  });

  test('stays if a later invoice has another currency', () => {
    const inEuros = fixCurrency(inDollars, 'EUR');
    expect(fixCurrency(inEuros, 'USD')).toBe(inEuros);
  });

  test('is frozen, while other fields can be changed', () => {
    expect(change(inDollars, 'GBP').currency).toBe('GBP');
    const inEuros = fixCurrency(inDollars, 'EUR');
    expect(() => change(inEuros, 'GBP')).toThrow(
      expect.objectContaining({
        fields: { currency: ['Cannot be changed once the customer has an invoice'] },
      }),
    );
    const named = changeCustomer(inEuros, { name: 'Ada' }, { metadataProblems: [] });
    expect(named).toEqual({ ...inEuros, name: 'Ada' });
  });
});

describe('what a payer typed', () => {
  const french = { type: 'EU_VAT', value: 'FR40303265045' } as const;
  const other = { type: 'OTHER', value: '12' } as const;
  const typed = { country: 'FR', state: 'Bretagne', name: 'Bob', taxId: french };

  test('fills a customer who has none of it', () => {
    expect(fillCustomer(createCustomer(input, creation), typed)).toMatchObject({
      ...{ name: 'Bob', taxIds: [french] },
      address: anAddress({ country: 'FR', state: 'Bretagne' }),
    });
  });

  test.each<[string, Partial<CustomerInput>, object]>([
    ['a name', { name: 'Ada' }, { name: 'Ada', taxIds: [french] }],
    [
      'the rest of an address',
      { address: { city: 'Brest' } },
      { address: anAddress({ city: 'Brest', country: 'FR', state: 'Bretagne' }) },
    ],
    [
      'another country, which has neither the state nor the tax id',
      { address: { country: 'DE' } },
      { address: anAddress({ country: 'DE' }), taxIds: [], name: 'Bob' },
    ],
    ['a tax id that is not of the country', { taxIds: [other] }, { taxIds: [other, french] }],
    [
      'a tax id of the country',
      { taxIds: [{ type: 'EU_VAT', value: 'FR00300076965' }] },
      { taxIds: [{ type: 'EU_VAT', value: 'FR00300076965' }] },
    ],
  ])('leaves %s', (_case, overrides, kept) => {
    const customer = createCustomer({ ...input, ...overrides }, creation);
    expect(fillCustomer(customer, typed)).toMatchObject(kept);
  });

  test('changes nothing a second time, or if it is empty', () => {
    const customer = createCustomer(input, creation);
    expect(fillCustomer(customer, {})).toBe(customer);
    const filled = fillCustomer(customer, typed);
    expect(fillCustomer(filled, typed)).toBe(filled);
  });
});
