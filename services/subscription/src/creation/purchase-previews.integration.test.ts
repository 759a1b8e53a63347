import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { day } from '../testing/fixtures';
import { aProtoCustomer, aProtoDiscount } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';

const dearer = aProduct({ id: 'dearer' }, { id: 'dear' });
const under = serviceForTests((peers) => {
  peers.discounts.set('discount', aProtoDiscount());
  peers.discounts.set('gone', aProtoDiscount({ id: 'gone' }));
  peers.products.set('dearer', dearer);
  peers.products.set('trial', aProduct({ id: 'trial' }, { trialDays: 14 }));
});

/** Calls of one environment; those with the same seed are one request. */
function calls(now = day('01-31')) {
  const { tenant } = testContext({ now });
  return (seed = newId(), at = now): CallContext => ({
    ...testContext({ now: at }),
    ...{ tenant, retrySeed: { seed, isRetry: true } },
  });
}

const wanted = { customerId: 'customer', productId: 'product', startAt: undefined };

async function tokenOf(context: CallContext, parts: object = {}): Promise<string> {
  const { token } = await under.change.previewPurchase({ ...wanted, ...parts }, context);
  if (token === undefined) throw new Error('Nothing is promised');
  return token;
}

test('two calls of one request, and a later one, reserve once and create one subscription', async () => {
  const call = calls();
  const previewToken = await tokenOf(call());
  const context = call();
  const created = await Promise.all([
    under.create({ previewToken }, context),
    under.create({ previewToken }, context),
  ]);
  const later = { ...call(), now: day('03-01'), retrySeed: context.retrySeed };
  created.push(await under.create({ previewToken }, later));
  const [id, ...others] = new Set(created.map((one) => one.id));
  expect(others).toEqual([]);
  const { made } = under.peers.credits;
  expect(new Set(made.map((one) => one.changeId))).toEqual(new Set([id]));
  expect(made[0]).toMatchObject({ round: 1, balance: 0n, credits: [], customerId: 'customer' });
  expect(under.peers.invoices.map(({ request }) => request)).toMatchObject([
    { invoiceId: made[0]?.changeInvoiceId, balanceRound: 1 },
  ]);
  expect(under.peers.freed).toEqual([]);
});

test('a creation that has reserved and died is refused to the sweeper; its retry uses another id', async () => {
  const call = calls();
  const previewToken = await tokenOf(call(), { discountId: 'discount' });
  const context = call();
  under.peers.credits.isAnswerLost = true;
  const asked = { previewToken, discountId: 'discount' };
  await expect(under.create(asked, context)).rejects.toMatchObject({ kind: 'unavailable' });
  const [first] = under.peers.credits.made;
  const changeId = first?.changeId ?? '';
  const round = { subscriptionId: changeId, changeId, round: 1 };
  expect(await under.subscription.checkChange(round, call())).toMatchObject({ exists: false });
  expect(under.peers.releases).toMatchObject([{ request: { holderId: changeId } }]);
  under.peers.credits.isAnswerLost = false;
  const { id } = await under.create(asked, context);
  expect(id).not.toBe(changeId);
  const kept = { subscriptionId: id, changeId: id, round: 1 };
  expect(await under.subscription.checkChange(kept, call())).toMatchObject({ exists: true });
});

/** Id of the subscription that a request creates, unless something was reserved under it. */
const idOf = ({ retrySeed }: CallContext): string =>
  newResourceId({ resourceSeed: retrySeed?.seed }, 'subscription');

describe('a creation that was refused before it has reserved anything', () => {
  test('leaves its id to a retry of the request', async () => {
    const call = calls();
    const previewToken = await tokenOf(call(), { productId: 'dearer' });
    under.peers.products.delete('dearer');
    const context = call();
    const create = () => under.create({ productId: 'dearer', previewToken }, context);
    await expect(create()).rejects.toMatchObject({ reason: 'PREVIEW_STALE' });
    under.peers.products.set('dearer', dearer);
    expect((await create()).id).toBe(idOf(context));
  });

  test('leaves the discount alone, and its id to the next try', async () => {
    const call = calls();
    const previewToken = await tokenOf(call(), { discountId: 'gone' });
    under.peers.discounts.delete('gone');
    const context = call();
    const asked = { discountId: 'gone', previewToken };
    await expect(under.create(asked, context)).rejects.toMatchObject({ reason: 'PREVIEW_STALE' });
    expect([...under.peers.releases, ...under.peers.freed]).toEqual([]);
    under.peers.discounts.set('gone', aProtoDiscount({ id: 'gone' }));
    expect((await under.create(asked, context)).id).toBe(idOf(context));
  });

  test('does not stop a concurrent call of the request', async () => {
    const call = calls();
    const previewToken = await tokenOf(call());
    const context = call();
    const late = { ...context, now: day('03-01') };
    const [created] = await Promise.allSettled([
      under.create({ previewToken }, context),
      under.create({ previewToken }, late),
    ]);
    expect(created).toMatchObject({ value: { id: idOf(context) } });
  });
});

