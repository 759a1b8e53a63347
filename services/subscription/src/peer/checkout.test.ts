import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type CreateInvoiceRequest,
  InvoiceStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import { InvoiceClient } from './checkout';
import { anInvoice } from '../testing/invoice';

const order = (invoiceId: string) =>
  ({ invoiceId, lineItems: [] }) as never as CreateInvoiceRequest;

/**
 * Checkout's side of the contract: each invoice succeeds or fails alone; a failed one has no
 * answer.
 */
function aCheckout() {
  const calls: string[][] = [];
  const createInvoice = async (request: CreateInvoiceRequest) => {
    if (request.invoiceId === 'bad') throw new DomainError('invalid_input', 'BAD', 'Bad');
    return { invoice: anInvoice(request, InvoiceStatus.INVOICE_STATUS_OPEN), collecting: true };
  };
  const peer = {
    createInvoice: (request: CreateInvoiceRequest) => {
      calls.push([request.invoiceId]);
      return createInvoice(request);
    },
    createInvoices: async ({ requests }: { requests: CreateInvoiceRequest[] }) => {
      calls.push(requests.map(({ invoiceId }) => invoiceId));
      const none = { invoice: undefined, collecting: false };
      return {
        responses: await Promise.all(requests.map((one) => createInvoice(one).catch(() => none))),
      };
    },
  };
  return { calls, invoices: new InvoiceClient(peer) };
}

const create = async (invoices: InvoiceClient, id: string, context: CallContext) =>
  (await invoices.create(order(id), context)).invoice?.id;

describe('concurrent orders of invoices', () => {
  test('share one call; a single order has a call of its own', async () => {
    const { calls, invoices } = aCheckout();
    const context = testContext();
    const together = ['a', 'b', 'c'].map((id) => create(invoices, id, context));
    expect(await Promise.all(together)).toEqual(['a', 'b', 'c']);
    expect(await create(invoices, 'd', context)).toBe('d');
    expect(calls).toEqual([['a', 'b', 'c'], ['d']]);
  });

  test('of two environments, or of two times of one, never share a call', async () => {
    const { calls, invoices } = aCheckout();
    const [ours, theirs] = [testContext(), testContext()];
    const manual = testContext({ now: new Date(0) });
    const later = { ...manual, now: new Date(1) };
    await Promise.all([
      create(invoices, 'a', ours),
      create(invoices, 'b', theirs),
      create(invoices, 'c', { ...ours, now: new Date(1) }),
      create(invoices, 'd', manual),
      create(invoices, 'e', later),
    ]);
    expect(calls).toEqual([['a', 'c'], ['b'], ['d'], ['e']]);
  });

  test('fail individually, each with its own reason', async () => {
    const { invoices } = aCheckout();
    const context = testContext();
    const outcomes = await Promise.allSettled(
      ['a', 'bad', 'c'].map((id) => create(invoices, id, context)),
    );
    expect(outcomes).toMatchObject([
      { value: 'a' },
      { status: 'rejected', reason: { reason: 'BAD' } },
      { value: 'c' },
    ]);
  });
});
