import type { Collection, Db } from 'mongodb';
import { derivedId } from '@billing/chassis/ids';
import { insertMissing } from '@billing/chassis/insert-missing';
import { retryTransient } from '@billing/chassis/mongo';

/** An accepted event, as it goes out. Written once, after its deliveries; never changed. */
export interface Message {
  /** `webhook-id`. */
  readonly _id: string;
  readonly environmentId: string;
  /** What numbers its events: a subscription, or a checkout session in messages of the type `checkout.*`. */
  readonly subscriptionId: string;
  /** 1, 2, 3 … for each subscription, and for each checkout session. */
  readonly sequence: number;
  /** `subscription.renewed`, or the type of a mark, which goes to no endpoint. */
  readonly type: string;
  /** Exactly what every attempt sends and signs. */
  readonly body: string;
  /** Who gets it. */
  readonly endpointIds: readonly string[];
  /** By endpoint: the last delivery that it gets of this subscription, up to and with this message. What comes next waits for it. */
  readonly lastDeliveryIds: Readonly<Record<string, string>>;
  readonly traceparent: string | null;
  /** Real time. */
  readonly acceptedAt: Date;
}

/** The natural key of a message. */
export type MessageKey = Pick<Message, 'environmentId' | 'subscriptionId' | 'sequence'>;

/** What is asked of a stored message when the next one comes. */
export type KnownMessage = Pick<Message, '_id' | 'lastDeliveryIds'>;

/** Remembers of a subscription or checkout session that its first messages were accepted, though they may be gone by now. */
export interface MessageFloor {
  /** The subscription's or session's id. */
  readonly _id: string;
  readonly environmentId: string;
  /** The first sequence that need not be gone. */
  readonly sequence: number;
}

/** The type of a mark in the place of an event: one that could not be read, or one that no log gave. */
export type MarkType = 'unreadable' | 'missing';

/** The id of the message of an event: however often the event arrives, it is the same. */
export function messageId({ environmentId, subscriptionId, sequence }: MessageKey): string {
  return derivedId(environmentId, 'message', subscriptionId, sequence);
}

/** What was accepted. A message in the store means that its deliveries are there too. */
export class MessageStore {
  private readonly messages: Collection<Message>;
  private readonly floors: Collection<MessageFloor>;

  constructor(db: Db) {
    this.messages = db.collection<Message>('messages');
    this.floors = db.collection<MessageFloor>('messageFloors');
  }

  /** Stores messages; a repeat finds them there. */
  async insert(messages: readonly Message[]): Promise<void> {
    await insertMissing(this.messages, messages);
  }

  /** Those of the messages that are stored, by id. */
  async findKnown(ids: readonly string[]): Promise<Map<string, KnownMessage>> {
    if (ids.length === 0) return new Map();
    const known = await retryTransient(() =>
      this.messages
        .find({ _id: { $in: ids } })
        .project<KnownMessage>({ lastDeliveryIds: 1 })
        .toArray(),
    );
    return new Map(known.map((message) => [message._id, message]));
  }

  /** The messages of an environment by id; those that are not there (yet) are left out. */
  async findAll(environmentId: string, ids: readonly string[]): Promise<Map<string, Message>> {
    if (ids.length === 0) return new Map();
    const messages = await retryTransient(() =>
      this.messages.find({ _id: { $in: ids }, environmentId }).toArray(),
    );
    return new Map(messages.map((message) => [message._id, message]));
  }

  /** Below which sequence messages may be gone though they were accepted, by subscription; nothing of the others is gone. */
  async findFloors(
    keys: readonly Pick<MessageKey, 'environmentId' | 'subscriptionId'>[],
  ): Promise<Map<string, number>> {
    if (keys.length === 0) return new Map();
    const filter = {
      _id: { $in: [...new Set(keys.map(({ subscriptionId }) => subscriptionId))] },
      environmentId: { $in: [...new Set(keys.map(({ environmentId }) => environmentId))] },
    };
    const floors = await retryTransient(() => this.floors.find(filter).toArray());
    return new Map(floors.map(({ _id, sequence }) => [_id, sequence]));
  }
}
