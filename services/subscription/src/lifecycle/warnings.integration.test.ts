import type { CallContext } from '@billing/chassis/call-context';
import { eventually, testContext } from '@billing/chassis/testing';
import { BillingInterval } from '@billing/proto/billing/catalog/v1/catalog';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import { day } from '../testing/fixtures';
import { serviceForTests } from '../testing/service-for-tests';
import { aProduct } from '../testing/service-under-test';
import { later } from '../testing/usage-scene';

const { WORK_CLASS_COLLECTION, WORK_CLASS_RENEWAL } = WorkClass;
const dayMs = 86_400_000;
const under = serviceForTests(({ products }) => {
  products.set('trial', aProduct({ id: 'trial' }, { trialDays: 14 }));
  const billingInterval = BillingInterval.BILLING_INTERVAL_YEARLY;
  products.set('yearly', aProduct({ id: 'yearly' }, { billingInterval }));
});

async function run(context: CallContext, workClass: WorkClass): Promise<number> {
  const { environmentId } = context.tenant;
  const request = { environmentId, until: context.now, workClass };
  return (await under.dueWork.runDue(request, context)).processed;
}

/** Waits for a number of events; returns their days and short names. */
function announced(id: string, count: number): Promise<string[]> {
  return eventually(async () => {
    const logged = await under.eventsOf(id);
    expect(logged).toHaveLength(count);
    return logged.map(
      ({ time, type }) => `${time.slice(5, 10)} ${type.replace('billing.subscription.', '')}`,
    );
  });
}

describe('a warning of a charge', () => {
  test('is announced once when 20 scanners find it concurrently, with the coming charge', async () => {
    const context = testContext({ now: day('01-17') });
    const { id } = await under.create({ productId: 'trial' }, context);
    const due = later(context, day('01-28'));
    await Promise.all(Array.from({ length: 20 }, () => run(due, WORK_CLASS_COLLECTION)));
    expect(await run(due, WORK_CLASS_COLLECTION)).toBe(0);

    expect(await announced(id, 2)).toEqual(['01-17 created', '01-28 trial_ending']);
    const [, warning] = await under.eventsOf(id);
    expect(warning?.data).toMatchObject({
      subscription: { id, phase: 'SUBSCRIPTION_PHASE_TRIAL' },
      upcoming: { at: '2026-01-31T00:00:00.000Z', amount: '2900', currency: 'USD' },
    });
  });

  test('that is late goes before the call that finds it, and is not repeated', async () => {
    const context = testContext({ now: day('01-17') });
    const { id } = await under.create({ productId: 'trial' }, context);
    const call = later(context, day('01-30'));
    await under.subscription.cancelSubscription({ id, atPeriodEnd: true }, call);
    expect(await run(call, WORK_CLASS_COLLECTION)).toBe(0);
    expect(await announced(id, 3)).toEqual([
      '01-17 created',
      '01-30 trial_ending',
      '01-30 updated',
    ]);
  });

  test('races a cancellation, and goes out at most once (rounds 1 to 5)', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const context = testContext({ now: day('01-17') });
      const { id } = await under.create({ productId: 'trial' }, context);
      const due = later(context, day('01-28'));
      const cancel = () => under.subscription.cancelSubscription({ id, atPeriodEnd: true }, due);
      await Promise.all([run(due, WORK_CLASS_COLLECTION), cancel(), cancel()]);
      const days = await eventually(async () => {
        const logged = await under.eventsOf(id);
        expect(logged.at(-1)?.type).toBe('billing.subscription.updated');
        return logged.map(({ type }) => type.replace('billing.subscription.', ''));
      });
      expect([
        ['created', 'updated'],
        ['created', 'trial_ending', 'updated'],
      ]).toContainEqual(days);
    }
  });

  test('of a yearly renewal counts among neither renewals nor as one that is missing', async () => {
    const context = testContext({ now: day('01-17') });
    const { id } = await under.create({ productId: 'yearly' }, context);
    const renewalAt = new Date('2027-01-17T00:00:00.000Z');
    const renewing = async (renewsBefore: Date, seenAt: CallContext) => {
      const request = { page: 1, perPage: 20, renewsBefore };
      const { subscriptions } = await under.subscription.listSubscriptions(request, seenAt);
      return subscriptions.map((one) => one.id);
    };
    const after = new Date(renewalAt.getTime() + 1);
    expect(await renewing(renewalAt, context)).toEqual([]);
    expect(await renewing(after, context)).toEqual([id]);

    const due = later(context, new Date(renewalAt.getTime() - 30 * dayMs));
    expect(await run(due, WORK_CLASS_RENEWAL)).toBe(0);
    expect(await run(due, WORK_CLASS_COLLECTION)).toBe(1);
    expect(await announced(id, 2)).toEqual(['01-17 created', '12-18 renewal_upcoming']);
    expect(await renewing(renewalAt, due)).toEqual([]);
    expect(await renewing(after, due)).toEqual([id]);
    expect(await run(later(context, renewalAt), WORK_CLASS_RENEWAL)).toBe(1);
    expect(await announced(id, 3)).toContain('01-17 renewed');
  });
});
