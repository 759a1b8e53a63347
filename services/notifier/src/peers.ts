import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type EventLogServiceServer,
  EventLogServiceService,
} from '@billing/proto/billing/event/v1/event_log';

/** One event in its owner's log. */
export interface LoggedEvent {
  /** Sorts by real time of insertion. */
  readonly position: string;
  readonly insertedAt: Date;
  /** CloudEvents JSON. */
  readonly envelope: string;
  readonly traceparent: string | undefined;
}

/** Where a page of the log begins: after an entry, at a real time, or at the log's own beginning. */
export type LogStart =
  { readonly after: string } | { readonly insertedAfter: Date } | { readonly beginning: true };

/** A service whose events become webhooks, and what it has announced. */
export interface EventLogOwner {
  readonly name: string;
  /** At most `limit` entries in order of insertion; fewer mean that the end was reached. */
  read(start: LogStart, limit: number): Promise<LoggedEvent[]>;
}

const readDeadlineMs = 10_000;

/** Connects to the owners of event logs, by their names and addresses. */
export function connectEventLogs(
  service: Service,
  addresses: Readonly<Record<string, string>>,
): EventLogOwner[] {
  return Object.entries(addresses).map(([name, address]) => {
    const peer = service.peer<EventLogServiceServer>(EventLogServiceService, {
      address,
      withoutTenant: ['readEventLog'],
    });
    return { name, read: (start, limit) => readLog(peer, { start, limit }, service.clock) };
  });
}

async function readLog(
  peer: Peer<EventLogServiceServer>,
  { start, limit }: { start: LogStart; limit: number },
  clock: Clock,
): Promise<LoggedEvent[]> {
  const request = {
    afterPosition: 'after' in start ? start.after : '',
    insertedAfter: 'insertedAfter' in start ? start.insertedAfter : undefined,
    limit,
  };
  const { entries } = await peer.readEventLog(request, ownContext(clock));
  return entries.map(({ position, insertedAt, envelopeJson, traceparent }) => {
    if (insertedAt === undefined) throw new Error(`Log entry ${position} has no time`);
    return {
      position,
      insertedAt,
      envelope: envelopeJson,
      traceparent: traceparent === '' ? undefined : traceparent,
    };
  });
}

/** The context of a call that serves nobody's request and belongs to no environment. */
function ownContext(clock: Clock): CallContext {
  const now = clock.now();
  return {
    get tenant(): never {
      throw new Error('Event logs hold all environments');
    },
    now,
    scopes: [],
    requestId: newId(),
    deadline: new Date(now.getTime() + readDeadlineMs),
    signal: AbortSignal.timeout(readDeadlineMs),
  };
}
