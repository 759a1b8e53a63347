import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { day } from '../testing/fixtures';
import { aProtoCustomer } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';

const { COLLECTION_METHOD_CHARGE_AUTOMATICALLY: charged, COLLECTION_METHOD_SEND_INVOICE: sent } =
  CollectionMethod;
let context: CallContext;

const under = serviceForTests();

beforeEach(() => {
  context = testContext({ now: day('01-31') });
});

const later = (now: Date): CallContext => ({ ...testContext({ now }), tenant: context.tenant });

async function renew(to: Date) {
  const { environmentId } = context.tenant;
  const workClass = WorkClass.WORK_CLASS_RENEWAL;
  await under.dueWork.runDue({ environmentId, until: to, workClass }, later(to));
}

/** Waits for a number of invoices, and returns how they are collected. */
function methods(count: number) {
  return eventually(() => {
    const all = under.peers.invoices.map(({ request }) => request.collectionMethod);
    expect(all).toHaveLength(count);
    return all;
  });
}

const changed = aProtoCustomer({
  name: 'Ada King',
  email: 'king@example.com',
  collectionMethod: sent,
});

test("a renewal is collected by its customer's present method, and shows their present name", async () => {
  const { id, customer } = await under.create({}, context);
  expect(customer).toMatchObject({ name: 'Ada', email: 'ada@example.com' });
  under.peers.customers.set('customer', changed);
  await renew(day('02-28'));
  expect(await methods(2)).toEqual([charged, sent]);
  await eventually(async () => {
    expect((await under.get(id, later(day('02-28')))).customer).toMatchObject({
      id: 'customer',
      name: 'Ada King',
      email: 'king@example.com',
    });
  });
  const types = (await under.eventsOf(id)).map(({ type }) => type);
  expect(types).not.toContain('billing.subscription.updated');
});

test('a renewal waits while its customer cannot be read', async () => {
  await under.create({}, context);
  under.peers.customers.set('customer', changed);
  under.peers.isCustomerDown = true;
  await renew(day('02-28'));
  expect(await methods(1)).toEqual([charged]);
  under.peers.isCustomerDown = false;
  expect(await methods(2)).toEqual([charged, sent]);
});

test('an unknown customer stays as last recorded', async () => {
  const { id } = await under.create({}, context);
  under.peers.customers.delete('customer');
  await renew(day('02-28'));
  expect(await methods(2)).toEqual([charged, charged]);
  expect((await under.get(id, later(day('02-28')))).customer).toMatchObject({ name: 'Ada' });
});
