import { eventually } from '@billing/chassis/testing';
import type { CallContext } from '@billing/chassis/call-context';
import { BillingReason } from '@billing/proto/billing/checkout/v1/checkout';
import { WorkClass } from '@billing/proto/billing/clock/v1/due_work';
import type { UsageWindow } from '@billing/proto/billing/metering/v1/metering';
import { day } from '../testing/fixtures';
import { serviceForTests } from '../testing/service-for-tests';
import { aMeteredProduct, aMeterPrice, later, recurring, usageScene } from '../testing/usage-scene';

const under = serviceForTests((peers) => {
  const messages = { id: 'messages', meterId: 'messages', unitAmount: '100', includedUnits: '0' };
  const prices = [aMeterPrice(), aMeterPrice(messages)];
  peers.products.set('metered', aMeteredProduct('metered', prices));
});

const { reach, settled, pass, invoiced, subscribe } = usageScene(under);

describe('usage that costs more than the largest invoice amount', () => {
  const january = ({ periodIndex }: UsageWindow) => periodIndex === 0;

  /** Ten messages a period, and in the first one a thousand million calls by mistake. */
  async function parked() {
    const { metering } = under.peers;
    metering.usageOf = (window, meterId) => {
      if (meterId === 'messages') return '10';
      return january(window) ? '1000000000000' : '0';
    };
    const { id, context } = await subscribe();
    await pass(context, day('02-28'));
    return { id, context };
  }

  /** Corrects the mistake. */
  const correct = () => {
    under.peers.metering.usageOf = (_window, meterId) => (meterId === 'messages' ? '10' : '0');
  };

  const cancel = async (id: string, at: CallContext, atPeriodEnd = false) => {
    await under.subscription.cancelSubscription({ id, atPeriodEnd }, at);
    await settled(at, at.now);
  };

  const keys = () => under.peers.metering.settlements.map(({ key }) => key);
  const messages = (start: Date) => ['messages', '10', 1000n, start];

  test('is billed with all waiting bills once it was corrected and the subscription is changed', async () => {
    const { id, context } = await parked();
    await invoiced(id, 1);
    correct();
    const change = { id, metadata: { looked: true }, updateMask: ['metadata'] };
    await under.subscription.updateSubscription(change, later(context, day('02-28')));
    const [, first] = await invoiced(id, 2);
    expect(first).toEqual({
      reason: BillingReason.BILLING_REASON_SUBSCRIPTION_CYCLE,
      period: [day('02-28'), day('03-31')],
      lines: [recurring(day('02-28')), messages(day('01-31'))],
    });
    expect(under.peers.metering.settlements).toMatchObject([
      { key: 'period:0', unbilledKeys: [] },
      { key: 'period:0/2', unbilledKeys: ['period:0'] },
    ]);
    await pass(context, day('03-31'));
    const [, , next] = await invoiced(id, 3);
    expect(next?.lines).toEqual([recurring(day('03-31')), messages(day('02-28'))]);
    expect(under.peers.metering.settlements.at(-1)).toMatchObject({
      key: 'period:1',
      unbilledKeys: ['period:0'],
    });
  });

  test('is retried every day while an event is accepted, delays later bills, and is caught up', async () => {
    const { id, context } = await parked();
    await pass(context, day('04-04'));
    expect((await under.get(id, context)).currentPeriodStart).toEqual(day('03-31'));
    await invoiced(id, 1);
    correct();
    await pass(context, day('04-05'));
    const caughtUp = await invoiced(id, 3);
    expect(caughtUp.map(({ lines }) => lines).slice(1)).toEqual([
      [recurring(day('02-28')), messages(day('01-31'))],
      [recurring(day('03-31')), messages(day('02-28'))],
    ]);
    // On 28 February, and then every day to 5 April.
    expect(keys().slice(0, -1)).toEqual([
      'period:0',
      ...Array.from({ length: 36 }, (_, index) => `period:0/${String(index + 2)}`),
    ]);
    expect(keys().at(-1)).toBe('period:1');
    await pass(context, day('04-29'));
    expect(keys()).toHaveLength(38);
  });

  test('is billed with the end of a subscription that is canceled in between', async () => {
    const { id, context } = await parked();
    correct();
    await cancel(id, later(context, day('03-10')));
    const [, final] = await invoiced(id, 2);
    expect(final).toEqual({
      reason: BillingReason.BILLING_REASON_SUBSCRIPTION_CANCEL,
      period: [day('02-28'), day('03-10')],
      lines: [messages(day('02-28')), messages(day('01-31'))],
    });
  });

  test('is billed after the end, with the completed periods, if it is corrected only then', async () => {
    const { id, context } = await parked();
    await pass(context, day('04-01'));
    await cancel(id, later(context, day('04-01')));
    await invoiced(id, 1);
    await pass(context, day('04-03'));
    correct();
    await pass(context, day('12-31'));
    const [, february, final] = await invoiced(id, 3);
    expect(february?.lines).toEqual([recurring(day('02-28')), messages(day('01-31'))]);
    expect(final).toMatchObject({
      reason: BillingReason.BILLING_REASON_SUBSCRIPTION_CANCEL,
      period: [day('03-31'), day('04-01')],
      lines: [messages(day('03-31')), messages(day('02-28'))],
    });
    const voided = under.peers.voids.map(({ request }) => request.invoiceId);
    const made = under.peers.invoices.map(({ request }) => request.invoiceId);
    expect(made.filter((invoiceId) => voided.includes(invoiceId))).toEqual([]);
  });

  test('of the last period is retried after the end while an event is accepted', async () => {
    const { metering } = under.peers;
    metering.usageOf = (_window, meterId) => (meterId === 'messages' ? '10' : '1000000000000');
    const { id, context } = await subscribe();
    await cancel(id, later(context, day('02-01')), true);
    await pass(context, day('12-31'));
    await invoiced(id, 1);
    expect(keys()).toHaveLength(37);
    correct();
    const change = { id, metadata: { looked: true }, updateMask: ['metadata'] };
    await under.subscription.updateSubscription(change, later(context, day('12-31')));
    const [, final] = await invoiced(id, 2);
    expect(final?.lines).toEqual([messages(day('01-31'))]);
    // The invoice exists before the subscription has recorded it.
    await eventually(async () => {
      await pass(context, day('12-31'));
      expect(keys().at(-1)).toBe('late');
    });
    await invoiced(id, 2);
  });

  test('is billed from its settlement, regardless of retries before the bill is recorded', async () => {
    const { peers } = under;
    const { id, context } = await parked();
    correct();
    peers.isInvoicingDown = true;
    await reach(later(context, day('03-01')), WorkClass.WORK_CLASS_END);
    await eventually(async () => {
      expect(keys().length).toBeGreaterThan(2);
    });
    peers.metering.usageOf = () => '77';
    peers.isInvoicingDown = false;
    const [, first] = await invoiced(id, 2);
    expect(first?.lines).toEqual([recurring(day('02-28')), messages(day('01-31'))]);
    expect(new Set(keys())).toEqual(new Set(['period:0', 'period:0/2']));
  });
});
