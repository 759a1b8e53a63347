import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { recordBill } from '../billing/bill';
import { applyCollectionResult } from '../lifecycle/collection';
import { takeDueStep } from '../lifecycle/due-steps';
import { recordOverLimitBill } from '../over-limit/over-limit-bill';
import { billingLimits, type ParkReason } from '../parking/parking';
import { subscriptionDefinition } from '../subscription-document';
import { Subscriptions } from './subscription-store';
import type { OpenInvoice, Subscription } from '../subscription/subscription';
import {
  aCreation,
  aDiscount,
  aNewSubscription,
  anInput,
  aPrice,
  aSubscription,
  day,
} from '../testing/fixtures';

const configuration = testServiceConfiguration('subscriptionstore');
const parked: [string, ParkReason, boolean][] = [];
let running: RunningService;
let subscriptions: Subscriptions;

beforeAll(async () => {
  const service = await Service.open('subscription', configuration);
  const records = service.aggregates(subscriptionDefinition);
  subscriptions = new Subscriptions(records, (id, reason, { live }) =>
    parked.push([id, reason, live]),
  );
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const stored = (state: Subscription, context: CallContext) =>
  subscriptions.insert({ state, events: [], commands: [] }, context);

test.each<[string, Subscription]>([
  ['with a discount that lasts months', aSubscription({}, { discount: months() })],
  [
    'with a discount that has not begun',
    aSubscription({ startAt: day('03-31') }, { discount: aDiscount() }),
  ],
  [
    'of the trial of a session',
    { ...aSubscription(), latestInvoice: { id: 'i', periodIndex: null } },
  ],
  ['that was parked', { ...aSubscription(), unparkedAt: day('02-27') }],
  ['that was warned of', { ...aSubscription(), warnedOf: day('02-28') }],
  ['with bills over the limit', overLimitAtEnd()],
  ['with tiers and metadata', aSubscription({ metadata: { 'a.b': 1 } }, { price: tiered() })],
])('a subscription %s is read as it was stored', async (_name, subscription) => {
  const context = testContext({ now: day('01-31') });
  const state = { ...subscription, id: newId() };
  await stored(state, context);
  expect((await subscriptions.get(state.id, context)).state).toEqual(state);
});

function overLimitAtEnd(): Subscription {
  return recordOverLimitBill(aSubscription(), {
    bill: 1,
    settled: [{ key: 'end', through: 0, tries: 3 }],
    closing: { voidedInvoiceId: 'invoice-0' },
    now: day('02-28'),
  });
}

function months() {
  return aDiscount({ duration: 'REPEATING', durationInMonths: 12 });
}

function tiered() {
  return aPrice({
    type: 'TIERED',
    tiers: [{ upTo: null, unitAmount: '0.25', flatAmount: '0' }],
    trialDays: 14,
  });
}

describe('a subscription that reaches a limit', () => {
  test('raises an alarm once, is not renewed, and continues after a payment', async () => {
    const context = testContext({ now: day('02-28'), tenant: { live: true } });
    const id = newId();
    const openInvoices = Array.from({ length: billingLimits.openInvoicesMax - 1 }, (_, index) =>
      anOpenInvoice(`unpaid-${String(index)}`),
    );
    await stored({ ...aSubscription(), id, openInvoices }, context);
    const renewed = await subscriptions.change(id, context, takeDueStep);
    expect(renewed.state.periodIndex).toBe(1);
    expect(parked).toEqual([[id, 'OPEN_INVOICES', true]]);

    const later = { ...testContext({ now: day('03-31') }), tenant: context.tenant };
    expect((await subscriptions.change(id, later, takeDueStep)).state).toEqual(renewed.state);
    expect(parked).toHaveLength(1);

    const payment = { invoice: undefined, attempt: 1, nextAttemptAt: null };
    const result = {
      invoiceId: 'unpaid-0',
      resultNumber: 1,
      outcome: 'SUCCEEDED',
      collectionMethod: 'CHARGE_AUTOMATICALLY',
      payment,
    } as const;
    await subscriptions.change(id, later, (current, decision) =>
      applyCollectionResult(current, result, decision),
    );
    const next = await subscriptions.change(id, later, takeDueStep);
    expect(next.state.periodIndex).toBe(2);
    // At its limit again, with a second alarm.
    expect(parked).toHaveLength(2);
  });
});

test('a subscription with a bill over the limit raises one alarm, regardless of the number of retries', async () => {
  parked.splice(0);
  const context = testContext({ now: day('02-28') });
  const id = newId();
  await stored({ ...aSubscription(), id }, context);
  const fail = (bill: number, tries: number) =>
    subscriptions.record(id, context, (current) =>
      recordOverLimitBill(current, {
        bill,
        settled: [{ key: `period:${String(bill - 1)}`, through: bill - 1, tries }],
        closing: null,
        now: context.now,
      }),
    );
  for (const tries of [1, 1, 2, 3]) await fail(1, tries);
  expect(parked).toEqual([[id, 'USAGE_TOO_LARGE', false]]);
  await subscriptions.record(id, context, (current) => recordBill(current, 1, { refunds: [] }));
  expect((await subscriptions.get(id, context)).state.usage.overLimit).toBeNull();
  // Another bill is another fault.
  await fail(2, 1);
  expect(parked).toHaveLength(2);
});

function anOpenInvoice(invoiceId: string): OpenInvoice {
  return { invoiceId, periodIndex: 0, lastResult: 0, isPastDue: false, isSettling: false };
}

describe('a subscription abandoned before its creation', () => {
  test('is refused when it arrives later, permanently', async () => {
    const context = testContext({ now: day('01-31') });
    const id = newId();
    expect(await subscriptions.preventCreation(id, context)).toEqual({ isTombstone: true, id });
    const late = () =>
      subscriptions.insert(aNewSubscription(anInput(), aCreation({ id })), context);
    await expect(late()).rejects.toMatchObject({ reason: 'SUBSCRIPTION_ABANDONED' });
    await expect(late()).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(subscriptions.change(id, context, takeDueStep)).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  test('races its own creation, and one of the two wins permanently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const context = testContext({ now: day('01-31') });
      const id = newId();
      const creation = aNewSubscription(anInput({ startAt: day('03-31') }), aCreation({ id }));
      const [made, record] = await Promise.all([
        subscriptions.insert(creation, context).then(
          () => true,
          () => false,
        ),
        subscriptions.preventCreation(id, context),
      ]);
      expect(record.isTombstone).toBe(!made);
    }
  });
});
