import type { DomainError } from '@billing/kernel/domain-error';
import type { Command, DomainEvent } from '@billing/kernel/transition';
import type { Tenant } from './call-context';

/** The order in which work of one instant runs under a manual clock; see clock/v1/due_work.proto. */
export type WorkClass = 'COLLECTION' | 'END' | 'RENEWAL';

/** When a document wants to be woken, and in which class. */
export interface DueAt {
  readonly at: Date;
  readonly workClass: WorkClass;
}

/** An aggregate as it stands in the database. */
export interface Stored<S> {
  readonly state: S;
  readonly tenant: Tenant;
  /** Counts changes from 1; the ETag. */
  readonly version: number;
  /** Business time of the insert. */
  readonly createdAt: Date;
  /** Business time of the last change; no decision's `now` lies before it. */
  readonly updatedAt: Date;
}

/** What the store must know of one kind of aggregate. */
export interface AggregateDefinition<S extends { readonly id: string }> {
  /** The collection, plural: `subscriptions`. */
  readonly collection: string;
  /** The noun in subjects and event types: `subscription`. */
  readonly aggregate: string;
  /** The noun in messages: `Webhook endpoint`. */
  readonly resource: string;
  /** State to the document's own fields; must not use the names of the envelope (see aggregate-document.ts). */
  toDocument(state: S): Record<string, unknown>;
  /** The inverse of toDocument; `_id` is the id. */
  fromDocument(document: Record<string, unknown> & { readonly _id: string }): S;
  /** Keys of further indexes; the environment is put in front. `createdAt, _id` for lists is always there. */
  readonly indexes?: readonly {
    readonly name: string;
    readonly keys: Readonly<Record<string, 1 | -1>>;
    readonly unique?: boolean;
  }[];
  /** Fields that a document has from its insert and that no decision changes; lists that filter by no others are counted fast (list-counts.ts). */
  readonly fixedFields?: readonly string[];
  /** What a taken natural key means, by the name of its unique index. */
  readonly conflicts?: Readonly<Record<string, () => DomainError>>;
  /** Business time at which `wake` is due; absent: never. */
  dueAt?(state: S): DueAt | undefined;
  /** Real time at which a step that was begun is taken up by `recover`; absent: never. Pending while set. */
  recoverAt?(state: S): Date | undefined;
  /**
   * What has been reached permanently, by name; once named, always named. The write that reaches something notes its real time, by which
   * totals are added up (see running-totals.ts).
   */
  stepsReached?(state: S): readonly string[];
  /** A domain event as the JSON form of its proto message; absent: the aggregate announces nothing. */
  encodeEvent?(event: DomainEvent, stored: Stored<S>): unknown;
  /** A command's payload as it is stored, where it carries the aggregate right after the decision; absent: as the rule gave it. */
  encodeCommand?(command: Command, stored: Stored<S>): Record<string, unknown>;
}
