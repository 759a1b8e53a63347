import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import {
  DiscountType,
  RedemptionHolder,
  RedemptionState,
} from '@billing/proto/billing/discount/v1/discount';
import { day } from '../testing/fixtures';
import { aProtoDiscount } from '../testing/customer-facts';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';

const discountId = 'discount';
const confirmed = RedemptionState.REDEMPTION_STATE_CONFIRMED;
const released = RedemptionState.REDEMPTION_STATE_RELEASED;

const under = serviceForTests(({ discounts, products }) => {
  discounts.set(discountId, aProtoDiscount());
  const type = DiscountType.DISCOUNT_TYPE_FIXED;
  discounts.set('fixed', aProtoDiscount({ id: 'fixed', type, value: '500', currency: 'USD' }));
  products.set('gone', aProduct({ id: 'gone', active: false }));
});

const at = (now = day('01-31'), { tenant } = testContext({ now })) => ({
  ...testContext({ now }),
  tenant,
});

async function check(subscriptionId: string, context: CallContext, id = discountId) {
  const request = { subscriptionId, discountId: id };
  const { state } = await under.subscription.checkSubscriptionRedemption(request, context);
  return state;
}

async function refusal(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { kind, message, fields } = error;
    return { kind, message, fields };
  }
  return undefined;
}

describe('a subscription created with a discount', () => {
  test('reserves a redemption before it is stored, and confirms it afterwards', async () => {
    const context = at();
    const unknown: unknown[] = [];
    under.peers.onReservation = async ({ holderId }) => {
      unknown.push(await refusal(under.get(holderId, context)));
    };
    const created = await under.create({ discountId: 'fixed' }, context);

    expect(created).toMatchObject({ discountId: 'fixed', discountEndsAt: day('02-28') });
    expect(under.peers.reservations).toMatchObject([
      {
        request: {
          discountId: 'fixed',
          holder: RedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION,
          holderId: created.id,
          productId: 'product',
          currency: 'USD',
        },
        context: { tenant: context.tenant, now: context.now },
      },
    ]);
    expect(unknown).toMatchObject([{ kind: 'not_found' }]);
    expect(under.peers.invoices).toMatchObject([
      {
        request: {
          discount: {
            discountId: 'fixed',
            name: 'Half off',
            type: DiscountType.DISCOUNT_TYPE_FIXED,
            value: '500',
          },
        },
      },
    ]);
    await eventually(() => {
      expect(under.peers.confirmations).toMatchObject([
        { request: { discountId: 'fixed', holderId: created.id } },
      ]);
    });
    expect(await under.get(created.id, context)).toEqual(created);
  });

  test('releases its redemption when it is canceled before its start', async () => {
    const context = at();
    const created = await under.create({ discountId, startAt: day('03-31') }, context);
    const canceled = { id: created.id, atPeriodEnd: true };
    await under.subscription.cancelSubscription(canceled, at(day('02-10'), context));

    await eventually(() => {
      expect(under.peers.releases.map(({ request }) => request)).toEqual([
        { discountId, holderId: created.id, evenConfirmed: true },
      ]);
    });
    expect(await check(created.id, context)).toBe(released);
    expect(under.peers.invoices).toEqual([]);
  });

  test('takes one redemption for any number of retries', async () => {
    const context = at();
    const parts = { discountId, authorizedTransactionId: 'txn_1' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => under.create(parts, context)),
    );
    await under.create(parts, context);

    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    const holders = under.peers.reservations.map(({ request }) => request.holderId);
    expect(new Set(holders)).toEqual(new Set([answers[0]?.id]));
  });

  test.each(['', 'unknown', newId()])('is refused for the discount "%s"', async (id) => {
    expect(await refusal(under.create({ discountId: id }, at()))).toMatchObject({
      kind: 'invalid_input',
      fields: { discountId: ['Discount is not valid'] },
    });
  });

  test('takes no redemption when it is refused for another reason', async () => {
    const context = at();
    await refusal(under.create({ discountId, productId: 'gone' }, context));
    await refusal(under.create({ discountId, quantity: 0 }, context));
    expect(under.peers.reservations).toEqual([]);
  });
});

test('a creation does all other work when its redemption is lost', async () => {
  const context = at();
  const { discounts, voids } = under.peers;
  discounts.set('lost', aProtoDiscount({ id: 'lost' }));
  under.peers.onReservation = async () => {
    discounts.delete('lost');
  };
  const { id, latestInvoiceId } = await under.create({ discountId: 'lost' }, context);
  await under.subscription.cancelSubscription({ id, atPeriodEnd: false }, context);

  await eventually(() => {
    expect(voids.map(({ request }) => request.invoiceId)).toContain(latestInvoiceId);
  });
});

describe('a redemption that stays reserved for long', () => {
  test('is confirmed if its subscription uses it, and released if the subscription uses another or none', async () => {
    const context = at();
    const { id } = await under.create({ discountId }, context);
    const { id: without } = await under.create({}, context);

    expect(await check(id, context)).toBe(confirmed);
    expect(await check(id, context, 'fixed')).toBe(released);
    expect(await check(without, context)).toBe(released);
  });

  test('is released if its subscription does not exist; a retry reserves another for the next id', async () => {
    const context = at();
    const held: string[] = [];
    under.peers.onReservation = async ({ holderId }) => {
      held.push(holderId);
      if (held.length > 1) return;
      expect(await check(holderId, context)).toBe(released);
      expect(await check(holderId, context)).toBe(released);
    };
    const parts = { discountId, authorizedTransactionId: 'txn_2' };
    expect(await refusal(under.create(parts, context))).toMatchObject({ kind: 'unavailable' });
    const { id } = await under.create(parts, context);
    const [first, next] = held;
    expect(id).toBe(next);
    expect(id).not.toBe(first);
    expect(await check(id, context)).toBe(confirmed);
    expect(await under.create(parts, context)).toMatchObject({ id });
    expect(held).toHaveLength(2);
  });

  test('leaves no visible trace', async () => {
    const context = at();
    const { subscription } = under;
    const { id: living } = await under.create({}, context);
    const id = newId();
    expect(await check(id, context)).toBe(released);

    const notFound = { kind: 'not_found', message: 'Subscription not found' };
    expect(await refusal(under.get(id, context))).toMatchObject(notFound);
    const cancel = subscription.cancelSubscription({ id, atPeriodEnd: false }, context);
    expect(await refusal(cancel)).toMatchObject(notFound);
    const page = { page: 1, perPage: 20 };
    const { subscriptions, total } = await subscription.listSubscriptions(page, context);
    expect([total, subscriptions.map((one) => one.id)]).toEqual([1, [living]]);
    expect(await under.eventsOf(id)).toEqual([]);

    const { environmentId } = context.tenant;
    const until = day('12-31');
    expect(await under.dueWork.getNextDue({ environmentId, until }, context)).toEqual({
      dueAt: day('02-28'),
    });
    const workClass = WorkClass.WORK_CLASS_RENEWAL;
    const due = { ...testContext({ now: until }), tenant: context.tenant };
    const { processed } = await under.dueWork.runDue({ environmentId, until, workClass }, due);
    expect(processed).toBe(1);
  });
});
