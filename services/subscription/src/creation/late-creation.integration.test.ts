import { systemClock } from '@billing/chassis/clock';
import { testContext } from '@billing/chassis/testing';
import { ListSubscriptionsRequest } from '@billing/proto/billing/subscription/v1/subscription';
import { aProtoCustomer, aProtoDiscount } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';

// A request with less than two seconds left by the service's clock is refused before its first
// write; see StoringGate. By the real clock calls have 25 s, so that the refusal arrives in time.
const deadlineMs = 25_000;
const lateByMs = deadlineMs - 1_000;
let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };

const under = serviceForTests(undefined, clock);

afterEach(() => {
  clockOffsetMs = 0;
});

test('a creation with too little time left reserves no discount and fixes no currency', async () => {
  const { customers, discounts, reservations } = under.peers;
  const fresh = aProtoCustomer({ id: 'fresh' });
  customers.set('fresh', fresh);
  discounts.set('discount', aProtoDiscount({ id: 'discount' }));
  clockOffsetMs = lateByMs;
  const late = under.create(
    { customerId: 'fresh', discountId: 'discount' },
    testContext({ deadlineMs }),
  );
  await expect(late).rejects.toMatchObject({ kind: 'unavailable', reason: 'TOO_LATE_TO_STORE' });
  expect(customers.get('fresh')).toEqual(fresh);
  expect(reservations).toEqual([]);
});

test('a creation with enough time left fixes the currency of the customer', async () => {
  const { customers } = under.peers;
  customers.set('in-time', aProtoCustomer({ id: 'in-time' }));
  await under.create({ customerId: 'in-time' }, testContext());
  expect(customers.get('in-time')?.currencyFixed).toBe(true);
});

test('a creation whose time passes while the currency is fixed is not stored', async () => {
  const { customers } = under.peers;
  customers.set('slow', aProtoCustomer({ id: 'slow' }));
  const context = testContext({ deadlineMs });
  const fix = jest.spyOn(customers, 'set').mockImplementationOnce((id, customer) => {
    clockOffsetMs = lateByMs;
    return customers.set(id, customer);
  });
  const late = under.create({ customerId: 'slow' }, context);
  await expect(late).rejects.toMatchObject({ kind: 'unavailable', reason: 'TOO_LATE_TO_STORE' });
  fix.mockRestore();
  expect(customers.get('slow')?.currencyFixed).toBe(true);
  clockOffsetMs = 0;
  const all = ListSubscriptionsRequest.fromPartial({ page: 1, perPage: 10 });
  const { tenant } = context;
  const { total } = await under.subscription.listSubscriptions(all, testContext({ tenant }));
  expect(total).toBe(0);
});
