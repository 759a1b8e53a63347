import { newId } from '@billing/chassis/ids';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import {
  type ChangeStatus,
  noChanges,
  type SubscriptionChange,
} from '../subscription/subscription-change';
import { aSubscription, day } from '../testing/fixtures';
import { changeDefinition, Changes } from './change-store';

const configuration = testServiceConfiguration('changestore');
let running: RunningService;
let changes: Changes;

beforeAll(async () => {
  const service = await Service.open('subscription', configuration);
  changes = new Changes(service.aggregates(changeDefinition));
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const { items } = aSubscription();
const side = { items, discountId: null, currentPeriodStart: day('01-01') };

/** A change that was asked for on a day of January. */
function askedOn(dayOfMonth: number, status: ChangeStatus): SubscriptionChange {
  const at = new Date(Date.UTC(2026, 0, dayOfMonth));
  const ofSide = { ...side, currentPeriodEnd: day('02-01') };
  return {
    ...{ id: newId(), kind: 'UPDATE', status, at: 'NOW', effectiveAt: at, requirePayment: true },
    ...{ proration: 'PRORATE', resumeAt: null, beginsCycle: false },
    ...{ wanted: { product: null, quantity: 2, discount: null }, from: ofSide, to: ofSide },
    ...{ monthlyAmountBefore: 0n, monthlyAmountAfter: 0n, invoice: null, creditNotes: [] },
    ...{ reservedRound: null, charges: [], failure: null, replacedBy: null, metadata: {} },
    ...{ collect: 'NOW', putOff: null, takenChangeIds: [], billedOn: null },
    ...{ createdAt: at, updatedAt: at },
  };
}

describe('the list of changes', () => {
  const context = testContext();
  const subscriptionId = newId();
  // Recorded in the order in which they ended, not in that in which they were asked for.
  const recordedOn = [3, 9, 1, 7, 5, 2, 8];
  const waiting = askedOn(6, 'PENDING');
  const finished = [askedOn(4, 'APPLIED'), askedOn(10, 'CANCELED')];
  const recorded = recordedOn.map((one) => askedOn(one, one % 2 === 0 ? 'CANCELED' : 'APPLIED'));
  const unrecorded = { ...noChanges, waiting, finished };
  const daysOf = (data: readonly SubscriptionChange[]) =>
    data.map(({ createdAt }) => createdAt.getUTCDate());

  beforeAll(async () => {
    for (const change of recorded) await changes.record({ ...change, subscriptionId }, context);
    await changes.record({ ...askedOn(11, 'APPLIED'), subscriptionId: newId() }, context);
  });

  const listed = async (
    page: number,
    perPage: number,
    { status, of = unrecorded }: { status?: ChangeStatus; of?: typeof unrecorded } = {},
  ) => {
    const owner = { id: subscriptionId, changes: of };
    const { data, total } = await changes.list(owner, { page, perPage, status }, context);
    return [total, ...daysOf(data)];
  };

  test.each([1, 2, 3, 4, 5, 9, 10, 11])(
    'has each once, newest first, in pages of %i',
    async (perPage) => {
      const all = Array.from({ length: 10 }, (_, index) => 10 - index);
      for (let page = 1; page <= Math.ceil(10 / perPage) + 1; page += 1) {
        const expected = all.slice((page - 1) * perPage, page * perPage);
        expect(await listed(page, perPage)).toEqual([10, ...expected]);
      }
    },
  );

  test('is filtered by status', async () => {
    expect(await listed(1, 3, { status: 'APPLIED' })).toEqual([6, 9, 7, 5]);
    expect(await listed(2, 3, { status: 'APPLIED' })).toEqual([6, 4, 3, 1]);
    expect(await listed(1, 9, { status: 'PENDING' })).toEqual([1, 6]);
  });

  test('keeps its order once all are recorded', async () => {
    const of = { ...noChanges, waiting: null, finished: [] } as unknown as typeof unrecorded;
    expect(await listed(1, 9, { of })).toEqual([7, 9, 8, 7, 5, 3, 2, 1]);
  });

  test('has a change once that is recorded and still in its subscription', async () => {
    const of = { ...unrecorded, finished: recorded.slice(0, 2) };
    expect(await listed(1, 4, { of })).toEqual([8, 9, 8, 7, 6]);
  });
});
