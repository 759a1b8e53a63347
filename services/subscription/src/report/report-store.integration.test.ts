import { inspect } from 'node:util';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { recordBill } from '../billing/bill';
import { cancel } from '../lifecycle/cancellation';
import { takeDueStep } from '../lifecycle/due-steps';
import { recordOverLimitBill } from '../over-limit/over-limit-bill';
import { billingLimits } from '../parking/parking';
import { subscriptionDefinition } from '../subscription-document';
import { Subscriptions } from '../storage/subscription-store';
import type { OpenInvoice, Subscription } from '../subscription/subscription';
import type { SubscriptionRecord } from '../subscription/tombstone';
import {
  aCreation,
  aNewSubscription,
  anInput,
  aPrice,
  aSubscription,
  at,
  day,
} from '../testing/fixtures';
import { ReportStore } from './report-store';
import type { RevenueSums } from './revenue-report';

const configuration = testServiceConfiguration('subscriptionreports');
const hourMs = 3_600_000;
// Real time in the test: writes of an hour ago are added to the permanent sums.
const clock: Clock & { at: Date } = {
  at: new Date('2026-03-01T00:00:00Z'),
  now() {
    return this.at;
  },
};

let running: RunningService;
let records: AggregateCollection<SubscriptionRecord>;
let subscriptions: Subscriptions;
let reports: ReportStore;

