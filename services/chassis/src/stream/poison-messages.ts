import type { Collection, Db } from 'mongodb';
import type { Clock } from '../clock';
import { newId } from '../ids';
import { duplicateKeyIndex, retryTransient } from '../mongo/mongo';
import type { StreamMessage } from './consumer';
import type { EventStream } from './jet-stream';

/** A poison message as stored. */
interface PoisonMessage {
  /** The message's id: `<aggregate id>:<number>`, and a suffix for each time it was given back. */
  readonly _id: string;
  /** Environment of the message, if it can be read. */
  readonly environmentId?: string | undefined;
  readonly subject: string;
  readonly data: string;
  readonly traceparent: string | null;
  readonly error: string;
  readonly receivedAt: Date;
}

// The server would drop a second message with the same id.
const again = ':again-';

/** True if a message names a sandbox. One without a readable environment may be a live one's. */
export function isOfSandbox(data: string): boolean {
  return data.includes('"environmentlive":false');
}

/** Messages that no handler could read, set aside for people to inspect. */
export class PoisonMessages {
  private readonly messages: Collection<PoisonMessage>;

  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    this.messages = db.collection('poisonMessages');
  }

  /** Stores a message once; false if it was already stored. */
  async insert(
    { id: _id, subject, data, traceparent }: StreamMessage,
    { message: error }: Error,
  ): Promise<boolean> {
    const receivedAt = this.clock.now();
    const environmentId = /"environmentid":"([^"]+)"/.exec(data)?.[1];
    const read = { _id, environmentId, subject, data, traceparent: traceparent ?? null };
    try {
      await retryTransient(() => this.messages.insertOne({ ...read, error, receivedAt }));
      return true;
    } catch (failure) {
      if (duplicateKeyIndex(failure) === undefined) throw failure;
      return false;
    }
  }

  count(): Promise<number> {
    return retryTransient(() => this.messages.countDocuments());
  }

  /**
   * Publishes messages again, oldest first, and removes each once the stream has stored it: all of
   * them, or that with an id. Returns their ids. A consumer that cannot read one stores it here
   * again.
   */
  async requeue(stream: Pick<EventStream, 'publish'>, id?: string): Promise<string[]> {
    const filter = id === undefined ? {} : { _id: id };
    const found = await this.messages.find(filter).sort({ receivedAt: 1 }).toArray();
    for (const { _id, subject, data, traceparent } of found) {
      const [first = _id] = _id.split(again, 1);
      await stream.publish({
        id: `${first}${again}${newId()}`,
        subject,
        data,
        ...(traceparent !== null && { traceparent }),
      });
      await retryTransient(() => this.messages.deleteOne({ _id }));
    }
    return found.map(({ _id }) => _id);
  }

  /** Removes the messages about an aggregate, or about one of its second subjects. */
  async removeOf(environmentId: string, aggregateId: string): Promise<void> {
    const _id = { $gte: `${aggregateId}:`, $lt: `${aggregateId};` };
    await retryTransient(() => this.messages.deleteMany({ environmentId, _id }));
  }
}
