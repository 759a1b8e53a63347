import type { Collection, Db } from 'mongodb';
import { type TenantFields, tenantOf } from '@billing/chassis/aggregate';
import type { Clock } from '@billing/chassis/clock';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type { CollectionWorker } from './collection-worker';

interface WaitingDocument extends TenantFields {
  readonly _id: string;
  readonly awaitsProviderSince?: Date | null;
}

type ResumeWaiting = CollectionWorker['resumeWaiting'];

const batchSize = 100;
const waiting = { awaitsProviderSince: { $gt: new Date(0) } };

/**
 * Invoices of all live environments whose collection waits until a payment provider is configured.
 */
export class ProviderWaitStore {
  private readonly documents: Collection<WaitingDocument>;

  constructor(
    db: Db,
    private readonly dependencies: { readonly clock: Clock },
  ) {
    this.documents = db.collection<WaitingDocument>('invoices');
  }

  ensureIndexes(): Promise<void> {
    return ensureIndexes(this.documents, [
      { name: 'awaitsProvider', key: { awaitsProviderSince: 1 } },
    ]);
  }

  /** Number of waiting invoices of an environment. */
  count({ environmentId }: { readonly environmentId: string }): Promise<number> {
    return retryTransient(() => this.documents.countDocuments({ environmentId, ...waiting }));
  }

  /** Number of waiting invoices of all environments. */
  countAll(): Promise<number> {
    return retryTransient(() => this.documents.countDocuments(waiting));
  }

  /** Resumes the collection of all waiting invoices once a provider is configured. */
  async resumeAll(
    { resume }: { readonly resume: ResumeWaiting },
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      const found = await retryTransient(() =>
        this.documents
          .find(waiting, {
            projection: { organizationId: 1, environmentId: 1, live: 1, timeline: 1 },
          })
          .sort({ awaitsProviderSince: 1 })
          .limit(batchSize)
          .toArray(),
      );
      if (found.length === 0 || signal.aborted) return;
      const now = this.dependencies.clock.now();
      const resumed = await Promise.all(
        found.map((document) => resume(document._id, { tenant: tenantOf(document), now })),
      );
      // Invoices that still wait are found again by the next run.
      if (!resumed.includes(true)) return;
    }
  }
}
