import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { recordFinishedChanges } from '../change/create-change-invoice';
import { changeDefinition, Changes } from '../change/change-store';
import { cancelChange, requestChange } from '../lifecycle/apply-change';
import { subscriptionDefinition } from '../subscription-document';
import { Subscriptions } from '../storage/subscription-store';
import type { Subscription } from '../subscription/subscription';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, anOtherItem, day } from '../testing/fixtures';
import type { MigratedSubscription } from './migrated-subscription';
import { type MigrationDependencies, MigrationWorker, recordMigrated } from './migration-worker';
import { cancelMigration, type PriceMigration, startMigration } from './price-migration';
import {
  MigrationCandidates,
  migrationRowDefinition,
  MigrationRows,
  priceMigrationDefinition,
} from './price-migration-store';

const configuration = testServiceConfiguration('migrations');
// Far ahead, so that the service itself never finds a job to resume.
const clock = {
  at: new Date('2100-01-01T00:00:00Z'),
  now(): Date {
    return this.at;
  },
  /** Lets every lease run out. */
  waitForLeases(): void {
    this.at = new Date(this.at.getTime() + 2 * 60_000);
  },
};
let running: RunningService;
let subscriptions: Subscriptions;
let changes: Changes;
let rows: MigrationRows;
let migrations: AggregateCollection<PriceMigration>;
let candidates: MigrationCandidates;

