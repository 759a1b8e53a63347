import type { ApiClient } from '../support/api-client';
import { joinTestSystem } from '../support/shared-system';
import { aCustomer, aTaxedShop } from './taxed-shop';

let api: ApiClient;

beforeAll(async () => {
  api = await aTaxedShop(await joinTestSystem());
});

/** An open invoice that is sent, with lines of the amounts and 19 % on them. */
async function sent(...amounts: number[]): Promise<any> {
  const customerId = await aCustomer(api);
  const lines = amounts.map((amount) => ({ description: 'Work', amount }));
  return api.expect(201, api.post('/invoices', { customerId, lines, finalize: true }));
}

const credit = (invoiceId: string, body: object) =>
  api.post('/credit-notes', { invoiceId, reason: 'OTHER', ...body });

test('M4: parts of an invoice that a card has paid take their tax, up to all of it', async () => {
  const { id, customerId, total } = await sent(2900);
  expect(total).toBe(3451);
  const authorizedTransactionId = `txn_${String(customerId)}`;
  await api.expect(200, api.post(`/invoices/${String(id)}/pay`, { authorizedTransactionId }));
  const notes: any[] = [];
  for (const part of [{ amount: 1000 }, { amount: 1000 }, {}]) {
    notes.push(await api.expect(201, credit(id, { settle: 'REFUND', ...part })));
  }
  expect(notes.map(({ subtotal, tax, refunded }) => [subtotal, tax, refunded])).toEqual([
    [840, 160, 1000],
    [841, 159, 1000],
    [1219, 232, 1451],
  ]);
  expect(notes.map(({ taxes }) => taxes)).toMatchObject([
    [{ reason: 'STANDARD', percent: '19', base: 840, amount: 160 }],
    [{ reason: 'STANDARD', percent: '19', base: 841, amount: 159 }],
    [{ reason: 'STANDARD', percent: '19', base: 1219, amount: 232 }],
  ]);
  expect(notes.flatMap(({ refunds }) => refunds)).toMatchObject([
    { status: 'SUCCEEDED', amount: 1000 },
    { status: 'SUCCEEDED', amount: 1000 },
    { status: 'SUCCEEDED', amount: 1451 },
  ]);
  const fourth = await credit(id, { settle: 'REFUND' });
  expect([fourth.status, fourth.body]).toEqual([409, { error: 'More than what is left' }]);
  expect(await api.expect(200, api.get(`/invoices/${String(id)}`))).toMatchObject({
    ...{ status: 'PAID', amountPaid: 3451, amountCredited: 3451, amountRefunded: 3451 },
    ...{ tax: 551, total: 3451 },
  });
});

test('M5: an amount is spread over the lines, each with its tax', async () => {
  const { id, lineItems } = await sent(333, 333, 333);
  expect(lineItems.map(({ total }: any) => total)).toEqual([397, 396, 396]);
  await api.expect(201, api.post(`/invoices/${String(id)}/payments`, { method: 'CASH' }));
  const note = await api.expect(201, credit(id, { amount: 1000 }));
  expect(note).toMatchObject({ subtotal: 840, tax: 160, total: 1000, toBalance: 1000 });
  const amounts = ({ amount, taxAmount, total }: any) => [amount, taxAmount, total];
  expect(note.lines.map(amounts)).toEqual([
    [280, 54, 334],
    [280, 53, 333],
    [280, 53, 333],
  ]);
});
