import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';

/** Requests about changes that are counted in addition to the examples of their routes. */
export const changeRequests = {
  previewSeat: 'POST /previews of one more seat',
  addSeat: 'POST /subscriptions/:id/changes of one more seat, paid first',
  addSeatAsPreviewed:
    'POST /subscriptions/:id/changes of one more seat with the token of a preview',
  removeSeat: 'POST /subscriptions/:id/changes of one seat less NOW, credited',
  removeSeatLater: 'POST /subscriptions/:id/changes of one seat less at PERIOD_END',
  pauseLater: 'POST /subscriptions/:id/changes that pauses at PERIOD_END',
  pause: 'POST /subscriptions/:id/changes that pauses NOW',
  pauseWithCredit: 'POST /subscriptions/:id/changes that pauses NOW, credited',
  resume: 'POST /subscriptions/:id/changes that resumes, paid first',
  takeBack: 'DELETE /subscriptions/:id/changes/:changeId of one that waits',
  migrateDry: 'POST /price-migrations as a dry run',
  migrate: 'POST /price-migrations that starts',
};

interface ChangeRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Prepares the requests, each for a paid subscription of its own. */
export async function prepareChangeRequests(owner: ApiClient): Promise<ChangeRequest[]> {
  const seats = { ...product, type: 'PER_UNIT' };
  const { id: productId } = await owner.expect(201, owner.post('/products', seats));
  const subscribed = () => paidSubscription(owner, productId);
  const post = (name: string, path: string, body: object) => ({ name, method: 'POST', path, body });
  const changed = async (name: string, body: object) =>
    post(name, `/subscriptions/${await subscribed()}/changes`, body);
  const previewOf = (subscriptionId: string) => ({
    kind: 'CHANGE',
    subscriptionId,
    change: { quantity: 3 },
  });
  const paused = `/subscriptions/${await subscribed()}/changes`;
  await owner.expect(201, owner.post(paused, { kind: 'PAUSE', at: 'NOW' }));
  const waiting = `/subscriptions/${await subscribed()}/changes`;
  const { id: waitingId } = await owner.expect(
    201,
    owner.post(waiting, { quantity: 1, at: 'PERIOD_END' }),
  );
  const promised = await subscribed();
  const { token } = await owner.expect(200, owner.post('/previews', previewOf(promised)));
  const [from, to, fromDry] = await Promise.all(
    [2900, 3900, 4900].map(async (amount) => {
      const made = await owner.expect(201, owner.post('/products', { ...product, amount }));
      return String(made.priceId);
    }),
  );
  const names = changeRequests;
  return [
    post(names.previewSeat, '/previews', previewOf(await subscribed())),
    await changed(names.addSeat, { quantity: 3, at: 'NOW' }),
    post(names.addSeatAsPreviewed, `/subscriptions/${promised}/changes`, {
      quantity: 3,
      previewToken: token,
    }),
    await changed(names.removeSeat, { quantity: 1, at: 'NOW' }),
    await changed(names.removeSeatLater, { quantity: 1, at: 'PERIOD_END' }),
    await changed(names.pauseLater, { kind: 'PAUSE' }),
    await changed(names.pause, { kind: 'PAUSE', at: 'NOW' }),
    await changed(names.pauseWithCredit, { kind: 'PAUSE', at: 'NOW', proration: 'PRORATE' }),
    post(names.resume, paused, { kind: 'RESUME' }),
    { name: names.takeBack, method: 'DELETE', path: `${waiting}/${String(waitingId)}` },
    post(names.migrateDry, '/price-migrations', {
      fromPriceId: fromDry,
      toPriceId: to,
      dryRun: true,
    }),
    post(names.migrate, '/price-migrations', { fromPriceId: from, toPriceId: to }),
  ];
}

/** Two seats of a new customer, paid. */
async function paidSubscription(owner: ApiClient, productId: string): Promise<string> {
  const customer = await owner.expect(201, owner.post('/customers', { email: 'a@example.com' }));
  const { id } = await owner.expect(
    201,
    owner.post('/subscriptions', {
      customerId: customer.id,
      productId,
      quantity: 2,
      authorizedTransactionId: `txn_4242424242424242_${newId()}`,
    }),
  );
  const path = `/subscriptions/${String(id)}`;
  await eventually(async () => {
    const { latestInvoiceId, entitled } = await owner.expect(200, owner.get(path));
    // The result of the payment is stored, too.
    expect(entitled).toBe(true);
    const invoice = await owner.expect(200, owner.get(`/invoices/${String(latestInvoiceId)}`));
    expect(invoice.status).toBe('PAID');
  });
  return String(id);
}
