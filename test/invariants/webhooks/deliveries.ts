import { type Examination, examineEach, groupBy, repeated, together } from '../picture/invariant';
import type { DeliveryPicture, EndpointPicture, EventPicture, Picture } from '../picture/picture';

type Seen = Pick<Picture, 'feed' | 'takenAt'> & { readonly events: readonly EventPicture[] };

// Deliveries are listed for 30 days; the last day is left to those that are being removed.
const listedMs = 29 * 24 * 60 * 60 * 1_000;
const attemptsListed = 10;

/** Events that an active endpoint subscribes to, logged since its last change. */
export function dueEvents(
  endpoint: Pick<EndpointPicture, 'active' | 'events' | 'updatedAt'>,
  events: readonly EventPicture[],
): EventPicture[] {
  if (!endpoint.active) return [];
  const since = new Date(endpoint.updatedAt);
  return events.filter(({ type, insertedAt }) => wants(endpoint, type) && insertedAt > since);
}

/** True if an endpoint names the type, its resource or all types. */
function wants({ events }: Pick<EndpointPicture, 'events'>, type: string): boolean {
  const [resource = ''] = type.split('.');
  return events.some((name) => ['*', `${resource}.*`, type].includes(name));
}

/**
 * Checks the deliveries that the API lists for an endpoint: one for each due event, none twice,
 * each of the message with its number, and finished ones with the attempt that finished them.
 */
export function deliveriesOf(endpoint: EndpointPicture, seen: Seen): Examination {
  const { id, deliveries } = endpoint;
  if (deliveries === undefined) return together();
  const { feed, events, takenAt } = seen;
  const entries = new Map((feed?.entries ?? []).map((entry) => [entry.event?.id, entry]));
  const restoreCodeOf = ({ messageId }: DeliveryPicture) =>
    entries.get(messageId)?.event?.restoreCode ?? '';
  const ofEvents = deliveries.filter(({ subjectId }) => subjectId !== null);
  const types = groupBy(ofEvents, keyOf);
  const listedSince = new Date(takenAt.getTime() - listedMs);
  const due = dueEvents(endpoint, events).filter(({ insertedAt }) => insertedAt > listedSince);
  return together(
    examineEach(due, (event) => [
      !types.get(event.id)?.some(({ type }) => type === event.type) &&
        `endpoint ${id} has no delivery of ${event.type} ${event.id}`,
    ]),
    examineEach(deliveries, (delivery) => attemptProblems(delivery)),
    examineEach(ofEvents, (delivery) => {
      const { messageId } = delivery;
      const entry = entries.get(messageId);
      const isOther =
        entry !== undefined &&
        keyOf(delivery) !== `${entry.subject.id}:${String(entry.event?.sequence)}`;
      return [isOther && `delivery ${delivery.id} is not of the number of message ${messageId}`];
    }),
    {
      examined: 0,
      findings: repeated(
        ofEvents.map((delivery) => `${keyOf(delivery)} ${restoreCodeOf(delivery)}`.trim()),
      ).map(([key, count]) => `endpoint ${id} has ${String(count)} deliveries of ${key}`),
    },
  );
}

function keyOf({ subjectId, sequence }: DeliveryPicture): string {
  return `${String(subjectId)}:${String(sequence)}`;
}

function attemptProblems({ id, status, attempts }: DeliveryPicture): (string | false)[] {
  const isAccepted = attempts.some(({ responseStatus }) => isSuccess(responseStatus));
  return [
    status === 'DELIVERED' &&
      !isAccepted &&
      attempts.length < attemptsListed &&
      `delivery ${id} is DELIVERED without an accepted attempt`,
    status === 'FAILED' && attempts.length === 0 && `delivery ${id} is FAILED without an attempt`,
  ];
}

function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