beforeAll(async () => {
  const service = await Service.open('subscription', configuration);
  const records = service.aggregates(subscriptionDefinition);
  subscriptions = new Subscriptions(records, () => undefined);
  changes = new Changes(service.aggregates(changeDefinition));
  rows = new MigrationRows(service.aggregates(migrationRowDefinition));
  migrations = service.aggregates(priceMigrationDefinition);
  candidates = new MigrationCandidates(records);
  const peers = {} as Parameters<typeof recordFinishedChanges>[2]['peers'];
  records.handle({
    commands: {
      recordChanges: async (_payload: unknown, { aggregateId, context }) => {
        await recordMigrated(aggregateId, context, { subscriptions, rows });
        await recordFinishedChanges(aggregateId, context, {
          ...{ subscriptions, changes, peers, logger },
        });
      },
    },
  });
  running = await service.serve([]);
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const logger = createLogger({ service: 'subscription', level: 'silent' });
const worker = (parts: Partial<MigrationDependencies> = {}) =>
  new MigrationWorker({
    ...{ migrations, rows, candidates, subscriptions, changes, clock, logger },
    ...parts,
  });

/** Works in a process that stops with its n-th row. */
async function workUntilKilled(job: PriceMigration, { context }: Scene, n: number): Promise<void> {
  let recorded = 0;
  const process = new AbortController();
  const record: MigrationRows['record'] = (...of) => {
    recorded += 1;
    if (recorded < n) return rows.record(...of);
    process.abort();
    return Promise.reject(new Error('Killed'));
  };
  const killed = worker({ rows: { ...readingRows, record } as MigrationRows });
  const { signal } = process;
  await expect(killed.resume(job.id, { ...context, signal })).rejects.toThrow('Killed');
}

const readingRows: Pick<MigrationRows, 'find' | 'counts'> = {
  find: (...of) => rows.find(...of),
  counts: (...of) => rows.counts(...of),
};

interface Scene {
  readonly context: CallContext;
  readonly ids: string[];
  readonly fromPriceId: string;
}

/** Subscriptions of an environment of their own. */
async function scene(count: number, parts: Partial<Subscription> = {}): Promise<Scene> {
  const context = testContext({ now: day('01-31'), tenant: { environmentId: newId() } });
  const fromPriceId = newId();
  const ids = Array.from({ length: count }, () => newId()).sort();
  const state = { ...aSubscription({}, { price: aPrice({ id: fromPriceId }) }), ...parts };
  for (const id of ids) {
    await subscriptions.insert({ state: { ...state, id }, events: [], commands: [] }, context);
  }
  return { context, ids, fromPriceId };
}

async function started(
  { context, fromPriceId }: Pick<Scene, 'context' | 'fromPriceId'>,
  { dryRun = false, price = aPrice({ id: newId(), amount: 3900n }) } = {},
): Promise<PriceMigration> {
  const [{ productId, productName }] = aSubscription().items;
  const exchange = { fromPriceId, product: { productId, productName, price } };
  const total = await candidates.count(fromPriceId, context);
  const wanted = {
    id: newId(),
    exchange,
    fromProductId: productId,
    movesMeters: false,
    dryRun,
    total,
    metadata: { 'a.b': 1 },
  };
  const job = startMigration(wanted, { realNow: clock.now() });
  return (await migrations.within(context).insert(job)).stored.state;
}

const jobOf = async ({ id }: { readonly id: string }, { context }: Pick<Scene, 'context'>) =>
  (await migrations.within(context).get(id)).state;

async function rowsOf(job: PriceMigration, { context }: Scene): Promise<MigratedSubscription[]> {
  const page = { page: 1, perPage: 500, oldestFirst: true, result: undefined };
  const { data } = await rows.list(job.id, page, context);
  const all = data.map((row) => ({
    ...row,
    // Derived from the job.
    ...{ id: undefined, migrationId: undefined },
  }));
  return all.sort((a, b) => (a.subscriptionId < b.subscriptionId ? -1 : 1));
}

async function canceled({ id }: PriceMigration, { context }: Scene): Promise<void> {
  const times = { now: context.now, realNow: clock.now() };
  await migrations.within(context).mutate(id, (current) => cancelMigration(current, times));
}

/** Ids of the subscriptions in which a change waits. */
async function waitingOf(made: Scene): Promise<string[]> {
  const stored = await Promise.all(made.ids.map((id) => stateOf(id, made)));
  return stored.flatMap(({ state }) => (state.changes.waiting === null ? [] : [state.id]));
}

/** The store, with subscriptions that no rule can change. */
function subscriptionsWithout(...broken: string[]): Subscriptions {
  const change: Subscriptions['change'] = (id, ...of) =>
    broken.includes(id) ? Promise.reject(new Error('Broken')) : subscriptions.change(id, ...of);
  const get: Subscriptions['get'] = (...of) => subscriptions.get(...of);
  return { change, get } as Subscriptions;
}

const stateOf = async (id: string, { context }: Scene): Promise<Stored<Subscription>> =>
  subscriptions.get(id, context);

describe('a price migration', () => {
  test('goes on after a crash at its cursor, and does nothing twice', async () => {
    const made = await scene(200);
    const { context, ids } = made;
    const job = await started(made);
    await workUntilKilled(job, made, 95);
    expect(await jobOf(job, made)).toMatchObject({ status: 'RUNNING', processed: 80 });

    // Another worker has to wait for the lease.
    await worker().resume(job.id, context);
    expect(await jobOf(job, made)).toMatchObject({ processed: 80 });
    clock.waitForLeases();
    await worker().resume(job.id, context);

    expect(await jobOf(job, made)).toMatchObject({
      ...{ status: 'COMPLETE', total: 200, processed: 200, scheduled: 200, skipped: 0 },
      ...{ monthlyAmountBefore: 580_000n, monthlyAmountAfter: 780_000n, leaseUntil: null },
    });
    const found = await rowsOf(job, made);
    expect(found.map(({ subscriptionId }) => subscriptionId)).toEqual(ids);
    const stored = await Promise.all(ids.map((id) => stateOf(id, made)));
    // Inserted, and changed once.
    expect(new Set(stored.map(({ version }) => version))).toEqual(new Set([2]));
    const waiting = stored.map(({ state }) => state.changes.waiting?.id);
    expect(waiting).toEqual(found.map(({ changeId }) => changeId));
  });

  test('of two workers at the same time counts every subscription once', async () => {
    const made = await scene(50);
    const job = await started(made);
    await workUntilKilled(job, made, 30);
    clock.waitForLeases();
    await Promise.all([1, 2, 3].map(() => worker().resume(job.id, made.context)));
    expect(await jobOf(job, made)).toMatchObject({ status: 'COMPLETE', processed: 50 });
    expect(await rowsOf(job, made)).toHaveLength(50);
  });

  test('is the only one of its price that runs', async () => {
    const made = await scene(1);
    const job = await started(made);
    await expect(started(made)).rejects.toMatchObject({ reason: 'PRICE_MIGRATION_RUNNING' });
    await worker().resume(job.id, made.context);
    const next = await started(made);
    await worker().resume(next.id, made.context);
    expect(await rowsOf(next, made)).toMatchObject([
      { result: 'SKIPPED', reason: 'CHANGE_PENDING' },
    ]);
  });

  test('as a dry run has the same rows, and changes no subscription', async () => {
    const made = await scene(3);
    const support = anOtherItem({ price: aPrice({ id: made.fromPriceId, amount: 500n }) });
    const several = aSubscription({}, { otherItems: [support] });
    for (const state of [
      {
        ...aSubscription({}, { price: aPrice({ id: made.fromPriceId }) }),
        cancelAtPeriodEnd: true,
      },
      several,
    ]) {
      const transition = { state: { ...state, id: newId() }, events: [], commands: [] };
      await subscriptions.insert(transition, made.context);
    }
    const price = aPrice({ id: newId(), billingInterval: 'YEARLY' });
    const dry = await started(made, { dryRun: true, price });
    await worker().resume(dry.id, made.context);
    for (const id of made.ids) expect(await stateOf(id, made)).toMatchObject({ version: 1 });

    const job = await started(made, { price });
    await worker().resume(job.id, made.context);
    const found = await rowsOf(job, made);
    expect(found).toHaveLength(5);
    expect(await rowsOf(dry, made)).toEqual(found.map((row) => ({ ...row, changeId: null })));
    expect(found.map(({ reason }) => reason).sort()).toEqual(
      ['PRODUCT_TWICE', 'SET_TO_CANCEL', null, null, null].sort(),
    );
    const { total, processed, scheduled, skipped } = await jobOf(job, made);
    expect({ total, processed, scheduled, skipped }).toEqual({
      ...{ total: 5, processed: 5, scheduled: 3, skipped: 2 },
    });
    expect(await jobOf(dry, made)).toMatchObject({ total, processed, scheduled, skipped });
  });

  test('that is canceled takes back the changes that wait', async () => {
    const made = await scene(45);
    const { context } = made;
    const job = await started(made);
    await workUntilKilled(job, made, 31);
    await canceled(job, made);
    clock.waitForLeases();
    await worker().resume(job.id, context);

    expect(await jobOf(job, made)).toMatchObject({
      ...{ status: 'CANCELED', processed: 31, scheduled: 31, leaseUntil: null },
    });
    const found = await rowsOf(job, made);
    expect(found.map(({ result }) => result)).toEqual(Array(31).fill('CANCELED'));
    expect(await waitingOf(made)).toEqual([]);
  });

  test('that is canceled takes its changes back in pages, each worker for a short time', async () => {
    const made = await scene(25);
    const { context } = made;
    const job = await started(made);
    await worker().resume(job.id, context);
    await canceled(job, made);
    clock.waitForLeases();
    // A page takes 16 s.
    const waiting: MigrationCandidates['waiting'] = (...of) => {
      clock.at = new Date(clock.at.getTime() + 16_000);
      return candidates.waiting(...of);
    };
    const slow = worker({ candidates: { waiting } as MigrationCandidates });
    await slow.resume(job.id, context);
    expect(await jobOf(job, made)).toMatchObject({ leaseUntil: clock.now(), leaseOwner: null });
    expect(await waitingOf(made)).toHaveLength(5);

    await worker().resume(job.id, context);
    expect(await waitingOf(made)).toEqual([]);
    expect(await jobOf(job, made)).toMatchObject({
      ...{ status: 'CANCELED', processed: 25, scheduled: 25, skipped: 0, leaseUntil: null },
      ...{ monthlyAmountBefore: 72_500n, monthlyAmountAfter: 97_500n },
    });
    const results = (await rowsOf(job, made)).map(({ result }) => result);
    expect(results).toEqual(Array(25).fill('CANCELED'));
  });

  test('that is canceled tries again what it cannot take back, after all others', async () => {
    const made = await scene(3);
    const { context, ids } = made;
    const [broken = ''] = ids;
    const job = await started(made);
    await worker().resume(job.id, context);
    await canceled(job, made);
    clock.waitForLeases();
    const failing = worker({ subscriptions: subscriptionsWithout(broken) });
    await failing.resume(job.id, context);
    expect(await waitingOf(made)).toEqual([broken]);
    expect((await jobOf(job, made)).leaseUntil).not.toBeNull();

    clock.waitForLeases();
    await worker().resume(job.id, context);
    expect(await waitingOf(made)).toEqual([]);
    expect((await jobOf(job, made)).leaseUntil).toBeNull();
  });

  test('skips a subscription whose change fails with every try, and goes on', async () => {
    const made = await scene(22);
    const { context, ids } = made;
    const [once = '', broken = ''] = ids.slice(20);
    const job = await started(made);
    const failing = worker({ subscriptions: subscriptionsWithout(broken) });
    for (const failed of [[once, broken], [broken], [broken]]) {
      await worker({ subscriptions: subscriptionsWithout(...failed) }).resume(job.id, context);
      expect(await jobOf(job, made)).toMatchObject({ status: 'RUNNING', processed: 20 });
      clock.waitForLeases();
    }
    await failing.resume(job.id, context);
    expect(await jobOf(job, made)).toMatchObject({
      ...{ status: 'COMPLETE', processed: 22, scheduled: 21, skipped: 1 },
    });
    const skipped = (await rowsOf(job, made)).filter(({ result }) => result === 'SKIPPED');
    expect(skipped).toMatchObject([{ subscriptionId: broken, reason: null, changeId: null }]);
  });

  test('goes on past a subscription that cannot be read', async () => {
    const made = await scene(3);
    const { context, ids } = made;
    const [broken = ''] = ids;
    const job = await started(made);
    const unreadable = () => Promise.reject(new Error('Unknown kind of price'));
    const get: Subscriptions['get'] = (...of) =>
      of[0] === broken ? unreadable() : subscriptions.get(...of);
    const change: Subscriptions['change'] = (...of) =>
      of[0] === broken ? unreadable() : subscriptions.change(...of);
    const reading = { get, change } as Subscriptions;
    for (const _try of [1, 2, 3, 4]) {
      await worker({ subscriptions: reading }).resume(job.id, context);
      clock.waitForLeases();
    }
    expect(await jobOf(job, made)).toMatchObject({
      ...{ status: 'COMPLETE', processed: 3, scheduled: 2, skipped: 1 },
    });
    const [skipped] = (await rowsOf(job, made)).filter(({ result }) => result === 'SKIPPED');
    const { customer } = (await stateOf(broken, made)).state;
    expect(skipped).toMatchObject({ subscriptionId: broken, customerId: customer.id });
  });

  test('that has ended loses also the changes of a worker that comes too late', async () => {
    const made = await scene(3);
    const { context, ids } = made;
    const job = await started(made);
    const record: MigrationRows['record'] = async (...of) => {
      const [, { subscriptionId }] = of;
      if (subscriptionId === ids[0]) {
        await canceled(job, made);
        clock.waitForLeases();
        await worker().resume(job.id, context);
        expect((await jobOf(job, made)).leaseUntil).toBeNull();
      }
      return rows.record(...of);
    };
    await worker({ rows: { ...readingRows, record } as MigrationRows }).resume(job.id, context);
    expect(await waitingOf(made)).toEqual([]);
    const found = await rowsOf(job, made);
    expect(found.map(({ result }) => result)).toEqual(['CANCELED', 'CANCELED', 'CANCELED']);
  });

  test('gives way to a newer change and to a cancellation of its change', async () => {
    const made = await scene(2);
    const { context, ids } = made;
    const [replaced = '', taken = ''] = ids;
    const job = await started(made);
    await worker().resume(job.id, context);
    const changeIds = (await rowsOf(job, made)).map(({ changeId }) => changeId ?? '');
    const wanted = { product: null, quantity: 2, discount: null };
    await subscriptions.change(replaced, context, (current, decision) =>
      requestChange(current, aChangeRequest({ at: 'PERIOD_END', wanted }), decision),
    );
    await subscriptions.change(taken, context, (current, { now }) =>
      cancelChange(current, changeIds[1] ?? '', now),
    );
    await eventually(async () => {
      const found = await rowsOf(job, made);
      expect(found.map(({ result }) => result)).toEqual(['CANCELED', 'CANCELED']);
    });
    // A batch that runs again finds the changes, and asks for no others.
    await migrations.within(context).mutate(job.id, (current) => ({
      ...{ events: [], commands: [] },
      state: { ...current, status: 'RUNNING', cursor: null, leaseUntil: clock.now() },
    }));
    await worker().resume(job.id, context);
    const waiting = await Promise.all(ids.map((id) => stateOf(id, made)));
    expect(waiting.map(({ state }) => state.changes.waiting?.id)).toEqual(['change', undefined]);
  });

  test('is stored with the price that it has pinned', async () => {
    const made = await scene(0);
    const price = aPrice({ id: newId(), metadata: { 'a.b': 1 } });
    const job = await started(made, { price });
    expect(await jobOf(job, made)).toEqual(job);
  });
});
