import type { DomainError } from '@billing/kernel/domain-error';
import type { Command, DomainEvent } from '@billing/kernel/transition';
import type { Tenant } from '../grpc/call-context';

/** Order in which work of one instant runs under a manual clock; see clock/v1/due_work.proto. */
export type WorkClass = 'COLLECTION' | 'END' | 'RENEWAL';

/** Time at which a document is due to be woken, and the class of the work. */
export interface DueAt {
  readonly at: Date;
  readonly workClass: WorkClass;
}

/** An aggregate as stored, with its version and times. */
export interface Stored<S> {
  readonly state: S;
  readonly tenant: Tenant;
  /** Counts changes from 1; used as the ETag. */
  readonly version: number;
  /** Environment time of the insert. */
  readonly createdAt: Date;
  /** Environment time of the last change. The `now` of a decision is never before it. */
  readonly updatedAt: Date;
}

/** Definition of one kind of aggregate for the store. */
export interface AggregateDefinition<S extends { readonly id: string }> {
  /** Name of the collection, plural: `subscriptions`. */
  readonly collection: string;
  /** Noun in subjects and event types: `subscription`. */
  readonly aggregate: string;
  /** Noun in messages: `Webhook endpoint`. */
  readonly resource: string;
  /**
   * Converts state to the document's own fields, which must not use names of the envelope (see
   * aggregate-document.ts).
   */
  toDocument(state: S): Record<string, unknown>;
  /** Inverse of toDocument; `_id` is the id. */
  fromDocument(document: Record<string, unknown> & { readonly _id: string }): S;
  /**
   * Keys of further indexes; the environment is prepended. An index on `createdAt, _id` for lists
   * always exists.
   */
  readonly indexes?: readonly {
    readonly name: string;
    readonly keys: Readonly<Record<string, 1 | -1>>;
    readonly unique?: boolean;
  }[];
  /**
   * Fields that are set on insert and that no decision changes. Lists filtered only by these fields
   * are counted fast (list-counts.ts).
   */
  readonly fixedFields?: readonly string[];
  /** Errors for natural keys that are in use, by the name of the unique index. */
  readonly conflicts?: Readonly<Record<string, () => DomainError>>;
  /** Environment time at which `wake` is due; absent: never. */
  dueAt?(state: S): DueAt | undefined;
  /**
   * Real time at which `recover` resumes a started step; absent: never. The aggregate counts as
   * pending while set.
   */
  recoverAt?(state: S): Date | undefined;
  /**
   * Names of steps that the aggregate has reached, permanently: a name once returned is always
   * returned. The write that reaches a step stores its real time, by which totals are computed (see
   * running-totals.ts).
   */
  stepsReached?(state: S): readonly string[];
  /**
   * Encodes a domain event as the JSON form of its proto message; absent: the aggregate publishes
   * no events.
   */
  encodeEvent?(event: DomainEvent, stored: Stored<S>): unknown;
  /**
   * Encodes a command's payload for storage, where the payload contains the aggregate right after
   * the decision; absent: stored as the rule returned it.
   */
  encodeCommand?(command: Command, stored: Stored<S>): Record<string, unknown>;
}
