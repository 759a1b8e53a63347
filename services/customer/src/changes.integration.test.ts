import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import { callService, testContext } from '@billing/chassis/testing';
import {
  CollectionMethod,
  type Customer,
  type CustomerServiceServer,
  CustomerServiceService,
  type UpdateCustomerRequest,
  TaxExempt,
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

async function create(
  context: CallContext,
  request: { email?: string; externalId?: string; name?: string } = {},
): Promise<Customer> {
  const { customer } = await customers.createCustomer(
    {
      email: 'ada@example.com',
      address: undefined,
      collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
      taxIds: [],
      taxExempt: TaxExempt.TAX_EXEMPT_UNSPECIFIED,
      metadata: undefined,
      ...request,
    },
    context,
  );
  return present(customer);
}

async function update(
  context: CallContext,
  request: Partial<UpdateCustomerRequest> & Pick<UpdateCustomerRequest, 'id' | 'updateMask'>,
): Promise<Customer> {
  const { customer } = await customers.updateCustomer(
    {
      address: undefined,
      collectionMethod: CollectionMethod.COLLECTION_METHOD_UNSPECIFIED,
      taxIds: [],
      taxExempt: TaxExempt.TAX_EXEMPT_UNSPECIFIED,
      metadata: undefined,
      ...request,
    },
    context,
  );
  return present(customer);
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Nothing came back');
  return value;
}

describe('a list', () => {
  const page = { page: 1, perPage: 20 };

  test('is newest first and pages with an exact total', async () => {
    const context = testContext();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await create(context)).id);
    const answer = await customers.listCustomers({ page: 2, perPage: 2 }, context);
    expect([answer.customers.map(({ id }) => id), answer.total]).toEqual([[ids[2], ids[1]], 5]);
    const past = await customers.listCustomers({ page: 2 ** 31 - 1, perPage: 100 }, context);
    expect(past).toEqual({ customers: [], total: 5 });
  });

  test('can be filtered by email address, by external id, or by both', async () => {
    const context = testContext();
    const ada = await create(context, { externalId: 'crm-1' });
    const grace = await create(context, { email: 'grace@example.com', externalId: 'crm-2' });
    const listed = async (filter: { email?: string; externalId?: string }) => {
      const answer = await customers.listCustomers({ ...page, ...filter }, context);
      expect(answer.total).toBe(answer.customers.length);
      return answer.customers.map(({ id }) => id);
    };
    expect(await listed({})).toEqual([grace.id, ada.id]);
    expect(await listed({ email: 'ada@example.com' })).toEqual([ada.id]);
    expect(await listed({ externalId: 'crm-2' })).toEqual([grace.id]);
    expect(await listed({ email: 'grace@example.com', externalId: 'crm-2' })).toEqual([grace.id]);
    expect(await listed({ email: 'grace@example.com', externalId: 'crm-1' })).toEqual([]);
  });

  test.each([
    ['an empty email address', { email: '' }],
    ['an email address in another case', { email: 'ADA@example.com' }],
    ['a regular expression', { email: '.*' }],
    ['an empty external id', { externalId: '' }],
    ['a prefix of an external id', { externalId: 'crm' }],
    ['the key of a missing external id', { externalId: 'i:' }],
  ])('filtered by %s is empty', async (_case, filter) => {
    const context = testContext();
    await create(context, { externalId: 'crm-1' });
    const answer = await customers.listCustomers({ ...page, ...filter }, context);
    expect(answer).toEqual({ customers: [], total: 0 });
  });

  test('contains nothing of other environments', async () => {
    await create(testContext());
    expect(await customers.listCustomers(page, testContext())).toEqual({ customers: [], total: 0 });
  });

  test.each([
    [{ page: 0, perPage: 20 }, 'page'],
    [{ page: 1, perPage: 0 }, 'perPage'],
    [{ page: 1, perPage: 101 }, 'perPage'],
  ])('is refused for %j', async (request, field) => {
    await expect(customers.listCustomers(request, testContext())).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { [field]: [expect.any(String)] },
    });
  });
});

