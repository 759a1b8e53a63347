import type { Peer } from '@billing/chassis/peer';
import { callService, testContext } from '@billing/chassis/testing';
import {
  CollectionMethod,
  type CreateCustomerRequest,
  type Customer,
  type CustomerServiceServer,
  CustomerServiceService,
  TaxExempt,
  TaxIdType,
} from '@billing/proto/billing/customer/v1/customer';
import { start } from './service';
import { customerTestConfiguration } from './testing/configuration';

const configuration = customerTestConfiguration();
let customers: Peer<CustomerServiceServer>;

callService<CustomerServiceServer, typeof configuration>(
  { definition: CustomerServiceService, configuration, start },
  (peer) => {
    customers = peer;
  },
);

const minimal: CreateCustomerRequest = {
  email: 'ada@example.com',
  address: undefined,
  collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
  taxIds: [],
  taxExempt: TaxExempt.TAX_EXEMPT_UNSPECIFIED,
  metadata: undefined,
};

async function create(
  request: Partial<CreateCustomerRequest> = {},
  context = testContext(),
): Promise<Customer> {
  const { customer } = await customers.createCustomer({ ...minimal, ...request }, context);
  if (customer === undefined) throw new Error('No customer came back');
  return customer;
}

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a customer', () => {
  test('is read back as created, in every field', async () => {
    const context = testContext({ now: new Date('2026-01-31T12:34:56.789Z') });
    const metadata = { 'a.b': 'dotted', n: -1.5, yes: true, no: false, none: null, toString: 'x' };
    const address = {
      line1: 'Königstraße 1',
      line2: '3rd floor',
      city: 'Zürich',
      state: 'ZH',
      postalCode: '8001',
      country: 'CH',
    };
    const created = await create(
      {
        email: '  Ada.King@Example.com ',
        externalId: 'crm:42/ä',
        name: 'Ada King 👑',
        phone: '+41 44 000 00 00',
        buyerReference: 'PO 7',
        netDays: 14,
        taxIds: [{ type: TaxIdType.TAX_ID_TYPE_CH_VAT, value: 'CHE-107.787.577 MWST' }],
        taxExempt: TaxExempt.TAX_EXEMPT_REVERSE,
        address,
        currency: 'chf',
        collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
        metadata,
      },
      context,
    );

    expect(created).toEqual({
      id: expect.stringMatching(uuidV7),
      organizationId: context.tenant.organizationId,
      externalId: 'crm:42/ä',
      email: 'Ada.King@Example.com',
      name: 'Ada King 👑',
      phone: '+41 44 000 00 00',
      buyerReference: 'PO 7',
      netDays: 14,
      taxIds: [{ type: TaxIdType.TAX_ID_TYPE_CH_VAT, value: 'CHE107787577MWST' }],
      taxExempt: TaxExempt.TAX_EXEMPT_REVERSE,
      address,
      currency: 'CHF',
      collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
      metadata,
      currencyFixed: false,
      createdAt: context.now,
      updatedAt: context.now,
      version: 1n,
    });
    expect(await customers.getCustomer({ id: created.id }, context)).toEqual({ customer: created });
  });

  test('is read back with defaults if only required fields were sent', async () => {
    const context = testContext();
    const created = await create({}, context);

    expect(created).toMatchObject({
      currency: 'USD',
      collectionMethod: CollectionMethod.COLLECTION_METHOD_CHARGE_AUTOMATICALLY,
      metadata: {},
    });
    const { externalId, name, phone, address } = created;
    expect([externalId, name, phone, address]).toEqual(Array(4).fill(undefined));
    expect(await customers.getCustomer({ id: created.id }, context)).toEqual({ customer: created });
  });

  test('distinguishes an empty text and an empty address from absent ones', async () => {
    const context = testContext();
    const { id } = await create({ name: '', address: {} }, context);

    const { customer } = await customers.getCustomer({ id }, context);
    expect(customer?.name).toBe('');
    expect(customer?.address).toEqual({});
  });

  test('may share an email address with others', async () => {
    const context = testContext();
    const [one, other] = await Promise.all([create({}, context), create({}, context)]);
    expect(one.id).not.toBe(other.id);
  });

  test('is found by id among several; unknown ids and ids of other environments are left out', async () => {
    const context = testContext();
    const made = [await create({ name: 'Ada' }, context), await create({}, context)];
    const foreign = await create();
    const ids = [...made, foreign, ...made].map(({ id }) => id);
    const { customers: found } = await customers.getCustomers({ ids: [...ids, 'x'] }, context);

    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(made));
    const tooMany = { ids: Array.from({ length: 101 }, () => 'x') };
    await expect(customers.getCustomers(tooMany, context)).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { ids: ['Must have at most 100 elements'] },
    });
  });

  test('is identified by any of its names among a thousand, character by character, in its environment only', async () => {
    const context = testContext();
    const ada = await create({ externalId: 'ada' }, context);
    const bob = await create({}, context);
    const foreign = await create({ externalId: 'eve' });
    const unknown = Array.from({ length: 993 }, (_, index) => `unknown-${String(index)}`);
    const names = {
      ids: [ada.id, bob.id, bob.id, foreign.id, 'x'],
      externalIds: ['ada', 'Ada', ...unknown],
    };
    const found = await customers.identifyCustomers(names, context);

    expect(found.ids.toSorted()).toEqual([ada.id, bob.id].toSorted());
    expect(found.externalCustomers).toEqual([{ externalId: 'ada', id: ada.id }]);
    const tooMany = { ...names, ids: [...names.ids, 'y'] };
    await expect(customers.identifyCustomers(tooMany, context)).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { ids: ['Must have at most 1000 elements with externalIds'] },
    });
  });

  test('is unknown in another environment', async () => {
    const { id } = await create();

    await expect(customers.getCustomer({ id }, testContext())).rejects.toMatchObject({
      kind: 'not_found',
      reason: 'CUSTOMER_NOT_FOUND',
      message: 'Customer not found',
    });
  });

  test.each([
    ['unknown', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['malformed', 'not-an-id'],
    ['empty', ''],
    ['hostile', '$where\u0000{"$gt":""}'],
    ['huge', 'x'.repeat(100_000)],
  ])('is not found by an id that is %s', async (_case, id) => {
    await expect(customers.getCustomer({ id }, testContext())).rejects.toMatchObject({
      kind: 'not_found',
      reason: 'CUSTOMER_NOT_FOUND',
      message: 'Customer not found',
    });
  });
});

