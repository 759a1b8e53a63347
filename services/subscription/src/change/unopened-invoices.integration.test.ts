import type { CallContext } from '@billing/chassis/call-context';
import { eventually } from '@billing/chassis/testing';
import { ChangeProration, ChangeStatus } from '@billing/proto/billing/subscription/v1/change';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import { day } from '../testing/fixtures';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';
import { asking, later, usageScene } from '../testing/usage-scene';

const under = serviceForTests((peers) => {
  peers.products.set('pro', aProduct({ id: 'pro' }, { amount: 5000n }));
});

const { subscribe } = usageScene(under);
const { CHANGE_PRORATION_PRORATE: proration } = ChangeProration;
const { CHANGE_STATUS_APPLIED: applied } = ChangeStatus;
const changedAt = day('02-14');

const change = (id: string, productId: string, context: CallContext) =>
  under.change.createChange(
    { ...asking(id, productId, { proration }), metadata: undefined },
    context,
  );

const cancel = (id: string, context: CallContext) =>
  under.subscription.cancelSubscription({ id, atPeriodEnd: false, proration }, context);

/** A subscription that is paid for, and then changed: the change is not paid first. */
async function upgraded() {
  const { id, context } = await subscribe('product');
  const [first] = under.peers.invoices;
  under.peers.paid.add(first?.request.invoiceId ?? '');
  const made = await change(id, 'pro', later(context, changedAt));
  expect(made.change?.status).toBe(applied);
  return { id, context };
}

/** Opens the invoice of the change while it is waited for. */
function openLater() {
  let reads = 0;
  under.peers.onInvoiceRead = () => {
    reads += 1;
    if (reads > 5) under.peers.changeInvoices = 'OPEN';
    return Promise.resolve();
  };
}

describe.each(['DRAFT', 'MISSING'] as const)('the invoice of a change while it is %s', (seen) => {
  beforeEach(() => {
    under.peers.changeInvoices = seen;
  });

  test('is waited for by an end, which gives back what was paid alone', async () => {
    const { id, context } = await upgraded();
    openLater();
    const { subscription } = await cancel(id, later(context, changedAt));
    expect(subscription?.status).toBe(SubscriptionStatus.SUBSCRIPTION_STATUS_CANCELED);
    const reserved = under.peers.credits.made.flatMap(({ credits }) => credits);
    expect(reserved).toMatchObject([{ amount: 1450n }]);
  });

  test('is waited for by the next change, which owes less of it', async () => {
    const { id, context } = await upgraded();
    openLater();
    const next = await change(id, 'product', later(context, changedAt));
    expect(next.change?.status).toBe(applied);
    const [, ofChange] = await eventually(() => {
      expect(under.peers.invoices).toHaveLength(2);
      return under.peers.invoices;
    });
    const reserved = under.peers.credits.made.flatMap(({ credits }) => credits);
    expect(reserved).toMatchObject([{ invoiceId: ofChange?.request.invoiceId, amount: 1050n }]);
  });

  test('refuses the next change and an end if it takes too long', async () => {
    const { id, context } = await upgraded();
    // The refusal comes two seconds before the deadline.
    const soon = () => ({
      ...later(context, changedAt),
      deadline: new Date(Date.now() + 3_000),
    });
    for (const call of [() => change(id, 'product', soon()), () => cancel(id, soon())]) {
      await eventually(async () => {
        await expect(call()).rejects.toMatchObject({ kind: 'unavailable' });
      });
    }
    expect(await under.get(id, context)).toMatchObject({
      ...{ status: SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE, items: [{ productId: 'pro' }] },
    });
    expect(under.peers.credits.made).toEqual([]);
  });
});
