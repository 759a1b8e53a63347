import { systemClock } from '@billing/chassis/clock';
import { testContext } from '@billing/chassis/testing';
import {
  CreateOneOffInvoiceRequest,
  ListInvoicesRequest,
} from '@billing/proto/billing/checkout/v1/checkout';
import { type RunningCheckout, startCheckout } from '../testing/rpc';
import { Shop } from '../testing/shop-rpc';

// A request with less than two seconds left by the service's clock is refused before its first
// write; see StoringGate. By the real clock calls have 25 s, so that the refusal arrives in time.
const deadlineMs = 25_000;
const lateByMs = deadlineMs - 1_000;
let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };

const shop = new Shop();
let running: RunningCheckout;

beforeAll(async () => {
  running = await startCheckout(clock, { CUSTOMER_ADDRESS: await shop.start() });
});

afterAll(async () => {
  await running.stop();
  await shop.stop();
});

afterEach(() => {
  clockOffsetMs = 0;
  shop.before = () => undefined;
});

function create(customerId: string, context: ReturnType<typeof testContext>) {
  const lines = [{ description: 'Setup', amount: 2900n }];
  const request = CreateOneOffInvoiceRequest.fromPartial({ customerId, lines });
  return running.checkout.createOneOffInvoice(request, context);
}

test('an invoice with too little time left fixes no currency of its customer', async () => {
  const customer = shop.aCustomer();
  clockOffsetMs = lateByMs;
  const late = create(customer.id, testContext({ deadlineMs }));
  await expect(late).rejects.toMatchObject({ kind: 'unavailable', reason: 'TOO_LATE_TO_STORE' });
  expect(shop.customers.get(customer.id)).toEqual(customer);
  clockOffsetMs = 0;
  await create(customer.id, testContext());
  expect(shop.customers.get(customer.id)?.currencyFixed).toBe(true);
});

test('an invoice whose time passes while the currency is fixed is not stored', async () => {
  const customer = shop.aCustomer();
  const context = testContext({ deadlineMs });
  shop.before = (call) => {
    if (call === 'fixCurrency') clockOffsetMs = lateByMs;
  };
  const late = create(customer.id, context);
  await expect(late).rejects.toMatchObject({ kind: 'unavailable', reason: 'TOO_LATE_TO_STORE' });
  expect(shop.customers.get(customer.id)?.currencyFixed).toBe(true);
  clockOffsetMs = 0;
  const page = ListInvoicesRequest.fromPartial({ customerId: customer.id, page: 1, perPage: 10 });
  const { tenant } = context;
  expect((await running.checkout.listInvoices(page, testContext({ tenant }))).invoices).toEqual([]);
});
