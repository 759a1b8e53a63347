import type { Collection, Db } from 'mongodb';
import type { Clock } from '../clock';
import { retryUpsert } from '../mongo/inserts';
import { retryTransient } from '../mongo/mongo';

/** A position in the event log. */
interface EventMark {
  /** `deleted`, or `passed:` and the name of a reader. */
  readonly _id: string;
  readonly position: string;
  /** Real time. */
  readonly recordedAt: Date;
}

const deleted = 'deleted';
const passedBy = 'passed:';
// More exact positions would only cost writes.
const recordEveryMs = 10 * 60_000;

/** Records how far each reader of the event log is, and up to where entries were deleted. */
export class EventMarkStore {
  private readonly marks: Collection<EventMark>;
  /** Latest marks that this process has recorded. */
  private readonly recorded = new Map<string, EventMark>();

  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    this.marks = db.collection<EventMark>('eventLogMarks');
  }

  /**
   * Records that a reader needs no entry up to a position again. A position before the last one
   * counts, too: the reader was restored.
   */
  async recordPassed(reader: string, position: string): Promise<void> {
    const _id = `${passedBy}${reader}`;
    const now = this.clock.now();
    const last = this.recorded.get(_id);
    const isRecent =
      last !== undefined && now.getTime() - last.recordedAt.getTime() < recordEveryMs;
    if (isRecent && position >= last.position) return;
    const mark = { position, recordedAt: now };
    await retryUpsert(() => this.marks.updateOne({ _id }, { $set: mark }, { upsert: true }));
    this.recorded.set(_id, { _id, ...mark });
  }

  /** Positions that the readers have passed. */
  async passed(): Promise<string[]> {
    const marks = await retryTransient(() => this.marks.find({}).toArray());
    return marks.filter(({ _id }) => _id.startsWith(passedBy)).map(({ position }) => position);
  }

  /** Records that entries before a position are being deleted. */
  async recordDeleted(position: string): Promise<void> {
    const update = { $max: { position }, $set: { recordedAt: this.clock.now() } };
    await retryUpsert(() => this.marks.updateOne({ _id: deleted }, update, { upsert: true }));
  }

  /** Position before which entries may be deleted; empty if none was. */
  async deletedBefore(): Promise<string> {
    const mark = await retryTransient(() => this.marks.findOne({ _id: deleted }));
    return mark?.position ?? '';
  }
}
