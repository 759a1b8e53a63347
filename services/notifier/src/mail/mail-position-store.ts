import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { retryUpsert } from '@billing/chassis/inserts';

/** Position in an environment's feed up to which mails were made. */
interface MailPosition {
  /** The environment, after a restore with the code of its feed: `<environment>:<code>`. */
  readonly _id: string;
  readonly environmentId: string;
  readonly position: number;
}

/** Positions of the mail maker. */
export class MailPositionStore {
  private readonly positions: Collection<MailPosition>;

  /** `restoreCode` returns the code of the feeds, empty before any restore. */
  constructor(
    db: Db,
    private readonly restoreCode: () => string,
  ) {
    this.positions = db.collection<MailPosition>('mailPositions');
  }

  /** 0 for an environment whose feed was never read. */
  async find(environmentId: string): Promise<number> {
    const found = await retryTransient(() =>
      this.positions.findOne({ _id: this.idOf(environmentId), environmentId }),
    );
    return found?.position ?? 0;
  }

  /** Moves a position forward; never back, however many processes read the feed. */
  async moveTo(environmentId: string, position: number): Promise<void> {
    await retryUpsert(() =>
      this.positions.updateOne(
        { _id: this.idOf(environmentId), environmentId },
        { $max: { position } },
        { upsert: true },
      ),
    );
  }

  private idOf(environmentId: string): string {
    const code = this.restoreCode();
    return code === '' ? environmentId : `${environmentId}:${code}`;
  }
}
