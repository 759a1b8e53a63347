import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { aRequest, type RunningCheckout, startCheckout } from '../testing/rpc';

let running: RunningCheckout;

beforeAll(async () => {
  running = await startCheckout();
});

afterAll(() => running.stop());

test('an address with ten refused payments of an invoice is limited, while another address still pays', async () => {
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const customerId = newId();
  const { invoiceId: id } = aRequest({ customerId });
  await running.checkout.createInvoice({ ...aRequest({ customerId }), invoiceId: id }, context);
  const pay = async (number: string, clientNetwork: string | undefined) => {
    const card = { number, expiry: '12/60', code: '123', name: undefined };
    const saved = await running.payments.savePaymentMethod({ customerId, card }, context);
    const source = { $case: 'paymentMethodId' as const, value: saved.paymentMethodId };
    const asked = { id, source, returnUrl: 'https://shop.example/back', clientNetwork };
    return (await running.payments.payInvoice(asked, context)).invoice!;
  };
  for (let count = 1; count <= 10; count += 1) {
    expect((await pay('4000000000000002', '192.0.2.1')).payments).toHaveLength(count);
  }
  await expect(pay('4242424242424242', '192.0.2.1')).rejects.toMatchObject({
    kind: 'resource_exhausted',
    reason: 'TOO_MANY_REFUSED_PAYMENTS',
  });
  expect((await pay('4000000000000002', undefined)).payments).toHaveLength(11);
  expect(await pay('4242424242424242', '192.0.2.2')).toMatchObject({
    status: InvoiceStatus.INVOICE_STATUS_PAID,
  });
});
