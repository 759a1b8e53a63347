import { newId } from '@billing/chassis/ids';
import { testContext, testTenant } from '@billing/chassis/testing';
import { Aggregation, CreditSource } from '@billing/proto/billing/metering/v1/metering';
import { present, startMetering } from '../testing/fixtures';

let service: Awaited<ReturnType<typeof startMetering>>;

beforeAll(async () => {
  service = await startMetering();
});

afterAll(() => service.stop());

const tenant = testTenant({ manualClock: true });
const called = (now = new Date('2026-03-10T12:00:00Z')) => testContext({ tenant, now });
// Not on the hour: hours are cut by the edges of stretches.
const dayAt = (index: number) => new Date(Date.UTC(2026, 1, 4 + index, 9, 37));

async function aMeter(aggregation: Aggregation): Promise<string> {
  const isUnique = aggregation === Aggregation.AGGREGATION_UNIQUE_COUNT;
  const named = { name: 'Calls', aggregation, metadata: undefined };
  const { meter } = await service.metering.createMeter(
    isUnique ? { ...named, uniqueProperty: 'user' } : named,
    called(),
  );
  return present(meter).id;
}

async function use(used: { customerId: string; meterId: string; day: number; quantity: number }) {
  const { day, quantity, ...event } = used;
  const timestamp = new Date(dayAt(day).getTime() + 3_600_000);
  const properties = { user: String(quantity) };
  const body = JSON.stringify([{ ...event, quantity, timestamp, properties }]);
  const { accepted } = await service.metering.ingestEvents({ body: Buffer.from(body) }, called());
  expect(accepted).toBe(1);
}

/** A request for four days whose product changes after the second. */
function asked(
  customerId: string,
  meterIds: readonly string[],
  included: readonly [string, string],
) {
  const [before, after] = included;
  const stretches = [
    { end: dayAt(2), includedUnits: before, continues: false },
    { end: dayAt(4), includedUnits: after, continues: false },
  ];
  const meters = meterIds.map((meterId) => ({ meterId, includedUnits: '', taken: [], stretches }));
  const windows = [{ periodIndex: 0, start: dayAt(0), end: undefined, meters }];
  return { subscriptionId: newId(), customerId, windows, unbilledKeys: [] };
}

type Settled = Awaited<ReturnType<typeof service.metering.settleUsage>>;

/** Quantities to the change and to the end, each with the credits up to there. */
const shown = ({ usages }: Settled) =>
  usages.map(({ current, previous }) => {
    const marked = (one: typeof current) =>
      one === undefined
        ? undefined
        : [...one.marks, one].map(({ quantity, creditsUsed }) => [
            quantity,
            ...creditsUsed.map((use) => use.quantity),
          ]);
    return [marked(current), marked(previous)];
  });

test('a settlement has the quantity at a change of the product, for each aggregation', async () => {
  const meterIds = await Promise.all(
    [
      Aggregation.AGGREGATION_SUM,
      Aggregation.AGGREGATION_COUNT,
      Aggregation.AGGREGATION_MAX,
      Aggregation.AGGREGATION_LATEST,
      Aggregation.AGGREGATION_UNIQUE_COUNT,
    ].map(aMeter),
  );
  const customerId = present(service.customers.pop());
  for (const meterId of meterIds) {
    await use({ customerId, meterId, day: 0, quantity: 3 });
    await use({ customerId, meterId, day: 1, quantity: 5 });
    await use({ customerId, meterId, day: 3, quantity: 4 });
    await use({ customerId, meterId, day: 4, quantity: 9 });
  }
  const request = asked(customerId, meterIds, ['0', '0']);
  const quoted = await service.metering.quoteUsage(request, called());
  const settled = await service.metering.settleUsage({ ...request, key: 'a' }, called());
  expect(settled).toEqual(quoted);
  expect(shown(settled)).toEqual(
    [
      ['8', '12'],
      ['2', '3'],
      ['5', '5'],
      ['5', '4'],
      ['2', '3'],
    ].map(([mark, whole]) => [[[mark], [whole]], undefined]),
  );
});

test('credits burnt before a change stay burnt, and late usage counts in its stretch', async () => {
  const meterId = await aMeter(Aggregation.AGGREGATION_SUM);
  const customerId = present(service.customers.pop());
  await service.metering.createCreditGrant(
    {
      ...{ customerId, meterId, amount: '6', effectiveAt: dayAt(0), expiresAt: undefined },
      source: CreditSource.CREDIT_SOURCE_UNSPECIFIED,
      metadata: undefined,
    },
    called(dayAt(0)),
  );
  await use({ customerId, meterId, day: 1, quantity: 5 });
  await use({ customerId, meterId, day: 3, quantity: 2 });
  const request = asked(customerId, [meterId], ['1', '2']);
  const settle = (key: string) => service.metering.settleUsage({ ...request, key }, called());
  const first = await settle('first');
  // 4 beyond the first included unit; then 7 used, 2 included, 4 burnt before.
  expect(shown(first)).toEqual([
    [
      [
        ['5', '4'],
        ['7', '5'],
      ],
      undefined,
    ],
  ]);
  expect(await settle('first')).toEqual(first);
  expect(await settle('second')).toEqual({ usages: [] });

  await use({ customerId, meterId, day: 0, quantity: 1 });
  expect(shown(await settle('third'))).toEqual([
    [
      [
        ['6', '5'],
        ['8', '6'],
      ],
      [
        ['5', '4'],
        ['7', '5'],
      ],
    ],
  ]);
});

test.each([
  ['no end and no stretches', undefined, []],
  ['one stretch', undefined, [2]],
  ['stretches that go back', undefined, [2, 1]],
  ['an end of its own', 4, [2, 4]],
])('a window with %s is refused', async (_name, end, ends) => {
  const request = asked(newId(), [newId()], ['0', '0']);
  const stretches = ends.map((day) => ({
    end: dayAt(day),
    includedUnits: '0',
    continues: false,
  }));
  const windows = request.windows.map((window) => ({
    ...window,
    end: end === undefined ? undefined : dayAt(end),
    meters: window.meters.map((meter) => ({ ...meter, stretches })),
  }));
  await expect(
    service.metering.settleUsage({ ...request, windows, key: 'key' }, called()),
  ).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
});