describe('an update', () => {
  test('changes only the fields it names and increases the version by one', async () => {
    const context = testContext({ now: new Date('2026-01-31T12:00:00.000Z') });
    const created = await create(context, { name: 'Ada', externalId: 'crm-1' });
    const later = { ...context, now: new Date('2026-02-28T12:00:00.000Z') };
    const changed = await update(later, {
      id: created.id,
      updateMask: ['phone', 'metadata', 'collection_method'],
      name: 'ignored',
      phone: '+44',
      metadata: { 'a.b': 1 },
      collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
    });
    expect(changed).toEqual({
      ...created,
      phone: '+44',
      metadata: { 'a.b': 1 },
      collectionMethod: CollectionMethod.COLLECTION_METHOD_SEND_INVOICE,
      updatedAt: later.now,
      version: 2n,
    });
    expect(await customers.getCustomer({ id: created.id }, context)).toEqual({ customer: changed });
  });

  test('without a difference writes nothing', async () => {
    const context = testContext();
    const created = await create(context, { name: 'Ada' });
    const { id } = created;
    expect(await update(context, { id, updateMask: ['name'], name: 'Ada' })).toEqual(created);
    expect(await update(context, { id, updateMask: [] })).toEqual(created);
  });

  test('of a frozen field is refused under the field name', async () => {
    const context = testContext();
    const { id } = await create(context);
    await expect(update(context, { id, updateMask: ['external_id'] })).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { externalId: ['Cannot be changed'] },
    });
  });

  test('of an older version is refused as stale, even if it changes nothing', async () => {
    const context = testContext();
    const { id } = await create(context, { name: 'Ada' });
    const name = { id, updateMask: ['name'], name: 'Grace' };
    expect(await update(context, { ...name, expectedVersion: 1n })).toMatchObject({ version: 2n });
    await expect(update(context, { ...name, expectedVersion: 1n })).rejects.toMatchObject({
      kind: 'stale',
      reason: 'STALE_VERSION',
    });
  });

  test.each([
    ['unknown', '01890a5d-ac96-774b-bcce-b302099a8057'],
    ['malformed', 'not-an-id'],
    ['empty', ''],
  ])('finds no customer by an id that is %s', async (_case, id) => {
    await expect(update(testContext(), { id, updateMask: ['name'] })).rejects.toMatchObject({
      kind: 'not_found',
      reason: 'CUSTOMER_NOT_FOUND',
    });
  });

  test('reaches no customer of another environment', async () => {
    const context = testContext();
    const created = await create(context);
    const { id } = created;
    await expect(
      update(testContext(), { id, updateMask: ['name'], name: 'Eve' }),
    ).rejects.toMatchObject({ reason: 'CUSTOMER_NOT_FOUND' });
    expect(await customers.getCustomer({ id }, context)).toEqual({ customer: created });
  });

  test('is never lost among 20 concurrent updates of one customer’s fields', async () => {
    const context = testContext();
    const { id } = await create(context, { name: 'start' });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? update(context, { id, updateMask: ['name'], name: `name ${String(index)}` })
          : update(context, { id, updateMask: ['phone'], phone: `phone ${String(index)}` }),
      ),
    );
    const applied = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    for (const outcome of outcomes) {
      // A caller that lost all its retries got "unavailable" and may retry.
      if (outcome.status === 'rejected') expect(outcome.reason.kind).toBe('unavailable');
    }
    const versions = applied.map(({ value }) => value.version).sort((a, b) => Number(a - b));
    expect(versions).toEqual(applied.map((_, index) => BigInt(index + 2)));
    const { customer } = await customers.getCustomer({ id }, context);
    expect(customer?.version).toBe(BigInt(applied.length + 1));
    const last = applied.find(({ value }) => value.version === customer?.version);
    expect(last?.value).toEqual(customer);
  });
});
