import {
  type BillingInterval,
  INTERVAL_COUNT_MAX,
  periodContaining,
  type Recurrence,
} from '@billing/kernel/billing-period';
import fc from 'fast-check';
import { periodOf } from '../subscription/billing-cycle';
import {
  firstBilledPeriod,
  mainItem,
  type PriceSnapshot,
  type Subscription,
} from '../subscription/subscription';
import { aPrice, aSubscription, at } from '../testing/fixtures';
import { lateBillAt } from '../billing/bill';
import { noUsageBilling } from '../subscription/usage-billing';
import { pinnedSets, pinRates } from './usage-period';
import { settledPeriods, type Settlement, settlementBefore } from './settlement';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
// The oldest age of an event that the ingest accepts.
const backMsMax = 35 * dayMs;
const aheadMsMax = 5 * minuteMs;

/** A settlement with the subscription at that time, and as a retry finds it. */
interface RepeatableSettlement extends Settlement {
  readonly atMs: number;
  readonly subscription: Subscription;
  repeatedWith: Subscription;
}

const intervals: Exclude<BillingInterval, 'ONE_TIME'>[] = [
  'DAILY',
  'WEEKLY',
  'MONTHLY',
  'QUARTERLY',
  'YEARLY',
];
const recurrences: fc.Arbitrary<Life['recurrence']> = fc
  .constantFrom(...intervals)
  .chain((billingInterval) =>
    fc.record({
      billingInterval: fc.constant(billingInterval),
      intervalCount: fc.oneof(
        fc.constant(1),
        fc.integer({ min: 1, max: INTERVAL_COUNT_MAX[billingInterval] }),
      ),
    }),
  );
// Ends of months and leap days are as frequent as all other times together.
const anchors = fc.oneof(
  fc.date({
    min: new Date('2023-01-01T00:00:00Z'),
    max: new Date('2029-01-01T00:00:00Z'),
    noInvalidDate: true,
  }),
  fc
    .tuple(fc.integer({ min: 2023, max: 2028 }), fc.nat({ max: 11 }), fc.nat({ max: 3 }))
    .map(([year, month, daysBefore]) => new Date(Date.UTC(year, month + 1, -daysBefore))),
);
/** Position within a span: 0 its first millisecond, 1 its last. */
const share = fc.double({ min: 0, max: 1, noNaN: true });
/** Delay of each bill: none, or after an outage of the service. */
const delayMs = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(40 * dayMs));

interface Life {
  readonly recurrence: Recurrence & Pick<PriceSnapshot, 'billingInterval'>;
  readonly anchor: Date;
  readonly trialDays: number | null;
  /** The first billed period: a start in the past is billed from the period of the creation on. */
  readonly first: number;
  readonly periodCount: number;
  /** Share of the last period after which it was canceled. */
  readonly endsAfter: number | null;
  /** The end preceded the bill of that period, as after a payment that failed permanently. */
  readonly isLastUnbilled: boolean;
  readonly delaysMs: readonly number[];
}

const lives: fc.Arbitrary<Life> = fc.record({
  recurrence: recurrences,
  anchor: anchors,
  trialDays: fc.constantFrom(null, 14),
  first: fc.oneof(fc.constant(0), fc.nat(40)),
  periodCount: fc.integer({ min: 1, max: 42 }),
  endsAfter: fc.option(share),
  isLastUnbilled: fc.boolean(),
  delaysMs: fc.array(delayMs, { maxLength: 50 }),
});

/** Lists all settlements of a life in order; each period has its own meter prices. */
function settlementsOf({ recurrence, anchor, trialDays, ...life }: Life) {
  const { first, periodCount, endsAfter, isLastUnbilled, delaysMs } = life;
  const startAt = trialDays === null ? anchor : new Date(anchor.getTime() - trialDays * dayMs);
  const begun = aSubscription(
    { startAt },
    { price: aPrice({ ...recurrence, trialDays }), ...at(startAt) },
  );
  let subscription: Subscription = { ...begun, usage: noUsageBilling };
  const made: RepeatableSettlement[] = [];
  const pin = (index: number) => {
    subscription = pinRates(subscription, { periodIndex: index, set: index });
    const repeated = made.at(-1);
    if (repeated !== undefined) repeated.repeatedWith = subscription;
  };
  const make = (settlement: Settlement, due: Date | null) => {
    const dueMs = (due?.getTime() ?? NaN) + (delaysMs[made.length] ?? 0);
    const atMs = Math.max(dueMs, made.at(-1)?.atMs ?? dueMs);
    made.push({ ...settlement, atMs, subscription, repeatedWith: subscription });
  };
  const last = first + periodCount - 1;
  const lastBilled = isLastUnbilled && endsAfter !== null ? last - 1 : last;
  pin(first);
  for (let index = first + 1; index <= lastBilled; index += 1) {
    make(settlementBefore(index), periodOf(subscription, index).start);
    pin(index);
  }
  const { start, end } = periodOf(subscription, last);
  const endedAt = endsAfter === null ? end : new Date(within(start, end, endsAfter));
  subscription = { ...subscription, status: 'CANCELED', phase: 'ENDED', endedAt };
  make({ key: 'end', through: last }, endedAt);
  make({ key: 'late', through: last }, lateBillAt(subscription));
  const createdAt = first === 0 ? startAt : periodOf(begun, first).start;
  return { subscription, createdAt, made, lastBilled };
}

function within(start: Date | number, end: Date | number, part: number): number {
  const [from, to] = [Number(start), Number(end)];
  return from + Math.floor((to - 1 - from) * part);
}

test("an event of any period and time is first settled for its own period, by that period's rates", () => {
  // Events of the largest age reach back furthest.
  const age = fc.oneof(fc.constant(0), share);
  const lastButSome = fc.oneof(fc.nat(4), fc.nat(44));
  const comings = fc.record({ lastButSome, waitMs: fc.nat(40 * dayMs), age });
  const run = fc.property(lives, comings, (life, { lastButSome: some, waitMs, age: part }) => {
    const { subscription, createdAt, made, lastBilled } = settlementsOf(life);
    const { anchor, endedAt } = subscription;
    const { price } = mainItem(subscription);
    const first = firstBilledPeriod(subscription, { createdAt });
    const { start } = periodOf(subscription, first);
    const arrivedMs = (made[made.length - 1 - some]?.atMs ?? start.getTime()) + waitMs;
    const timestamp = new Date(within(arrivedMs - backMsMax, arrivedMs + aheadMsMax + 1, part));
    fc.pre(timestamp >= start && endedAt !== null && timestamp < endedAt);
    const { index } = periodContaining(anchor, price, timestamp);

    const next = made.find(({ atMs, through }) => atMs >= arrivedMs && through >= index);

    if (next === undefined) throw new Error('Nothing is settled after it');
    const settled = settledPeriods(next.subscription, { createdAt }, next);
    expect(settled.map((period) => period.index)).toContain(index);
    expect(settled.find(({ end }) => timestamp < end)?.index).toBe(index);
    // A period that was never billed is priced as of its start.
    const known = index > Math.max(first, lastBilled) ? undefined : index;
    expect(pinnedSets(next.subscription, index)?.set).toBe(known);
    expect(pinnedSets(next.repeatedWith, index)?.set).toBe(known);
  });
  fc.assert(run, { numRuns: 1_000 });
});