beforeAll(async () => {
  const service = await Service.open('subscription', configuration, { clock });
  records = service.aggregates(subscriptionDefinition);
  subscriptions = new Subscriptions(records, () => undefined);
  reports = new ReportStore(service, records);
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const stored = (state: Subscription, context: CallContext) =>
  subscriptions.insert({ state: { ...state, id: newId() }, events: [], commands: [] }, context);

// Sums have no order of their own.
const inOrder = <T extends { readonly months: readonly RevenueSums[] }>({ months, ...rest }: T) => {
  const key = ({ month, currency }: RevenueSums) => `${month} ${currency}`;
  return { ...rest, months: [...months].sort((a, b) => (key(a) < key(b) ? -1 : 1)) };
};

/** Reads before and after the sums become permanent; both readings must be the same. */
async function revenueOf(context: CallContext) {
  const fresh = await reports.revenue(context);
  clock.at = new Date(clock.at.getTime() + hourMs);
  await reports.updateSnapshots(new AbortController().signal);
  expect(inOrder(await reports.revenue(context))).toEqual(inOrder(fresh));
  return fresh;
}

test('revenue follows the stored subscriptions, including late changes of a month long past', async () => {
  const context = testContext({ now: day('01-31') });
  const tiers = [{ upTo: null, unitAmount: '100.5', flatAmount: '1' }];
  const price = aPrice({ type: 'TIERED', currency: 'EUR', tiers });
  const trial = aPrice({ trialDays: 14, billingInterval: 'YEARLY', amount: 12_000n });
  const { state: kept } = await stored(aSubscription({ quantity: 3 }, { price }), context);
  const { state: tried } = await stored(aSubscription({}, { price: trial }), context);
  const january = {
    month: '2026-01',
    currency: 'EUR',
    started: 1n,
    startedAmount: 303n,
    ended: 0n,
    endedAmount: 0n,
    ...{ expansion: 0n, contraction: 0n, reactivation: 0n },
  };
  expect(await revenueOf(context)).toEqual({ trialing: 1n, months: [january] });

  const later = { ...context, now: day('02-20') };
  await subscriptions.change(tried.id, later, takeDueStep);
  await subscriptions.change(kept.id, later, (current, decision) =>
    cancel(current, { ...decision, atPeriodEnd: false }),
  );
  // Since the first of January, but stored only now.
  const creation = aCreation({ price, ...at(later.now) });
  await stored(aNewSubscription(anInput({ startAt: day('01-01') }), creation).state, later);
  const { trialing, months } = await revenueOf(later);
  expect(trialing).toBe(0n);
  const none = {
    ...{ started: 0n, startedAmount: 0n, ended: 0n, endedAmount: 0n },
    ...{ expansion: 0n, contraction: 0n, reactivation: 0n },
  };
  expect(new Set(months)).toEqual(
    new Set([
      { ...january, started: 2n, startedAmount: 303n + 102n },
      { ...none, month: '2026-02', currency: 'EUR', ended: 1n, endedAmount: 303n },
      { ...none, month: '2026-02', currency: 'USD', started: 1n, startedAmount: 1000n },
    ]),
  );
});

test('a subscription stored before its steps were recorded is not counted by half', async () => {
  const context = testContext({ now: day('02-28') });
  const { state: old } = await stored({ ...aSubscription(), status: 'PAST_DUE' }, context);
  await records.documents.updateOne({ _id: old.id }, {
    $unset: { milestones: '', milestonesAt: '' },
    $inc: { version: 1 },
  } as object);
  expect(await reports.countPastDue(context)).toBe(0);
  expect((await reports.revenue(context)).months).toEqual([]);
  await subscriptions.change(old.id, context, (current, decision) =>
    cancel(current, { ...decision, atPeriodEnd: false }),
  );
  const { months } = inOrder(await reports.revenue(context));
  expect(months.map(({ started, ended }) => [started, ended])).toEqual([
    [1n, 0n],
    [0n, 1n],
  ]);
});

test('past-due subscriptions and coming renewals are counted in one environment alone', async () => {
  const context = testContext({ now: day('02-28') });
  const other = testContext({ now: day('02-28') });
  for (const within of [context, other, context]) {
    await stored({ ...aSubscription(), status: 'PAST_DUE' }, within);
  }
  await stored(aSubscription({ startAt: day('03-01') }), context);
  expect(await reports.countPastDue(context)).toBe(2);
  expect(await reports.countRenewals(context, day('02-28'))).toBe(0);
  expect(await reports.countRenewals(context, day('03-01'))).toBe(2);
});

test('parked subscriptions are listed in their environment until the cause is gone', async () => {
  const [context, other] = [testContext({ now: day('02-28') }), testContext()];
  const within = { ...context, now: day('02-28') };
  const { state: healthy } = await stored(aSubscription(), context);
  const { state: parked } = await stored(aSubscription(), context);
  const attempt = {
    bill: 1,
    settled: [{ key: 'period:0', through: 0, tries: 1 }],
    closing: null,
    now: context.now,
  };
  await subscriptions.record(parked.id, within, (one) => recordOverLimitBill(one, attempt));
  const found = async (at: CallContext) => {
    const { parked: listed, isMore } = await reports.parked(at);
    return [listed.map(({ subscription, reason }) => [subscription.id, reason]), isMore];
  };
  expect(healthy.id).not.toBe(parked.id);
  expect(await found(context)).toEqual([[[parked.id, 'USAGE_TOO_LARGE']], false]);
  expect(await found(other)).toEqual([[], false]);
  await subscriptions.record(parked.id, within, (one) => recordBill(one, 1, { refunds: [] }));
  expect(await found(context)).toEqual([[], false]);
});

test('the newest twenty parked subscriptions of all reasons are listed, by an index', async () => {
  const context = testContext({ now: day('02-28') });
  const bill = { bill: 1, settled: [{ key: 'period:0', through: 0, tries: 1 }], closing: null };
  const overLimit = recordOverLimitBill(aSubscription(), { ...bill, now: context.now });
  const unpaid = (index: number): OpenInvoice => ({
    ...{ invoiceId: newId(), periodIndex: index, lastResult: 0 },
    ...{ isPastDue: false, isSettling: false },
  });
  const openInvoices = Array.from({ length: billingLimits.openInvoicesMax }, (_, at) => unpaid(at));
  const unpaidFor = { ...aSubscription(), openInvoices };
  for (let second = 0; second < 21; second += 1) {
    const now = new Date(context.now.getTime() + second * 1_000);
    await stored(second % 7 === 0 ? unpaidFor : overLimit, { ...context, now });
  }
  const filters: Readonly<Record<string, unknown>>[] = [];
  const open = records.within.bind(records);
  const within = jest.spyOn(records, 'within').mockImplementation((of) => {
    const store = open(of);
    const list = store.list.bind(store);
    return Object.assign(store, {
      list: (asked: Parameters<typeof list>[0]) => {
        filters.push(asked.filter ?? {});
        return list(asked);
      },
    });
  });
  const { parked, isMore } = await reports.parked(context);
  expect(isMore).toBe(true);
  expect(parked.map(({ reason }) => reason)).toEqual(
    Array.from({ length: 20 }, (_, at) =>
      (20 - at) % 7 === 0 ? 'OPEN_INVOICES' : 'USAGE_TOO_LARGE',
    ),
  );
  within.mockRestore();
  expect(filters).toHaveLength(3);
  for (const filter of filters) {
    const { environmentId } = context.tenant;
    const createdAt = { $lte: context.now };
    const cursor = records.documents.find({ ...filter, environmentId, createdAt });
    const plan = await cursor.sort({ createdAt: -1, _id: -1 }).limit(20).explain();
    expect(inspect(plan, { depth: null })).toMatch(/index ?name'?: 'parked'/i);
  }
});
