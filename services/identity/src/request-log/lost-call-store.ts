import type { Binary, Collection, Db } from 'mongodb';
import type { Clock } from '@billing/chassis/clock';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { InsertBatches } from '@billing/chassis/inserts';

/** An answer that was not delivered. */
interface LostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A call whose caller may not know its answer. */
export interface LostCall {
  /** The ids of everything that the call creates derive from it. */
  readonly id: string;
  readonly callerId: string;
  readonly fingerprint: string;
}

/** A lost call as its gateway knows it. */
export interface RecordedCall extends LostCall {
  readonly claimId: string | null;
  /** Real time until which it may still run; null: it has ended. */
  readonly runningUntil: Date | null;
  /** Null: a retry runs again. */
  readonly answer: LostAnswer | null;
}

interface LostCallDocument extends Omit<RecordedCall, 'id' | 'answer'> {
  readonly _id: string;
  readonly answer:
    (Pick<LostAnswer, 'status' | 'headers'> & { readonly body: Binary | Uint8Array }) | null;
  readonly recordedAt: Date;
}

/** A claim of a lost call by the request that retries it. */
export interface LostCallClaim {
  readonly fingerprint: string;
  readonly claimId: string;
  /** Real time after which another request may claim the call. */
  readonly claimedUntil: Date;
}

/** Outcome of a claim. */
export type Claimed =
  { readonly id: string; readonly answer: LostAnswer | null } | { readonly isRunning: boolean };

const keptMs = 10 * 60_000;
const listedMax = 1_000;
// A caller with more equal calls than this has lost track of them itself.
const comparedMax = 100;

/** Lost calls of all gateways, for ten minutes. */
export class LostCallStore {
  private readonly calls: Collection<LostCallDocument>;
  // Calls are lost many at a time.
  private readonly inserts: InsertBatches<LostCallDocument>;

  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    this.calls = db.collection<LostCallDocument>('lostCalls');
    this.inserts = new InsertBatches(this.calls);
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.calls, [
      { name: 'fingerprint', key: { fingerprint: 1, recordedAt: 1 } },
      { name: 'recordedAt', key: { recordedAt: 1 } },
    ]);
  }

  /** Stores or updates a call, unless another retry has claimed it. */
  async record({ id, claimId, ...call }: RecordedCall): Promise<void> {
    const fields = { ...call, claimId: null, recordedAt: this.clock.now() };
    try {
      await this.inserts.insert({ _id: id, ...fields });
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      const filter = { _id: id, claimId: claimId === null ? null : { $in: [null, claimId] } };
      await retryTransient(() => this.calls.updateOne(filter, { $set: fields }));
    }
  }

  /** Claims the oldest call with the fingerprint that no longer runs. */
  async claim({ fingerprint, claimId, claimedUntil }: LostCallClaim): Promise<Claimed> {
    const now = this.clock.now();
    const calls = await retryTransient(() =>
      this.calls
        .find({ fingerprint, recordedAt: { $gt: this.oldest(now) } })
        .sort({ fingerprint: 1, recordedAt: 1 })
        .limit(comparedMax)
        .toArray(),
    );
    const own = calls.find((call) => call.claimId === claimId);
    if (own !== undefined) return toClaimed(own);
    for (const call of calls) {
      const { _id, runningUntil } = call;
      if (runningUntil !== null && runningUntil > now) continue;
      const { matchedCount } = await retryTransient(() =>
        this.calls.updateOne(
          { _id, claimId: call.claimId, runningUntil },
          { $set: { claimId, runningUntil: claimedUntil } },
        ),
      );
      if (matchedCount > 0) return toClaimed(call);
    }
    // A claimed call is retried over a live connection: an equal call does not wait for it.
    const runs = ({ claimId: claim, runningUntil }: LostCallDocument) =>
      claim === null && runningUntil !== null && runningUntil > now;
    return { isRunning: calls.some(runs) };
  }

  async forget(id: string): Promise<void> {
    await retryTransient(() => this.calls.deleteOne({ _id: id }));
  }

  /** Calls recorded since a time, oldest first. */
  async list(since: Date): Promise<(LostCall & { recordedAt: Date })[]> {
    const oldest = this.oldest(this.clock.now());
    const from = since > oldest ? since : oldest;
    const found = await retryTransient(() =>
      this.calls
        .find({ recordedAt: { $gte: from } })
        .sort({ recordedAt: 1 })
        .limit(listedMax)
        .project<Pick<LostCallDocument, '_id' | 'callerId' | 'fingerprint' | 'recordedAt'>>({
          callerId: 1,
          fingerprint: 1,
          recordedAt: 1,
        })
        .toArray(),
    );
    return found.map(({ _id: id, ...call }) => ({ id, ...call }));
  }

  /** Deletes what is older than ten minutes. */
  async deleteOld(): Promise<void> {
    const recordedAt = { $lt: this.oldest(this.clock.now()) };
    // An idle system writes nothing.
    if ((await retryTransient(() => this.calls.findOne({ recordedAt }))) === null) return;
    await retryTransient(() => this.calls.deleteMany({ recordedAt }));
  }

  private oldest(now: Date): Date {
    return new Date(now.getTime() - keptMs);
  }
}

function toClaimed({ _id: id, answer }: LostCallDocument): Claimed {
  return { id, answer: answer && { ...answer, body: toBytes(answer.body) } };
}

// The driver wraps binary data in an object.
function toBytes(stored: Binary | Uint8Array): Uint8Array {
  return stored instanceof Uint8Array ? stored : stored.buffer;
}
