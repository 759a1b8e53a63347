import type { Command, DomainEvent } from '@billing/kernel/transition';
import type { AggregateDefinition, Stored, WorkClass } from './aggregate';
import { timelineOf, type Tenant } from '../grpc/call-context';
import type { FirstReachedFields } from './first-reached';

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
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly eventSequence: number;
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

/** Creates new outbox entries, numbered after the document's latest ones. */
export function outboxEntries<S extends { readonly id: string }>(
  definition: AggregateDefinition<S>,
  stored: Stored<S>,
  decision: { events: readonly DomainEvent[]; commands: readonly Command[] },
  {
    envelope,
    traceparent,
  }: {
    envelope: Pick<Envelope, 'eventSequence' | 'commandSequence'>;
    traceparent: string | undefined;
  },
): OutboxEntry[] {
  const common = { at: stored.updatedAt, traceparent: traceparent ?? null };
  const events = decision.events.map((event, index): OutboxEntry => {
    if (definition.encodeEvent === undefined) {
      throw new Error(`${definition.aggregate} announces no events`);
    }
    return {
      kind: 'event',
      sequence: envelope.eventSequence + index + 1,
      type: event.type,
      payload: JSON.stringify(definition.encodeEvent(event, stored)),
      ...common,
    };
  });
  const commands = decision.commands.map((command, index): OutboxEntry => ({
    kind: 'command',
    sequence: envelope.commandSequence + index + 1,
    type: command.type,
    payload: definition.encodeCommand?.(command, stored) ?? command.payload,
    ...common,
  }));
  return [...events, ...commands];
}
