import type { Collection, Db } from 'mongodb';
import { retryTransient } from '../mongo/mongo';
import type { Restore } from './recovery';

/** Restore as each database records it, permanently. */
export interface RecordedRestore extends Restore {
  /** Real time at which the system was opened; absent before that. */
  readonly openedAt?: Date;
  /**
   * Real time at which it had been announced to all environments, in the database of the notifier
   * alone; absent before that.
   */
  readonly announcedAt?: Date;
  /**
   * Report of the last run of `reconcile` that has ended, as JSON, in the database of identity
   * alone; absent before that.
   */
  readonly report?: string;
}

type RestoreDocument = Omit<RecordedRestore, 'id'> & { readonly _id: string };

const hasOpened = { openedAt: { $exists: true } };

/** Restores of the system, as one of its databases records them. */
export class Restores {
  private readonly documents: Collection<RestoreDocument>;

  constructor(db: Db) {
    this.documents = db.collection('restores');
  }

  /** Records a restore. Repeatable. */
  async record({ id, code, at, instant }: Restore): Promise<void> {
    const fields = { code, at, instant };
    await retryTransient(() =>
      this.documents.updateOne({ _id: id }, { $set: fields }, { upsert: true }),
    );
  }

  /** Records the opening; the first time stays. Returns it. */
  async recordOpening(id: string, now: Date): Promise<Date> {
    const filter = { _id: id, openedAt: { $exists: false } };
    await retryTransient(() => this.documents.updateOne(filter, { $set: { openedAt: now } }));
    return (await this.find(id))?.openedAt ?? now;
  }

  /** Records that the restore was announced to all environments. */
  async recordAnnouncement(id: string, now: Date): Promise<void> {
    const filter = { _id: id, announcedAt: { $exists: false } };
    await retryTransient(() => this.documents.updateOne(filter, { $set: { announcedAt: now } }));
  }

  /** Records the report of a run of `reconcile`, in place of an earlier one. */
  async recordReport(id: string, report: string): Promise<void> {
    await retryTransient(() => this.documents.updateOne({ _id: id }, { $set: { report } }));
  }

  async find(id: string): Promise<RecordedRestore | undefined> {
    return (await this.list({ _id: id }))[0];
  }

  /** All restores, newest first, also one that is not opened yet. */
  async all(): Promise<readonly RecordedRestore[]> {
    return await this.list({});
  }

  /** Last restore, opened or not. */
  async newest(): Promise<RecordedRestore | undefined> {
    return (await this.list({}, { limit: 1 }))[0];
  }

  /** Restores after which the system was opened, newest first. */
  async opened(): Promise<readonly RecordedRestore[]> {
    return await this.list(hasOpened);
  }

  private async list(
    filter: object,
    options: { readonly limit?: number } = {},
  ): Promise<readonly RecordedRestore[]> {
    const found = await retryTransient(() =>
      this.documents.find(filter, options).sort({ at: -1 }).toArray(),
    );
    return found.map(({ _id: id, ...restore }) => ({ id, ...restore }));
  }
}
