import { aPrice, day } from '../testing/fixtures';
import type { MigratedSubscription } from './migrated-subscription';
import {
  cancelMigration,
  endTakingBack,
  failedTries,
  lease,
  recordBatch,
  recordFailures,
  releaseLease,
  renewLease,
  startMigration,
} from './price-migration';

const realNow = day('03-01');
const until = day('03-02');
const product = { productId: 'product', productName: 'Pro', price: aPrice({ id: 'new' }) };
const wanted = { id: 'job', exchange: { fromPriceId: 'old', product }, dryRun: false, total: 2 };
const started = startMigration(
  { ...wanted, fromProductId: 'product', movesMeters: false, metadata: {} },
  { realNow },
).state;
const owner = 'worker';
const leased = lease(started, { realNow, owner, until }).state;
const row = (parts: Partial<MigratedSubscription> = {}): MigratedSubscription => ({
  ...{ subscriptionId: 'a', customerId: 'c', result: 'SCHEDULED', reason: null },
  ...{ effectiveAt: until, changeId: 'change', monthlyAmountBefore: 10n, monthlyAmountAfter: 30n },
  ...parts,
});
const skipped = row({ result: 'SKIPPED', reason: 'ENDED', monthlyAmountBefore: 0n });
const times = { now: day('03-01'), until: day('03-03'), owner };
const other = { owner: 'other', until: day('03-05') };

describe('the lease of a price migration', () => {
  test('goes to the first worker, and to another once it has run out', () => {
    expect(leased).toMatchObject({ leaseUntil: until, leaseOwner: owner });
    expect(lease(leased, { realNow, ...other }).state).toBe(leased);
    const later = lease(leased, { realNow: until, ...other }).state;
    expect(later).toMatchObject({ leaseUntil: day('03-05'), leaseOwner: 'other' });
  });

  test('is renewed and released by its own worker alone', () => {
    const taken = lease(leased, { realNow: until, ...other }).state;
    for (const end of [releaseLease, renewLease]) expect(end(taken, times).state).toBe(taken);
    expect(renewLease(leased, times).state).toMatchObject({ leaseUntil: times.until });
    const { state } = releaseLease(leased, { owner, until: realNow });
    expect(state).toMatchObject({ leaseUntil: realNow, leaseOwner: null });
  });

  test('waits after changes that have failed, and counts their tries', () => {
    const failures = [{ subscriptionId: 'a', tries: 2 }];
    const { state } = recordFailures(leased, failures, times);
    expect(state).toMatchObject({ leaseUntil: times.until, leaseOwner: null });
    expect(['a', 'b'].map((id) => failedTries(state, id))).toEqual([2, 0]);
    const again = lease(state, { realNow: times.until, ...other }).state;
    const batch = { after: null, cursor: 'a', rows: [row()] };
    expect(recordBatch(again, batch, { ...times, ...other }).state.failures).toEqual([]);
  });

  test('ends with the work', () => {
    const { state } = recordBatch(leased, { after: null, cursor: null, rows: [] }, times);
    expect(state).toMatchObject({ status: 'COMPLETE', leaseUntil: null, completedAt: times.now });
    expect(state.total).toBe(0);
    expect(lease(state, { realNow: until, ...other }).state).toBe(state);
  });
});

describe('a batch', () => {
  const batch = { after: null, cursor: 'b', rows: [row(), skipped] };

  test('counts rows, and sums the scheduled ones', () => {
    expect(recordBatch(leased, batch, times).state).toMatchObject({
      ...{ processed: 2, scheduled: 1, skipped: 1, cursor: 'b', status: 'RUNNING' },
      ...{ monthlyAmountBefore: 10n, monthlyAmountAfter: 30n, leaseUntil: times.until },
    });
  });

  test('counts once', () => {
    const { state } = recordBatch(leased, batch, times);
    expect(recordBatch(state, batch, times).state).toBe(state);
  });

  test('is counted by the worker that has the job alone', () => {
    const taken = lease(leased, { realNow: until, ...other }).state;
    expect(recordBatch(taken, batch, times).state).toBe(taken);
    expect(recordBatch(taken, batch, { ...times, ...other }).state.processed).toBe(2);
  });

  test('of a job that was canceled is counted, and the job stays canceled', () => {
    const canceled = cancelMigration(leased, { now: times.now, realNow }).state;
    const { state } = recordBatch(canceled, batch, times);
    expect(state).toMatchObject({ status: 'CANCELED', processed: 2 });
    expect(recordBatch(state, { ...batch, after: 'b', cursor: null }, times).state).toBe(state);
  });
});

describe('a cancellation', () => {
  test('keeps the lease of the worker that has the job', () => {
    const { state } = cancelMigration(leased, { now: times.now, realNow });
    expect(state).toMatchObject({ status: 'CANCELED', leaseUntil: until, completedAt: times.now });
    expect(cancelMigration(state, { now: until, realNow }).state).toBe(state);
  });

  test('of a complete job lets a worker take its changes back', () => {
    const batch = { after: null, cursor: null, rows: [] };
    const complete = recordBatch(leased, batch, times).state;
    const { state } = cancelMigration(complete, { now: until, realNow: until });
    expect(state).toMatchObject({ leaseUntil: until, completedAt: times.now });
  });

  test('ends with the counts of all rows', () => {
    const canceled = cancelMigration(leased, { now: times.now, realNow }).state;
    const counts = {
      ...{ processed: 3, scheduled: 1, skipped: 2 },
      ...{ monthlyAmountBefore: 10n, monthlyAmountAfter: 30n },
    };
    expect(endTakingBack(canceled, counts, times).state).toMatchObject({
      ...counts,
      ...{ leaseUntil: null, leaseOwner: null },
    });
    expect(endTakingBack(canceled, counts, other).state).toBe(canceled);
  });
});
