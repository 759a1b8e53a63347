import type { DomainError } from '@billing/kernel/domain-error';
import { type Tenant, timelineOf } from '../grpc/call-context';
import { type Findable, searchKeysOf } from '@billing/kernel/search-words';
import type { Command, DomainEvent } from '@billing/kernel/transition';
import type { FirstReachedFields } from './first-reached';
import { derivedId } from '../ids';
import { restoreCodesAfter } from '../recovery/restore-codes';
import { sliceOf } from '../replicas/slices';

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

/** Natural key of an aggregate: its values are unique in each environment. */
export interface NaturalKey<S> {
  /** Field by which callers know the value: `externalId`. */
  readonly field: string;
  /** Null for an aggregate without a value. */
  readonly valueOf: (state: S) => string | null;
  /** Error for a value that another aggregate has. */
  readonly taken: () => DomainError;
}

/** Search of one kind of aggregate; see search-index.ts. */
export interface SearchDefinition<S> {
  /**
   * Number of the rule; raise it when `findableOf` or the kernel's words change. Documents that an
   * earlier rule indexed are then indexed again.
   */
  readonly revision: number;
  /** Facts by which the aggregate is found; undefined for one that is never found. */
  readonly findableOf: (state: S) => Findable | undefined;
  /** True if a word with one wrong letter is forgiven: for names. */
  readonly isForgiving?: boolean;
}

/** An aggregate before and after a write; `before` is undefined for an insert. */
export interface AggregateChange<S> {
  readonly before: Stored<S> | undefined;
  readonly after: Stored<S>;
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
   * Converts state to the document's own fields, which must not use the names of `Envelope`.
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
  }[];
  /**
   * Fields that are set on insert and that no decision changes. Lists filtered only by these fields
   * are counted fast (list-counts.ts).
   */
  readonly fixedFields?: readonly string[];
  /**
   * Name of a field with the time since which lists leave an aggregate out; null or absent: never.
   * Few aggregates are left out; an index on the field exists. Absent: lists have all.
   */
  readonly hiddenSince?: string;
  readonly naturalKey?: NaturalKey<S>;
  /** Absent: the aggregates are not searched. */
  readonly search?: SearchDefinition<S>;
  /** Environment time at which `wake` is due; absent: never. */
  dueAt?(state: S): DueAt | undefined;
  /** Class of all work by `dueAt`; absent: several. Work of others is not looked for. */
  readonly dueClass?: WorkClass;
  /**
   * Number of the rule `dueAt`; raise it when documents of an earlier release are due at other
   * times by it. They are then scheduled again. Absent: the rule never changed.
   */
  readonly scheduleRevision?: number;
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
   * Returns the events of a write in their order: those that its decision named, and those that
   * follow from the change, independent of what decided it. Absent: only those of the decision.
   */
  announce?(decided: readonly DomainEvent[], change: AggregateChange<S>): readonly DomainEvent[];
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

/** An event or command that waits in its aggregate's document until it is processed. */
export interface OutboxEntry {
  readonly kind: 'event' | 'command';
  /** Counts 1, 2, 3 … per aggregate; events and commands are counted separately. */
  readonly sequence: number;
  readonly type: string;
  /** Environment time of the decision. */
  readonly at: Date;
  /**
   * Data of an event as JSON text, because keys such as `a.b` conflict with the database's rules;
   * or the payload of a command.
   */
  readonly payload: unknown;
  readonly traceparent: string | null;
  /**
   * Subject that numbers the event, and its number, where the aggregate has several subjects.
   * Absent: the aggregate and `sequence`.
   */
  readonly announcedAs?: { readonly id: string; readonly sequence: number };
  /**
   * Restore codes of the event's subject up to this event; see restore-codes.ts. Absent before any
   * restore, and in commands.
   */
  readonly restoreCodes?: string;
}

/**
 * Fields that the chassis stores in every aggregate's document in addition to the aggregate's own.
 */
