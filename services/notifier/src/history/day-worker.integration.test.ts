import fc from 'fast-check';
import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, roundsOf, testServiceConfiguration } from '@billing/chassis/testing';
import { calendarDayOf, lastDays } from '@billing/kernel/calendar-day';
import { DeliveryDayStore } from '../delivery/day-store';
import { DeliveryDayWorker } from './day-worker';
import { DeliveryReportStore } from './report-store';
import type { Delivery } from '../delivery/delivery';
import { DeliveryStore } from '../delivery/delivery-store';
import type { EndpointKey } from '../endpoint/endpoint';
import { RetryStore } from './retry-store';
import { SlotStore } from '../endpoint/slot-store';

const configuration = testServiceConfiguration('deliveryDays');
const minute = 60_000;
const day = 24 * 60 * minute;
const start = new Date('2026-11-21T12:00:00Z');

let mongo: MongoConnection;
let now = start;
const clock = { now: () => now };
const later = (ms: number) => {
  now = new Date(now.getTime() + ms);
};

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  for (const store of [new DeliveryStore(mongo.db), new DeliveryDayStore(mongo.db)]) {
    await store.ensureIndexes();
  }
});

beforeEach(() => {
  now = start;
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

const aKey = (): EndpointKey => ({ environmentId: newId(), endpointId: newId() });

function aDelivery(key: EndpointKey, delivery: Partial<Delivery> = {}): Delivery {
  return {
    _id: newId(),
    ...key,
    messageId: newId(),
    subscriptionId: newId(),
    sequence: 1,
    previousId: null,
    status: 'PENDING',
    dueAt: now,
    claim: null,
    failures: 0,
    createdAt: now,
    ...delivery,
  };
}

function days() {
  const { db } = mongo;
  const slots = new SlotStore(db);
  return new DeliveryDayWorker({
    reports: new DeliveryReportStore(db),
    dayTotals: new DeliveryDayStore(db),
    slots,
    clock,
  });
}

const lastThree = () => lastDays(now, { days: 3, max: 30 });
const all = (key: EndpointKey) =>
  mongo.db
    .collection<Delivery>('deliveries')
    .find({ ...key })
    .toArray();
const cachedCount = (key: EndpointKey) =>
  mongo.db.collection('deliveryDays').countDocuments({ ...key, total: { $ne: null } });

/** Counts the deliveries of a report in the most direct way. */
async function recount(key: EndpointKey) {
  const deliveries = await all(key);
  return lastThree().map((one) => {
    const ofDay = deliveries.filter(({ createdAt }) => calendarDayOf(createdAt).day === one.day);
    const hasArrived = ({ status, hasArrived }: Delivery) =>
      status === 'DELIVERED' || hasArrived === true;
    return {
      delivered: ofDay.filter(hasArrived).length,
      failed: ofDay.filter(
        (one) => !hasArrived(one) && (one.status === 'FAILED' || one.failures > 0),
      ).length,
    };
  });
}

/** Completes due deliveries with this outcome. */
async function send(key: EndpointKey, status: 'PENDING' | 'DELIVERED' | 'FAILED'): Promise<void> {
  const store = new DeliveryStore(mongo.db, clock);
  const due = await store.findDue(key, { now, except: [], limit: 100 });
  const claim = newId();
  const won = await store.claim(key.environmentId, due, {
    claim,
    now,
    until: new Date(now.getTime() + minute),
  });
  await store.settle(
    won.map((delivery) => ({
      delivery,
      claim,
      status,
      dueAt: status === 'PENDING' ? new Date(now.getTime() + minute) : undefined,
      failures: delivery.failures + (status === 'DELIVERED' ? 0 : 1),
    })),
  );
}

test('the outcomes of each day equal a recount, in any order of caching, resending and reading', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('make' as const), daysAgo: fc.nat({ max: 2 }) }),
    fc.record({
      do: fc.constant('send' as const),
      status: fc.constantFrom('PENDING' as const, 'DELIVERED' as const, 'FAILED' as const),
    }),
    fc.record({ do: fc.constant('retry' as const), which: fc.nat({ max: 9 }) }),
    fc.record({ do: fc.constant('pause' as const) }),
    fc.record({ do: fc.constant('look' as const) }),
    fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 6, 60) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      now = start;
      const key = aKey();
      const store = new DeliveryStore(mongo.db, clock);
      for (const one of steps) {
        if (one.do === 'make') {
          const createdAt = new Date(now.getTime() - one.daysAgo * day);
          await store.insert([aDelivery(key, { createdAt })]);
          // Deliveries are created now; those of earlier days existed before any total was cached.
          if (one.daysAgo > 0) await mongo.db.collection('deliveryDays').deleteMany({ ...key });
        } else if (one.do === 'send') await send(key, one.status);
        else if (one.do === 'retry') {
          const found = await all(key);
          const chosen = found[one.which % Math.max(found.length, 1)];
          if (chosen !== undefined) await new RetryStore(mongo.db).send(key, chosen._id, { now });
        } else if (one.do === 'pause') await store.pause(key, { createdUntil: now });
        else if (one.do === 'wait') later(one.minutes * minute);
        else expect(await days().outcomes(key, lastThree())).toEqual(await recount(key));
      }
      expect(await days().outcomes(key, lastThree())).toEqual(await recount(key));
    }),
    { numRuns: roundsOf(25) },
  );
});

