import type { Collection, Db } from 'mongodb';
import type { AggregateDocument } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Tenant } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { retryTransient } from '@billing/chassis/mongo';
import { only, unchanged } from '@billing/kernel/transition';
import type { PaymentProvider } from '../provider/port/payment-provider';
import type { PaymentMethod } from './payment-method';

interface ProgressDocument {
  /** Name of the collection. */
  readonly _id: string;
  /** Id of the last method whose provider was asked. */
  readonly position: string;
  readonly isDone: boolean;
}

/** Dependencies of the inquiry. */
export interface UnknownExpiryDependencies {
  readonly methods: AggregateCollection<PaymentMethod>;
  readonly providerOf: (tenant: Tenant) => PaymentProvider;
  readonly clock: Clock;
  /** Resolves to true while a replica of an earlier release runs. */
  readonly hasOlderReplica: () => Promise<boolean>;
}

// Far below the rate at which providers limit reads.
const pauseMs = 100;
// Sorts after every id. A range without an end may make the server read and sort everything.
const endOfIds = 'g';

/**
 * Asks providers once for the expiry of the cards that an earlier release saved without it. Visits
 * each live method once, in the order of ids, and continues after a crash. While a provider does
 * not respond, the method waits for the next run.
 */
export class UnknownExpiryStore {
  private readonly progress: Collection<ProgressDocument>;

  constructor(
    db: Db,
    private readonly dependencies: UnknownExpiryDependencies,
  ) {
    this.progress = db.collection('expiryProgress');
  }

  /** Asks until all expiries were asked for or the signal aborts. */
  async askAll(signal: AbortSignal): Promise<void> {
    const stored = await retryTransient(() => this.progress.findOne({ _id: 'paymentMethods' }));
    if (stored?.isDone === true) return;
    // It saves cards without expiry, also such that were visited already.
    if (await this.dependencies.hasOlderReplica()) return;
    let position = stored?.position ?? '';
    while (!signal.aborted) {
      const [next] = await this.readAfter(position);
      if (next === undefined) return this.record({ position, isDone: true });
      await this.ask(next);
      position = next._id;
      await this.record({ position, isDone: false });
      await sleep(pauseMs, signal);
    }
  }

  // Sandboxes have test cards alone, whose expiry no provider knows.
  private readAfter(position: string): Promise<AggregateDocument[]> {
    const _id = { $gt: position, $lt: endOfIds };
    return retryTransient(() =>
      this.dependencies.methods.documents
        .find({ _id, live: true, expiry: { $exists: false } })
        .sort({ _id: 1 })
        .limit(1)
        .toArray(),
    );
  }

  private async ask({ _id: id, organizationId, environmentId, live }: AggregateDocument) {
    const { methods, providerOf, clock } = this.dependencies;
    const tenant = { organizationId, environmentId, live, manualClock: false };
    const store = methods.within({ tenant, now: clock.now() });
    const provider = providerOf(tenant);
    const state = (await store.find(id))?.state;
    if (state?.provider !== provider.name) return;
    const expiry = await provider.expiryOf(state.providerMethodId);
    if (expiry === undefined) return;
    await store.mutate(id, (method) =>
      method.expiry === undefined ? only({ ...method, expiry }) : unchanged(method),
    );
  }

  private async record(progress: Omit<ProgressDocument, '_id'>): Promise<void> {
    await retryTransient(() =>
      this.progress.updateOne({ _id: 'paymentMethods' }, { $set: progress }, { upsert: true }),
    );
  }
}
