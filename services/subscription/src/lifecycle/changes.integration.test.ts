import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import {
  type ListSubscriptionsRequest,
  SubscriptionStatus,
  type UpdateSubscriptionRequest,
} from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { aProtoCustomer } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';

const under = serviceForTests((peers) => {
  peers.products.set('other', aProduct({ id: 'other' }));
  peers.customers.set('second', aProtoCustomer({ id: 'second' }));
});

const at = (now = day('01-31')) => testContext({ now });
const update = async (
  context: CallContext,
  request: Partial<UpdateSubscriptionRequest> & { id: string },
) => {
  const given = { metadata: undefined, updateMask: ['metadata'], ...request };
  const { subscription } = await under.subscription.updateSubscription(given, context);
  if (subscription === undefined) throw new Error('No subscription came back');
  return subscription;
};

describe('changing a subscription', () => {
  test('stores the metadata and announces it with from and to', async () => {
    const context = at();
    const { id, version } = await under.create({ metadata: { 'a.b': 1 } }, context);
    const changed = await update(context, { id, metadata: { x: null } });

    expect(changed).toMatchObject({ metadata: { x: null }, version: version + 1n });
    expect(await under.get(id, context)).toEqual(changed);
    const events = await eventually(async () => {
      const logged = await under.eventsOf(id);
      expect(logged).toHaveLength(2);
      return logged;
    });
    expect(events[1]).toMatchObject({
      type: 'billing.subscription.updated',
      sequence: 2,
      data: { changes: { metadata: { from: { 'a.b': 1 }, to: { x: null } } } },
    });
    expect(Object.keys(events[1]?.data.changes as object)).toEqual(['metadata']);
  });

  test.each([
    ['the same metadata', { metadata: { kept: true } }],
    ['an empty mask', { updateMask: [], metadata: { other: true } }],
    ['no mask', { updateMask: undefined, metadata: { other: true } }],
  ])('with %s writes nothing', async (_case, changes) => {
    const context = at();
    const created = await under.create({ metadata: { kept: true } }, context);
    expect(await update(context, { id: created.id, ...changes })).toEqual(created);
  });

  test('to an empty map clears the metadata', async () => {
    const context = at();
    const { id } = await under.create({ metadata: { kept: true } }, context);
    expect(await update(context, { id })).toMatchObject({ metadata: {} });
  });

  test.each([
    ['a field that never changes', { updateMask: ['customer_id'] }, 'customerId'],
    ['metadata that nests', { metadata: { a: {} } }, 'metadata'],
  ])('by %s is refused with a violation of that field', async (_case, changes, field) => {
    const context = at();
    const { id } = await under.create({}, context);
    await expect(update(context, { id, ...changes })).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { [field]: expect.any(Array) },
    });
  });

  test.each(['update', 'cancel', 'uncancel'] as const)(
    'by %s is refused for another version and accepted otherwise',
    async (verb) => {
      const context = at();
      const { id, version } = await under.create({}, context);
      const call = (expectedVersion: bigint) => {
        const request = { id, expectedVersion };
        switch (verb) {
          case 'update':
            return update(context, { ...request, metadata: { new: 1 } });
          case 'cancel':
            return under.subscription.cancelSubscription(
              { ...request, atPeriodEnd: true },
              context,
            );
          case 'uncancel':
            return under.subscription.uncancelSubscription(request, context);
        }
      };
      await expect(call(version + 1n)).rejects.toMatchObject({ reason: 'STALE_VERSION' });
      expect((await under.get(id, context)).version).toBe(version);
      await call(version);
    },
  );

  test('of another environment is not found', async () => {
    const { id } = await under.create({}, at());
    await expect(update(at(), { id, metadata: {} })).rejects.toMatchObject({
      reason: 'SUBSCRIPTION_NOT_FOUND',
    });
  });
});

describe('a list of subscriptions', () => {
  const context = at();
  const ids: string[] = [];

  beforeAll(async () => {
    for (const [index, parts] of [
      {},
      { productId: 'other' },
      { customerId: 'second', productId: 'other' },
    ].entries()) {
      const now = new Date(context.now.getTime() + index);
      ids.unshift((await under.create(parts, { ...context, now })).id);
    }
    const later = { ...context, now: day('02-01') };
    const request = { id: ids[0] ?? '', atPeriodEnd: false };
    await under.subscription.cancelSubscription(request, later);
  });

  const list = async (filter: Partial<ListSubscriptionsRequest>, seenBy = context) => {
    const request = { page: 1, perPage: 20, ...filter };
    const { subscriptions, total } = await under.subscription.listSubscriptions(request, seenBy);
    return { found: subscriptions.map(({ id }) => ids.indexOf(id)), total };
  };
  const { SUBSCRIPTION_STATUS_ACTIVE, SUBSCRIPTION_STATUS_CANCELED } = SubscriptionStatus;

  test.each<[Partial<ListSubscriptionsRequest>, number[]]>([
    [{}, [0, 1, 2]],
    [{ customerId: 'customer' }, [1, 2]],
    [{ productId: 'other' }, [0, 1]],
    [{ status: SUBSCRIPTION_STATUS_ACTIVE }, [1, 2]],
    [{ status: SUBSCRIPTION_STATUS_CANCELED }, [0]],
    [{ status: SubscriptionStatus.SUBSCRIPTION_STATUS_PAST_DUE }, []],
    [{ customerId: 'customer', productId: 'other', status: SUBSCRIPTION_STATUS_ACTIVE }, [1]],
    [{ customerId: 'second', status: SUBSCRIPTION_STATUS_ACTIVE }, []],
    [{ customerId: '' }, []],
  ])('filtered by %j has, newest first, those at %j', async (filter, found) => {
    expect(await list(filter)).toEqual({ found, total: found.length });
  });

  test('pages with an exact total', async () => {
    expect(await list({ perPage: 2, page: 2 })).toEqual({ found: [2], total: 3 });
    expect(await list({ perPage: 2, page: 9 })).toEqual({ found: [], total: 3 });
  });

  test('shows nothing to another environment', async () => {
    expect(await list({ customerId: 'customer' }, at())).toEqual({ found: [], total: 0 });
  });

  test.each([
    [{ page: 0 }, 'page'],
    [{ perPage: 101 }, 'perPage'],
    [{ status: SubscriptionStatus.SUBSCRIPTION_STATUS_UNSPECIFIED }, 'status'],
  ])('filtered by %j is refused', async (filter, field) => {
    await expect(list(filter)).rejects.toMatchObject({ fields: { [field]: expect.any(Array) } });
  });
});