describe('the refusal of a creation', () => {
  const { COLLECTION_METHOD_SEND_INVOICE: SEND_INVOICE } = CollectionMethod;
  const asked = { productId: 'dearer', discountId: 'gone' };
  const refusal = (names: string) => ({
    ...{ reason: 'PREVIEW_STALE', message: `Preview is stale: ${names}` },
  });

  test('names all that has moved', async () => {
    const { products, discounts, customers } = under.peers;
    const call = calls();
    const previewToken = await tokenOf(call(), asked);
    const create = (at?: Date) => under.create({ ...asked, previewToken }, call(newId(), at));
    discounts.delete('gone');
    await expect(create()).rejects.toMatchObject(refusal('discount'));
    customers.set('customer', aProtoCustomer({ collectionMethod: SEND_INVOICE }));
    await expect(create()).rejects.toMatchObject(refusal('discount, customer'));
    products.set('dearer', { ...dearer, name: 'Renamed' });
    await expect(create()).rejects.toMatchObject(refusal('price, discount, customer'));
    // What the discount is for is not sold any more.
    products.delete('dearer');
    await expect(create()).rejects.toMatchObject(refusal('price, customer'));
    const late = new Date(day('01-31').getTime() + 16 * 60_000);
    await expect(create(late)).rejects.toMatchObject(refusal('time, price, customer'));
    customers.delete('customer');
    await expect(create()).rejects.toMatchObject(refusal('price, customer'));
    products.set('dearer', dearer);
    discounts.set('gone', aProtoDiscount({ id: 'gone' }));
    await expect(create()).rejects.toMatchObject(refusal('customer'));
    expect(under.peers.credits.made).toEqual([]);
  });
});

test('what is charged automatically is due now', async () => {
  const call = calls();
  const asked = { ...wanted, quantity: 2, customerId: undefined };
  for (const customerId of ['customer', undefined]) {
    const shown = await under.change.previewPurchase({ ...asked, customerId }, call());
    expect(shown).toMatchObject({ at: day('01-31'), dueNow: 2900n, monthlyAmountAfter: 2900n });
    expect(shown.invoice?.lineItems).toMatchObject([{ id: '', itemId: undefined }]);
    expect(shown.token === undefined).toBe(customerId === undefined);
  }
  expect(under.peers.invoices).toEqual([]);
});

test('a reservation without a creation prevents it', async () => {
  const call = calls();
  const id = newId();
  const round = { subscriptionId: id, changeId: id, round: 1 };
  expect(await under.subscription.checkChange(round, call())).toMatchObject({ exists: false });
  await expect(under.get(id, call())).rejects.toMatchObject({ kind: 'not_found' });
  expect(await under.subscription.checkChange(round, call())).toMatchObject({ exists: false });
});

test('a subscription without a token owns no reservation', async () => {
  const call = calls();
  const { id } = await under.create({}, call());
  const round = { subscriptionId: id, changeId: id, round: 1 };
  expect(await under.subscription.checkChange(round, call())).toMatchObject({ exists: false });
});

test('an end before the first invoice returns what is reserved of the balance', async () => {
  const call = calls();
  const previewToken = await tokenOf(call());
  under.peers.isInvoicingDown = true;
  const creating = under.create({ previewToken }, call());
  const id = await eventually(async () => {
    const [reserved] = under.peers.credits.made;
    return (await under.get(reserved?.changeId ?? '', call())).id;
  });
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, call());
  under.peers.isInvoicingDown = false;
  await eventually(() => {
    expect(under.peers.freed.map(({ request }) => request)).toMatchObject([
      { changeId: id, round: 1, keepBalance: false },
    ]);
  });
  expect(await creating).toMatchObject({ id });
});

test('a trial and a later start promise what is bought, and reserve nothing of the balance', async () => {
  const call = calls();
  for (const parts of [{ productId: 'trial' }, { startAt: day('02-10') }]) {
    const shown = await under.change.previewPurchase({ ...wanted, ...parts }, call());
    expect(shown).toMatchObject({ invoice: undefined, dueNow: 0n, monthlyAmountAfter: 0n });
    expect(shown.nextInvoice?.total).toBe(2900n);
    await under.create({ ...parts, previewToken: shown.token }, call());
  }
  expect(under.peers.credits.made).toEqual([]);
  const previewToken = await tokenOf(call(), { productId: 'trial' });
  under.peers.products.set('trial', aProduct({ id: 'trial' }, { id: 'dearer', trialDays: 14 }));
  const bought = under.create({ productId: 'trial', previewToken }, call());
  await expect(bought).rejects.toMatchObject({
    ...{ reason: 'PREVIEW_STALE', message: 'Preview is stale: price' },
  });
});

test('an authorized payment is of the total, so it takes nothing of the balance', async () => {
  const call = calls();
  const previewToken = await tokenOf(call());
  await under.create({ previewToken, authorizedTransactionId: `txn_${newId()}` }, call());
  expect(under.peers.credits.made).toEqual([]);
  expect(under.peers.invoices.map(({ request }) => request.balanceRound)).toEqual([undefined]);
});
