import { eventually } from '@billing/chassis/testing';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { ErasureStep } from '@billing/proto/billing/erasure/v1/erasure';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import { aProtoCustomer } from '../testing/customer-facts';
import { day } from '../testing/fixtures';
import { serviceForTests } from '../testing/service-for-tests';
import { aMeteredProduct, aMeterPrice, later, usageScene } from '../testing/usage-scene';

const under = serviceForTests((peers) => {
  peers.products.set('metered', aMeteredProduct('metered', [aMeterPrice()]));
});

beforeEach(() => {
  under.peers.metering.usageOf = () => '300';
});

const { reach, invoiced, subscribe } = usageScene(under);

const { ERASURE_STEP_DATA: data, ERASURE_STEP_LATE_WRITES: lateWrites } = ErasureStep;
type Context = Parameters<typeof later>[0];

/** One step of a deletion, repeated as customer repeats it until it is done. */
function erase(step: ErasureStep, context: Context) {
  const request = { customerId: 'customer', step, customer: aProtoCustomer() };
  return eventually(() => under.erasure.eraseCustomer(request, later(context, day('02-12'))));
}

test('usage that arrives after the last bill before a deletion is billed after it, to the customer as it was', async () => {
  const { customers } = under.peers;
  const { id, context } = await subscribe();
  const cancelAt = later(context, day('02-10'));
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, cancelAt);
  await under.subscription.billEndedSubscriptions({ customerId: 'customer' }, cancelAt);
  await invoiced(id, 2);

  under.peers.metering.usageOf = () => '302';
  customers.delete('customer');
  await erase(data, context);
  await invoiced(id, 2);
  under.peers.metering.usageOf = () => '306';
  await erase(lateWrites, context);
  const [, , last] = await invoiced(id, 3);
  expect(last?.lines).toEqual([['meter', '6', 3n, day('01-31')]]);
  expect(under.peers.invoices.at(-1)?.request.buyer?.buyer).toMatchObject({
    ...{ name: 'Ada', email: 'ada@example.com' },
  });

  // Nothing follows, and the subscription keeps nothing of the customer.
  await erase(lateWrites, context);
  await reach(later(context, day('12-31')));
  await invoiced(id, 3);
  expect(await under.get(id, later(context, day('12-31')))).toMatchObject({
    customer: { id: 'customer', email: '', name: undefined },
  });
});

test('a late bill that is due while a deletion runs is created', async () => {
  const { customers } = under.peers;
  const { id, context } = await subscribe();
  const cancelAt = later(context, day('02-10'));
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, cancelAt);
  await under.subscription.billEndedSubscriptions({ customerId: 'customer' }, cancelAt);
  customers.delete('customer');
  await erase(data, context);
  under.peers.metering.usageOf = () => '304';
  await reach(later(context, day('03-19')));
  const [, , late] = await invoiced(id, 3);
  expect(late?.lines).toEqual([['meter', '4', 2n, day('01-31')]]);
  await erase(lateWrites, context);
  await invoiced(id, 3);
});

test('a subscription created while its customer is deleted ends, and its usage is billed', async () => {
  const { customers } = under.peers;
  const { id, context } = await subscribe();
  customers.delete('customer');
  under.peers.metering.usageOf = () => '302';
  await erase(data, context);
  await erase(lateWrites, context);
  expect(await under.get(id, later(context, day('02-12')))).toMatchObject({
    status: SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED,
  });
  const [, last] = await invoiced(id, 2);
  expect(last?.lines).toEqual([['meter', '302', 101n, day('01-31')]]);
  expect(under.peers.invoices.at(-1)?.request.buyer?.buyer).toMatchObject({ name: 'Ada' });
});

test('a late bill over the largest amount is retried after a deletion, to the customer as it was', async () => {
  const { customers } = under.peers;
  const { id, context } = await subscribe();
  const cancelAt = later(context, day('02-10'));
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, cancelAt);
  await under.subscription.billEndedSubscriptions({ customerId: 'customer' }, cancelAt);
  await invoiced(id, 2);
  customers.delete('customer');
  await erase(data, context);
  under.peers.metering.usageOf = () => '1000000000000';
  await erase(lateWrites, context);
  under.peers.metering.usageOf = () => '306';
  await reach(later(context, day('02-20')), WorkClass.WORK_CLASS_END);
  const [, , last] = await invoiced(id, 3);
  expect(last?.lines).toEqual([['meter', '6', 3n, day('01-31')]]);
  expect(under.peers.invoices.at(-1)?.request.buyer?.buyer).toMatchObject({ name: 'Ada' });
});
