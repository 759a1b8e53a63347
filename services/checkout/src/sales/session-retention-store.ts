import type { Collection, Db } from 'mongodb';
import type { AggregateDocument } from '@billing/chassis/aggregate';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { deleteFound, findBatch } from '@billing/chassis/old-documents';

/** Fields of a session by which its retention ends. */
type SessionDocument = AggregateDocument & {
  readonly phase: string;
  readonly isDelivered: boolean;
  readonly invoiceId: string;
  /** Real time shortly after the creation. */
  readonly abandonAt: Date;
};

interface InvoiceDocument {
  readonly _id: string;
  readonly environmentId: string;
  readonly isTombstone?: boolean;
}

/**
 * Deletes sessions that expired long ago, with the tombstones of invoices that were never created.
 * A void invoice stays, because invoice numbers have no gaps.
 */
export class SessionRetentionStore {
  private readonly sessions: Collection<SessionDocument>;
  private readonly invoices: Collection<InvoiceDocument>;

  constructor(db: Db) {
    this.sessions = db.collection<SessionDocument>('checkoutSessions');
    this.invoices = db.collection<InvoiceDocument>('invoices');
  }

  ensureIndexes(): Promise<void> {
    return ensureIndexes(this.sessions, [{ name: 'ended', key: { phase: 1, abandonAt: 1 } }]);
  }

  /**
   * Deletes one batch of sessions that were created and expired before a time (real time) and have
   * no work left. Returns true if there may be more.
   */
  async deleteExpired(before: Date): Promise<boolean> {
    const old = {
      collection: this.sessions,
      filter: {
        phase: 'EXPIRED',
        abandonAt: { $gte: new Date(0), $lt: before },
        // Absent in a session that was never payable.
        milestonesAt: { $not: { $gte: before } },
        isDelivered: true,
        pendingSince: null,
      },
      sort: { abandonAt: 1 },
    } as const;
    const found = await findBatch(old, ['invoiceId']);
    // First, because only the session leads to the tombstone.
    await this.deleteTombstones(found);
    return deleteFound(old, found);
  }

  private async deleteTombstones(
    sessions: readonly Partial<Pick<SessionDocument, 'environmentId' | 'invoiceId'>>[],
  ): Promise<void> {
    const _id = { $in: sessions.flatMap(({ invoiceId }) => invoiceId ?? []) };
    const environmentId = { $in: sessions.flatMap((one) => one.environmentId ?? []) };
    const tombstones = { _id, environmentId, isTombstone: true };
    await retryTransient(() => this.invoices.deleteMany(tombstones));
  }
}
