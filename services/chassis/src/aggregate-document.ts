import type { Command, DomainEvent } from '@billing/kernel/transition';
import type { AggregateDefinition, Stored, WorkClass } from './aggregate';
import { timelineOf, type Tenant } from './call-context';
import type { FirstReachedFields } from './first-reached';

/** An event or command that waits in its aggregate's document until it is done. */
export interface OutboxEntry {
  readonly kind: 'event' | 'command';
  /** 1, 2, 3 … for the events of an aggregate, and apart from them for its commands. */
  readonly sequence: number;
  readonly type: string;
  /** Business time of the decision. */
  readonly at: Date;
  /** An event's data in JSON form as text, so that keys such as `a.b` never meet the database's own rules; a command's payload. */
  readonly payload: unknown;
  readonly traceparent: string | null;
}

/** The fields that the chassis keeps in every aggregate's document, beside the aggregate's own. */
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
  /** Tells a writer whose answer was lost whether its write took place. */
  readonly lastWrite: string;
}

export type AggregateDocument = Envelope & Record<string, unknown>;

/** The fields by which a document says whose it is. */
export type TenantFields = Pick<Envelope, 'environmentId' | 'organizationId' | 'live' | 'timeline'>;

/** The tenant an aggregate belongs to. */
export function tenantOf({ organizationId, environmentId, live, timeline }: TenantFields): Tenant {
  return { organizationId, environmentId, live, manualClock: timeline === environmentId };
}

/** The document of a new aggregate, without its outbox. */
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

/** A document as its aggregate. */
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

/** When the document wants to be looked at again. */
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

/** New outbox entries, numbered on from where the document stands. */
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
