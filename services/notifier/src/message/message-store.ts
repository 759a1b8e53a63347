import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { insertMissing } from '@billing/chassis/inserts';
import { retryTransient } from '@billing/chassis/mongo';
import { restoreCodeOf } from '@billing/chassis/restore-codes';
import { subjectTypeOf } from '@billing/kernel/input/webhook-endpoint';

/**
 * An accepted event in its outgoing form. Written once, after its deliveries; immutable, until the
 * customer that it is about has long been deleted.
 */
export interface Message {
  /** `webhook-id`. */
  readonly _id: string;
  readonly environmentId: string;
  /** The owner of the event. Absent in marks and in messages of earlier releases. */
  readonly tenant?: Tenant;
  /** Id of the subject: the resource that numbers the events. */
  readonly subscriptionId: string;
  /** Type of the subject, such as `subscription`. Absent in messages of earlier releases. */
  readonly subjectType?: string;
  /** 1, 2, 3 … for each subject. */
  readonly sequence: number;
  /**
   * Restore codes of the subject up to this message; see restore-codes.ts of the chassis. Absent
   * before any restore.
   */
  readonly restoreCodes?: string | undefined;
  /** `subscription.renewed`, or the type of a mark, which is delivered to no endpoint. */
  readonly type: string;
  /** The exact bytes that every attempt sends and signs. */
  readonly body: string;
  /** The endpoints that receive it. */
  readonly endpointIds: readonly string[];
  /**
   * By endpoint: its latest delivery of this subscription, up to and including this message. The
   * next delivery waits for it.
   */
  readonly lastDeliveryIds: Readonly<Record<string, string>>;
  readonly traceparent: string | null;
  /** Real time. */
  readonly acceptedAt: Date;
}

/** A subject's sequence number; several messages may share it after a restore. */
export type MessageNumber = Pick<Message, 'environmentId' | 'subscriptionId' | 'sequence'>;

/** The natural key of a message. */
export type MessageKey = MessageNumber & Pick<Message, 'restoreCodes'>;

/** The natural key of a message, with the type of its subject. */
export interface SubjectKey extends MessageKey {
  readonly subjectType: string;
}

/** The fields of a stored message that the acceptance of the next one needs. */
export type KnownMessage = Pick<Message, '_id' | 'lastDeliveryIds'>;

/** Proof that a subject's first messages were accepted, although they may have been removed. */
export interface MessageFloor {
  /** The subject's id. */
  readonly _id: string;
  readonly environmentId: string;
  /** The first sequence that may still be stored; lower ones may have been removed. */
  readonly sequence: number;
}

/** The type of a mark in place of an event: unreadable, or returned by no log. */
export type MarkType = 'unreadable' | 'missing';

/** Type of the subject of a message. A mark of an earlier release does not tell it. */
export function subjectTypeOfMessage({ subjectType, type }: Pick<Message, 'subjectType' | 'type'>) {
  if (subjectType !== undefined) return subjectType;
  return type.includes('.') ? subjectTypeOf(type) : 'subscription';
}

/**
 * The message id of an event. Deterministic, so that a redelivered event creates no second message.
 * The events that a subject announces after a restore have other ids than those of their numbers
 * that the restore has lost.
 */
export function messageId({ restoreCodes, ...number }: MessageKey): string {
  return idUnder(restoreCodeOf(restoreCodes, number.sequence), number);
}

/** All ids that the messages of a number may have, by the codes of all restores. */
export function messageIdsAt(number: MessageNumber, codes: readonly string[]): string[] {
  return [null, ...codes].map((code) => idUnder(code, number));
}

function idUnder(
  code: string | null,
  { environmentId, subscriptionId, sequence }: MessageNumber,
): string {
  const ofRestore = code === null ? [] : [code];
  return derivedId(environmentId, 'message', subscriptionId, sequence, ...ofRestore);
}

/** The part of a message's key that only messages after a restore have. */
export function restoreCodesField({ restoreCodes }: Pick<MessageKey, 'restoreCodes'>) {
  return restoreCodes === undefined ? {} : { restoreCodes };
}

/** The accepted events. A stored message implies that its deliveries are stored, too. */
export class MessageStore {
  private readonly messages: Collection<Message>;
  private readonly floors: Collection<MessageFloor>;

  constructor(db: Db) {
    this.messages = db.collection<Message>('messages');
    this.floors = db.collection<MessageFloor>('messageFloors');
  }

  /** Stores messages; leaves those unchanged that a retry finds stored. */
  async insert(messages: readonly Message[]): Promise<void> {
    await insertMissing(this.messages, messages);
  }

  /** Returns those of the messages that are stored, by id. */
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

  /**
   * Returns those of the events that were never accepted. The message of an accepted one may have
   * been removed since.
   */
  async findLacking<T extends { readonly key: MessageKey }>(events: readonly T[]): Promise<T[]> {
    const known = await this.findKnown(events.map(({ key }) => messageId(key)));
    const unknown = events.filter(({ key }) => !known.has(messageId(key)));
    const floors = await this.findFloors(unknown.map(({ key }) => key));
    return unknown.filter(({ key }) => key.sequence >= (floors.get(key.subscriptionId) ?? 1));
  }

  /** Returns an environment's messages by id; omits those that are not stored (yet). */
  async findAll(environmentId: string, ids: readonly string[]): Promise<Map<string, Message>> {
    if (ids.length === 0) return new Map();
    const messages = await retryTransient(() =>
      this.messages.find({ _id: { $in: ids }, environmentId }).toArray(),
    );
    return new Map(messages.map((message) => [message._id, message]));
  }

  /** Removes the data of messages; the envelope stays. Marks have none. */
  async blank(environmentId: string, ids: readonly string[]): Promise<void> {
    const found = await this.findAll(environmentId, ids);
    for (const { _id, body } of found.values()) {
      if (body === '') continue;
      const update = { $set: { body: blankBody(body) } };
      await retryTransient(() => this.messages.updateOne({ _id, environmentId }, update));
    }
  }

  /**
   * Returns by subscription the sequence below which accepted messages may have been removed; no
   * messages of the other subscriptions were removed.
   */
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

/** Body without its data. */
function blankBody(body: string): string {
  const { id, type, timestamp, sequence, restoreCode } = JSON.parse(body) as Record<
    string,
    unknown
  >;
  return JSON.stringify({ id, type, timestamp, sequence, restoreCode, data: {} });
}
