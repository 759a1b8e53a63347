import type { Peer } from '@billing/chassis/peer';
import { testContext } from '@billing/chassis/testing';
import type { EventLogServiceServer } from '@billing/proto/billing/event/v1/event_log';

/** An announced event. */
export interface LoggedEvent {
  readonly type: string;
  readonly sequence: number;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events of one subject, in the order of their log. */
export async function readLoggedEvents(
  eventLog: Pick<Peer<EventLogServiceServer>, 'readEventLog'>,
  id: string,
): Promise<LoggedEvent[]> {
  const all = { afterPosition: '', insertedAfter: undefined, limit: 1000 };
  const request = { ...all, reader: '', passedPosition: '' };
  const { entries } = await eventLog.readEventLog(request, testContext());
  return entries
    .map(({ envelopeJson }) => JSON.parse(envelopeJson) as LoggedEvent & { subject: string })
    .filter(({ subject }) => subject === id);
}