export interface Envelope extends FirstReachedFields {
  readonly _id: string;
  readonly environmentId: string;
  readonly organizationId: string;
  readonly live: boolean;
  readonly timeline: string;
  /** Decides which replica does the document's background work; see slice.ts. */
  readonly slice?: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly eventSequence: number;
  /** Number of events of each second subject, among those of `eventSequence`. Absent: none. */
  readonly subjectSequences?: Readonly<Record<string, number>>;
  /**
   * Restore codes by subject, of the aggregate under its noun; see restore-codes.ts. Absent before
   * any restore.
   */
  readonly restoreCodes?: Readonly<Record<string, string>>;
  readonly commandSequence: number;
  readonly outbox: readonly OutboxEntry[];
  /** Real time of the write that made the outbox non-empty; null while it is empty. */
  readonly pendingSince: Date | null;
  readonly dueAt: Date | null;
  readonly dueClass: WorkClass | null;
  readonly recoverAt: Date | null;
  /**
   * Id of the last write. A writer whose response was lost reads it to find out if the write
   * succeeded.
   */
  readonly lastWrite: string;
  /** Keys by which the aggregate is found. Absent in documents of earlier releases. */
  readonly searchKeys?: readonly string[];
  /**
   * Real time of the last write, for the recovery after a restore. Absent in documents of earlier
   * releases.
   */
  readonly changedAt?: Date;
}

export type AggregateDocument = Envelope & Record<string, unknown>;

/** Fields that identify the tenant of a document. */
export type TenantFields = Pick<Envelope, 'environmentId' | 'organizationId' | 'live' | 'timeline'>;

export function tenantOf({ organizationId, environmentId, live, timeline }: TenantFields): Tenant {
  return { organizationId, environmentId, live, manualClock: timeline === environmentId };
}

/** Creates the document of a new aggregate, without its outbox. */
export function newEnvelope(id: string, tenant: Tenant, now: Date): Envelope {
  const { organizationId, environmentId, live } = tenant;
  return {
    _id: id,
    environmentId,
    organizationId,
    live,
    timeline: timelineOf(tenant),
    slice: sliceOf(id),
    version: 1,
    createdAt: now,
    updatedAt: now,
    eventSequence: 0,
    commandSequence: 0,
    outbox: [],
    pendingSince: null,
    dueAt: null,
    dueClass: null,
    recoverAt: null,
    lastWrite: '',
  };
}

/** Converts a document to its aggregate. */
export function toStored<S extends { readonly id: string }>(
  definition: AggregateDefinition<S>,
  document: AggregateDocument,
): Stored<S> {
  return {
    state: definition.fromDocument(document),
    tenant: tenantOf(document),
    version: document.version,
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
  };
}

/** Returns the times at which the document is due to be woken and recovered. */
export function scheduleOf<S extends { readonly id: string }>(
  definition: AggregateDefinition<S>,
  state: S,
): Pick<Envelope, 'dueAt' | 'dueClass' | 'recoverAt'> {
  const due = definition.dueAt?.(state);
  return {
    dueAt: due?.at ?? null,
    dueClass: due?.workClass ?? null,
    recoverAt: definition.recoverAt?.(state) ?? null,
  };
}

/**
 * Returns the keys by which the document is found. Each write of the document stores them. Keys
 * that an earlier release has stored, of aggregates that are found in another way now, are emptied:
 * they may have names.
 */
export function searchFieldsOf<S extends { readonly id: string }>(
  { search }: Pick<AggregateDefinition<S>, 'search'>,
  state: S,
  stored: readonly string[] = [],
): Pick<Envelope, 'searchKeys'> {
  if (search === undefined) return stored.length === 0 ? {} : { searchKeys: [] };
  const findable = search.findableOf(state);
  return { searchKeys: findable === undefined ? [] : searchKeysOf(findable) };
}

/** Fields of a document that number its next entries. */
type Numbering = Pick<
  Envelope,
  'eventSequence' | 'commandSequence' | 'subjectSequences' | 'restoreCodes'
>;

