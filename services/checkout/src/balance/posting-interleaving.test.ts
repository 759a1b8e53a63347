import fc from 'fast-check';
import {
  adjustmentOf,
  type Balance,
  type BalanceEntry,
  consumptionOf,
  emptyBalance,
  post,
  withoutCopied,
} from './balance';

// Steps of a posting as the store runs them: read the balance, look for the entry, write the
// version that was read, copy the entries, forget them. Each worker may crash between two steps and
// begin again.

const realNow = new Date('2026-01-01T00:00:00.000Z');
const now = realNow;
const fields = { id: 'e:c:EUR', customerId: 'c', currency: 'EUR' } as const;

interface Job {
  readonly entryId: string;
  readonly amount: bigint;
}

interface Read {
  readonly version: number;
  readonly balance: Balance | undefined;
}

type Place =
  | { readonly at: 'START' | 'DONE' }
  | { readonly at: 'LOOK_UP' | 'WRITE'; readonly read: Read }
  | { readonly at: 'COPY' | 'FORGET'; readonly pending: readonly BalanceEntry[] };

class World {
  private version = 0;
  private balance: Balance | undefined;
  private readonly entries = new Map<string, BalanceEntry>();
  private readonly workers: { readonly job: Job; place: Place; result?: bigint }[];

  constructor(jobs: readonly Job[]) {
    this.workers = jobs.map((job) => ({ job, place: { at: 'START' } }));
  }

  take(index: number): void {
    const worker = this.workers[index % this.workers.length];
    if (worker !== undefined) this.step(worker);
  }

  crash(index: number): void {
    const worker = this.workers[index % this.workers.length];
    if (worker !== undefined && worker.place.at !== 'DONE') worker.place = { at: 'START' };
  }

  settle(): void {
    for (let turn = 0; turn < 1_000; turn += 1) this.take(turn);
    if (this.workers.some(({ place }) => place.at !== 'DONE')) throw new Error('A worker hangs');
  }

  problems(): string[] {
    const shown = [...this.entries.values()].filter(({ sequence }) => sequence > 0);
    const ordered = shown.toSorted((a, b) => a.sequence - b.sequence);
    let sum = 0n;
    const wrong = ordered.flatMap((entry, index) => {
      sum += entry.amount;
      const isRight = entry.sequence === index + 1 && entry.balanceAfter === sum && sum >= 0n;
      return isRight ? [] : [`entry ${entry.id} does not follow the one before it`];
    });
    const results = this.workers.flatMap(({ job, result }) =>
      this.entries.get(job.entryId)?.amount === result ? [] : [`${job.entryId} has two amounts`],
    );
    const isSum = this.balance?.balance === sum;
    return [...wrong, ...results, ...(isSum ? [] : ['the balance is not the sum of its entries'])];
  }

  private step(worker: World['workers'][number]): void {
    const { job, place } = worker;
    switch (place.at) {
      case 'START':
        worker.place = { at: 'LOOK_UP', read: { version: this.version, balance: this.balance } };
        return;
      case 'LOOK_UP':
        worker.place = this.lookUp(worker, place.read);
        return;
      case 'WRITE':
        worker.place = this.write(worker, place.read);
        return;
      case 'COPY':
        for (const entry of place.pending) {
          if (!this.entries.has(entry.id)) this.entries.set(entry.id, entry);
        }
        worker.place = { at: 'FORGET', pending: place.pending };
        return;
      case 'FORGET':
        if (this.balance !== undefined) {
          this.balance = withoutCopied(this.balance, place.pending);
          this.version += 1;
        }
        worker.place = { at: 'DONE' };
        return;
      case 'DONE':
        if (worker.result === undefined) throw new Error(`${job.entryId} has no result`);
    }
  }

  private lookUp(worker: World['workers'][number], read: Read): Place {
    const { entryId } = worker.job;
    const pending = read.balance?.pendingEntries ?? [];
    const waiting = pending.find(({ id }) => id === entryId);
    const found = waiting ?? this.entries.get(entryId);
    if (found === undefined) return { at: 'WRITE', read };
    worker.result = found.amount;
    return waiting === undefined ? { at: 'DONE' } : { at: 'COPY', pending };
  }

  private write(worker: World['workers'][number], { version, balance }: Read): Place {
    if (version !== this.version) return { at: 'START' };
    const { entryId: id, amount } = worker.job;
    const amountOf = amount > 0n ? adjustmentOf(amount) : consumptionOf(-amount);
    const before = balance ?? emptyBalance(fields, realNow);
    this.balance = post(before, { id, kind: 'ADJUSTMENT' }, { amountOf, now, realNow }).state;
    this.version += 1;
    const { pendingEntries } = this.balance;
    worker.result = pendingEntries.at(-1)?.amount ?? 0n;
    return { at: 'COPY', pending: pendingEntries };
  }
}

const job = fc.record({
  entryId: fc.constantFrom('a', 'b', 'c'),
  amount: fc.bigInt({ min: -1_000n, max: 1_000n }).filter((amount) => amount !== 0n),
});
// Crashes are rare, so that postings come to an end.
const isCrash = fc.integer({ min: 0, max: 9 }).map((roll) => roll === 0);
const turn = fc.record({ index: fc.nat({ max: 5 }), isCrash });

test('an entry is posted once with one amount, in any order of steps and crashes', () => {
  fc.assert(
    fc.property(
      fc.array(job, { minLength: 1, maxLength: 6 }),
      fc.array(turn, { maxLength: 80, size: 'max' }),
      (jobs, turns) => {
        const world = new World(jobs);
        for (const { index, isCrash } of turns) {
          if (isCrash) world.crash(index);
          else world.take(index);
        }
        world.settle();
        expect(world.problems()).toEqual([]);
      },
    ),
    { numRuns: 2_000 },
  );
});