describe('a refusal', () => {
  test('reports all problems of the request', async () => {
    const request = {
      email: 'not-an-address',
      externalId: 'x'.repeat(256),
      name: 'x'.repeat(201),
      phone: '1'.repeat(41),
      address: { city: 'x'.repeat(201), country: 'Germany' },
      currency: 'XYZ',
      collectionMethod: CollectionMethod.UNRECOGNIZED,
      metadata: { nested: {} },
    };
    await expect(create(request)).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: {
        email: ['Invalid email'],
        externalId: ['Must be at most 255 characters'],
        name: ['Must be at most 200 characters'],
        phone: ['Must be at most 40 characters'],
        address: ['city: Must be at most 200 characters', 'country: Invalid country'],
        currency: ['Invalid currency'],
        collectionMethod: ['Invalid collection method'],
        metadata: ['nested: Must be a string, number, boolean or null'],
      },
    });
  });

  test('reports the required fields of an empty request', async () => {
    await expect(create({ email: '' })).rejects.toMatchObject({
      fields: { email: ['Invalid email'] },
    });
  });

  test('rejects a call without a deadline', async () => {
    // The context type forbids this value, but a foreign client can send it.
    const context = { ...testContext(), deadline: Number.POSITIVE_INFINITY as unknown as Date };
    await expect(customers.getCustomer({ id: 'any' }, context)).rejects.toMatchObject({
      kind: 'invalid_input',
      reason: 'DEADLINE_REQUIRED',
    });
  });
});

describe('an external id', () => {
  const taken = {
    kind: 'already_exists',
    reason: 'EXTERNAL_ID_TAKEN',
    message: 'Customer with this externalId already exists',
  };

  test('is assigned to one of 50 concurrent customers, and the others are refused', async () => {
    const context = testContext();
    const racing = Array.from({ length: 50 }, () => create({ externalId: 'crm-1' }, context));
    const outcomes = await Promise.allSettled(racing);

    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(lost).toHaveLength(49);
    for (const { reason } of lost) expect(reason).toMatchObject(taken);
  });

  test('can be used once per environment', async () => {
    const context = testContext();
    await create({ externalId: 'crm-1' }, context);
    await create({ externalId: 'crm-1' });

    await expect(create({ externalId: 'crm-1' }, context)).rejects.toMatchObject(taken);
  });

  test.each([
    [
      'texts of maximum length by their last character',
      `${'客'.repeat(254)}1`,
      `${'客'.repeat(254)}2`,
    ],
    ['upper and lower case', 'crm-a', 'crm-A'],
    ['trailing whitespace', 'crm-b', 'crm-b '],
    ['composed and decomposed accents', 'caf\u00e9', 'cafe\u0301'],
  ])('distinguishes %s', async (_case, one, other) => {
    const context = testContext();
    await create({ externalId: one }, context);
    await create({ externalId: other }, context);

    await expect(create({ externalId: one }, context)).rejects.toMatchObject(taken);
    await expect(create({ externalId: other }, context)).rejects.toMatchObject(taken);
  });

  test('can be absent in any number of customers', async () => {
    const context = testContext();
    const created = await Promise.all(Array.from({ length: 20 }, () => create({}, context)));
    expect(new Set(created.map(({ id }) => id)).size).toBe(20);
  });

  test('never matches a customer without an external id whose id is the same text', async () => {
    const context = testContext();
    const { id } = await create({}, context);
    await expect(create({ externalId: id }, context)).resolves.toMatchObject({ externalId: id });
    await expect(create({ externalId: `i:${id}` }, context)).resolves.toBeDefined();
  });
});