/** Creates new outbox entries, numbered after the document's latest ones. */
export function outboxEntries<S extends { readonly id: string }>(
  definition: AggregateDefinition<S>,
  stored: Stored<S>,
  decision: { events: readonly DomainEvent[]; commands: readonly Command[] },
  {
    envelope,
    traceparent,
    restoreCode,
  }: {
    envelope: Numbering;
    traceparent: string | undefined;
    /** Code of the system's last restore. */
    restoreCode: string | null;
  },
): { entries: OutboxEntry[]; restoreCodes: Envelope['restoreCodes'] } {
  const numbered = numberedAs(stored, decision.events, envelope);
  const common = { at: stored.updatedAt, traceparent: traceparent ?? null };
  let { restoreCodes } = envelope;
  const events = decision.events.map((event, index): OutboxEntry => {
    if (definition.encodeEvent === undefined) {
      throw new Error(`${definition.aggregate} announces no events`);
    }
    const sequence = envelope.eventSequence + index + 1;
    const number = numbered[index]?.announcedAs?.sequence ?? sequence;
    const subject = event.subject ?? definition.aggregate;
    const codes = restoreCodesAfter(restoreCodes?.[subject], {
      code: restoreCode,
      sequence: number,
    });
    if (codes !== undefined) restoreCodes = { ...restoreCodes, [subject]: codes };
    return {
      kind: 'event',
      sequence,
      type: event.type,
      payload: JSON.stringify(definition.encodeEvent(event, stored)),
      ...common,
      ...numbered[index],
      ...(codes !== undefined && { restoreCodes: codes }),
    };
  });
  const commands = decision.commands.map((command, index): OutboxEntry => ({
    kind: 'command',
    sequence: envelope.commandSequence + index + 1,
    type: command.type,
    payload: definition.encodeCommand?.(command, stored) ?? command.payload,
    ...common,
  }));
  return { entries: [...events, ...commands], restoreCodes };
}

/** Number of events of each second subject after a write; undefined if there are none. */
export function subjectSequencesAfter(
  { subjectSequences }: Pick<Envelope, 'subjectSequences'>,
  events: readonly DomainEvent[],
): Readonly<Record<string, number>> | undefined {
  const counts = new Map(Object.entries(subjectSequences ?? {}));
  for (const { subject } of events) {
    if (subject !== undefined) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  }
  return counts.size === 0 ? undefined : Object.fromEntries(counts);
}

// Each subject numbers its events without gaps, so those of the second ones do not count for the
// aggregate. Without second subjects the sequence of the outbox is the number.
function numberedAs<S extends { readonly id: string }>(
  { state, tenant: { environmentId } }: Stored<S>,
  events: readonly DomainEvent[],
  envelope: Pick<Envelope, 'eventSequence' | 'subjectSequences'>,
): Pick<OutboxEntry, 'announcedAs'>[] {
  return events.map(({ subject }, index) => {
    const counts = subjectSequencesAfter(envelope, events.slice(0, index + 1));
    if (counts === undefined) return {};
    if (subject !== undefined) {
      const id = derivedId(environmentId, subject, state.id);
      return { announcedAs: { id, sequence: counts[subject] ?? 0 } };
    }
    const others = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { announcedAs: { id: state.id, sequence: envelope.eventSequence + index + 1 - others } };
  });
}

/** One page, newest first. */
export interface Page<S> {
  readonly data: Stored<S>[];
  /** Exact count over all pages; see list-counts.ts. */
  readonly total: number;
}

/** Outbox of a document, as read from the database or as written by this process. */
export type OutboxDocument = Pick<
  AggregateDocument,
  'outbox' | 'eventSequence' | 'commandSequence' | 'pendingSince'
>;

/**
 * A command that is about to be done. The write of its last step may empty the outbox if only the
 * command is pending.
 */
export interface Completion {
  /**
   * Resolves when everything else in the outbox is done, at the latest after a short wait, which
   * may save a write.
   */
  whenLast(): Promise<void>;
  /**
   * True if nothing in the outbox, as it was read for the write, is pending once the command is
   * done.
   */
  isLastOf(document: OutboxDocument): boolean;
  /** Records that the write has emptied the outbox as it was read. */
  recordWritten(document: OutboxDocument): void;
}

/** A new aggregate whose caller runs its commands itself. */
export interface InlineCommands<S> {
  readonly stored: Stored<S>;
  /** False if the id was in use: then the existing aggregate's commands are left to the relay. */
  readonly inserted: boolean;
  /** Called when all commands are done. Commands decided in the meantime are left to the relay. */
  readonly markDone: () => Promise<void>;
  /** Leaves the commands to the relay. */
  readonly leaveToRelay: () => void;
}
