import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { roundsOf, testContext } from '@billing/chassis/testing';
import { Aggregation, CreditSource } from '@billing/proto/billing/metering/v1/metering';
import fc from 'fast-check';
import { aUsagePeriod, present, startMetering } from '../testing/fixtures';

let service: Awaited<ReturnType<typeof startMetering>>;

beforeAll(async () => {
  service = await startMetering();
});

afterAll(async () => {
  await service.stop();
});

const dayMs = 86_400_000;
const january = new Date('2026-01-01T00:00:00Z');
const dayAt = (day: number) => new Date(january.getTime() + day * dayMs);
// The subscription runs from 10 February to 10 March.
const [begun, ended] = [40, 68];
const granted = 100;
const included = 5;

/** A customer with credits; each call takes the day of the year on which it happens. */
async function aCustomer(tenant: CallContext['tenant']) {
  const { metering, customers, lived } = service;
  const at = (day: number) => testContext({ tenant, now: dayAt(day) });
  const { meter } = await metering.createMeter(
    { name: 'Calls', aggregation: Aggregation.AGGREGATION_SUM, metadata: undefined },
    at(0),
  );
  const [meterId, customerId] = [present(meter).id, present(customers.pop())];
  const source = CreditSource.CREDIT_SOURCE_PAID;
  const grant = { customerId, meterId, amount: String(granted), source, metadata: undefined };
  await metering.createCreditGrant(
    { ...grant, effectiveAt: undefined, expiresAt: undefined },
    at(0),
  );
  const subscriptionId = newId();
  const window = { periodIndex: 0, start: dayAt(begun), end: dayAt(ended) };
  const includedUnits = String(included);
  lived.set(customerId, [aUsagePeriod({ subscriptionId, meterId, includedUnits, ...window })]);
  return {
    use: async (now: number, day: number, quantity: number) => {
      const event = { customerId, meterId, timestamp: dayAt(day), quantity };
      const body = Buffer.from(JSON.stringify([event]));
      const answer = await metering.ingestEvents({ body }, at(now));
      expect(answer).toMatchObject({ accepted: 1, rejected: [] });
    },
    settle: (now: number, key: string) => {
      const windows = [
        { ...window, meters: [{ meterId, includedUnits, taken: [], stretches: [] }] },
      ];
      const request = { subscriptionId, customerId, key, windows, unbilledKeys: [] };
      return metering.settleUsage(request, at(now));
    },
    consumed: async (now: number) => {
      const page = { customerId, page: 1, perPage: 10 };
      const { creditGrants } = await metering.listCreditGrants(page, at(now));
      const { consumed, remaining } = present(creditGrants[0]);
      expect(Number(consumed) + Number(remaining)).toBe(granted);
      return Number(consumed);
    },
    state: (now: number) => metering.getUsageState({ customerId }, at(now)),
  };
}

test('usage burns credits once, whether claimed or not, whenever it arrives and however often it is read', async () => {
  const { tenant } = testContext({ now: january });
  const uses = fc.array(
    fc.record({
      now: fc.nat({ max: 150 }),
      late: fc.nat({ max: 30 }),
      quantity: fc.integer({ min: 1, max: 25 }),
      isRead: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(uses, async (sent) => {
      const { use, settle, consumed, state } = await aCustomer(tenant);
      const ordered = sent.toSorted((a, b) => a.now - b.now);
      const used = { unclaimed: 0, subscriptions: 0 };
      const expected = () =>
        Math.min(granted, used.unclaimed + Math.max(0, used.subscriptions - included));
      let isSettled = false;
      for (const { now, late, quantity, isRead } of ordered) {
        if (now >= ended && !isSettled) {
          await settle(ended, 'period:0');
          isSettled = true;
        }
        const day = Math.max(0, now - late);
        await use(now, day, quantity);
        const isClaimed = begun <= day && day < ended;
        used[isClaimed ? 'subscriptions' : 'unclaimed'] += quantity;
        // Usage that arrives after a settlement burns with the next one.
        if (isRead && !(isSettled && isClaimed)) {
          if (isSettled) await settle(now, `now:${newId()}`);
          const all = await Promise.all([consumed(now), consumed(now), state(now)]);
          expect(all.slice(0, 2)).toEqual([expected(), expected()]);
        }
      }
      await settle(ended + 36, 'late');
      for (const now of [151, 200, 400]) expect(await consumed(now)).toBe(expected());
    }),
    { numRuns: roundsOf(15) },
  );
});
