import type { Collection, Db } from 'mongodb';
import { derivedId } from '@billing/chassis/ids';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';

/** An accepted event, as it goes out. Written once, after its deliveries; never changed. */
export interface Message {
  /** `webhook-id`. */
  readonly _id: string;
  readonly environmentId: string;
  readonly subscriptionId: string;
  /** 1, 2, 3 … for each subscription. */
  readonly sequence: number;
  readonly type: string;
  /** Exactly what every attempt sends and signs. */
  readonly body: string;
  /** Who gets it. */
  readonly endpointIds: readonly string[];
  readonly traceparent: string | null;
  /** Real time. */
  readonly acceptedAt: Date;
}

/** The natural key of a message. */
export type MessageKey = Pick<Message, 'environmentId' | 'subscriptionId' | 'sequence'>;

/** The id of the message of an event: however often the event arrives, it is the same. */
export function messageId({ environmentId, subscriptionId, sequence }: MessageKey): string {
  return derivedId(environmentId, 'message', subscriptionId, sequence);
}

/** What was accepted. A message in the store means that its deliveries are there too. */
export class MessageStore {
  private readonly messages: Collection<Message>;

  constructor(db: Db) {
    this.messages = db.collection<Message>('messages');
  }

  /** Stores a message; a repeat finds it there. */
  async insert(message: Message): Promise<void> {
    try {
      await retryTransient(() => this.messages.insertOne(message));
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }

  /** Which of the ids are stored. */
  async findKnown(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const known = await retryTransient(() =>
      this.messages
        .find({ _id: { $in: ids } })
        .project<Pick<Message, '_id'>>({ _id: 1 })
        .toArray(),
    );
    return new Set(known.map(({ _id }) => _id));
  }

  /** The messages of an environment by id; those that are not there (yet) are left out. */
  async findAll(environmentId: string, ids: readonly string[]): Promise<Map<string, Message>> {
    if (ids.length === 0) return new Map();
    const messages = await retryTransient(() =>
      this.messages.find({ _id: { $in: ids }, environmentId }).toArray(),
    );
    return new Map(messages.map((message) => [message._id, message]));
  }
}
