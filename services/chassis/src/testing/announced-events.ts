import { readFileSync } from 'node:fs';
import type { Transition } from '@billing/kernel/transition';
import {
  type AggregateDefinition,
  newEnvelope,
  outboxEntries,
  type Stored,
} from '../aggregates/aggregate';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { announcementOf } from '../outbox/outbox-entry';

// The writes of golden events: an aggregate that was created on New Year's Day.
const tenant = {
  organizationId: '01900000-0000-7000-8000-000000000001',
  environmentId: '01900000-0000-7000-8000-000000000002',
  live: false,
  manualClock: true,
};
const createdAt = new Date('2026-01-01T00:00:00.000Z');

/** A write whose events are asserted. */
export interface AnnouncedWrite<S> {
  readonly service: string;
  /** State before; absent for an insert. */
  readonly before?: S;
  readonly transition: Pick<Transition<S>, 'state' | 'events'>;
  readonly at?: Date;
  /** Sequence of the write's first event. */
  readonly sequence?: number;
  /** Numbers of events of second subjects before; absent: none. */
  readonly subjectSequences?: Readonly<Record<string, number>>;
  /** Code of the system's last restore. */
  readonly restoreCode?: string;
}

/** Events of a write, as the store would log them. */
export function announcedEvents<S extends { readonly id: string }>(
  definition: AggregateDefinition<S>,
  write: AnnouncedWrite<S>,
): unknown[] {
  const {
    service,
    before,
    transition,
    at = createdAt,
    sequence = 1,
    subjectSequences = {},
    restoreCode = null,
  } = write;
  const stored = (state: S, updatedAt: Date, version: number): Stored<S> => {
    return { state, tenant, version, createdAt, updatedAt };
  };
  const former = before === undefined ? undefined : stored(before, createdAt, 1);
  const after = stored(transition.state, at, former === undefined ? 1 : 2);
  const change = { before: former, after };
  const events = definition.announce?.(transition.events, change) ?? transition.events;
  const document = { ...newEnvelope(after.state.id, tenant, createdAt), subjectSequences };
  const envelope = { ...document, eventSequence: sequence - 1 };
  const decision = { events, commands: [] };
  const { entries } = outboxEntries(definition, after, decision, {
    envelope,
    traceparent: undefined,
    restoreCode,
  });
  const collection = { definition } as unknown as AggregateCollection<never>;
  return entries.map(
    (entry) =>
      JSON.parse(announcementOf(service, collection, { document, entry }).envelope) as unknown,
  );
}

/** Example of an event in the proto package. */
export function exampleEvent(name: string): unknown {
  const file = require.resolve(`@billing/proto/examples/${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as unknown;
}