test('a past day is counted once, unless a delivery of it is in flight or was resent a moment ago', async () => {
  const key = aKey();
  const store = new DeliveryStore(mongo.db, clock);
  const yesterday = new Date(now.getTime() - day);
  const delivery = aDelivery(key, { createdAt: yesterday, failures: 2 });
  await store.insert([delivery]);
  await days().outcomes(key, lastThree());
  // The day before yesterday had no deliveries; one of yesterday is in flight; the current day is
  // never cached.
  expect(await cachedCount(key)).toBe(1);
  await send(key, 'FAILED');
  await days().outcomes(key, lastThree());
  expect(await cachedCount(key)).toBe(2);
  await new RetryStore(mongo.db).send(key, delivery._id, { now });
  expect(await cachedCount(key)).toBe(1);
  await send(key, 'DELIVERED');
  await days().outcomes(key, lastThree());
  expect(await cachedCount(key)).toBe(1);
  later(6 * minute);
  expect(await days().outcomes(key, lastThree())).toEqual(await recount(key));
  expect(await cachedCount(key)).toBe(2);
});

test('a total that was counted during a resend is not cached', async () => {
  const key = aKey();
  const totals = new DeliveryDayStore(mongo.db);
  const yesterday = calendarDayOf(new Date(now.getTime() - day));
  const countedAt = now;
  later(minute);
  await totals.reopen([{ ...key, createdAt: yesterday.start }], now);
  await totals.cache(key, { day: yesterday, countedAt, total: { delivered: 1, failed: 0 } });
  expect(await totals.find(key, [yesterday])).toEqual(new Map());
});

test('the last days of every endpoint are counted once a day, and old ones removed', async () => {
  const key = aKey();
  const slots = new SlotStore(mongo.db);
  await slots.take({ ...key, slotsMax: 10, takenAt: now });
  const counting = days();
  const { signal } = new AbortController();
  await counting.countAll(signal);
  expect(await cachedCount(key)).toBe(5);
  await mongo.db.collection('deliveryDays').deleteMany({ ...key });
  await counting.countAll(signal);
  expect(await cachedCount(key)).toBe(0);
  later(day);
  await counting.countAll(signal);
  expect(await cachedCount(key)).toBe(5);
  await new DeliveryDayStore(mongo.db).removeBefore(new Date(now.getTime() - 2 * day));
  expect(await cachedCount(key)).toBe(2);
});
