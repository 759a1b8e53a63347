import {
  type Examination,
  examineEach,
  groupBy,
  type Invariant,
  together,
} from '../picture/invariant';
import type { EndpointPicture, EventPicture } from '../picture/picture';
import { hasSubject, subjectOf, type WebhookBody } from './body';
import { deliveriesOf, dueEvents } from './deliveries';

export const webhooksArrive: Invariant = {
  id: 'I9',
  title: 'each public event reached each endpoint, same id and bytes at each attempt',
  examine: (picture) => {
    const { events, areEventsWhole, endpoints } = picture;
    if (events === undefined) return undefined;
    const recorded = endpoints.filter(({ received }) => received !== undefined);
    const count = endpoints.length - recorded.length;
    const unseen =
      count === 0
        ? []
        : [
            `ids and bytes of attempts, and arrival, at ${String(count)} endpoints without a receiver`,
          ];
    const examination = together(
      ...recorded.map((endpoint) => arrivals(endpoint, { events, areEventsWhole })),
      ...endpoints.map((endpoint) => deliveriesOf(endpoint, { ...picture, events })),
    );
    return { ...examination, unseen };
  },
};

/** Checks what a receiver recorded. */
function arrivals(
  { id, received = [], ...endpoint }: EndpointPicture,
  {
    events,
    areEventsWhole = true,
  }: Readonly<{ events: readonly EventPicture[]; areEventsWhole: boolean | undefined }>,
): Examination {
  const attempts = groupBy(received, ({ headers }) => String(headers['webhook-id']));
  const types = new Map<string, string>();
  for (const { text } of received) {
    const body = JSON.parse(text) as WebhookBody;
    const { type, sequence } = body;
    types.set(`${String(subjectOf(body))}:${String(sequence)}`, type);
  }
  const wanted = dueEvents(endpoint, events).filter(({ type }) => hasSubject(type));
  const logged = new Map(events.map((event) => [event.id, event.type]));
  return together(
    examineEach([...attempts], ([messageId, same]) => [
      new Set(same.map(({ text }) => text)).size > 1 &&
        `endpoint ${id}: message ${messageId} was sent with different bytes`,
      same.some(({ text }) => (JSON.parse(text) as WebhookBody).id !== messageId) &&
        `endpoint ${id}: message ${messageId} carries another id`,
    ]),
    examineEach(wanted, (event) => [
      types.get(event.id) !== event.type && `endpoint ${id} never got ${event.type} ${event.id}`,
    ]),
    examineEach(
      [...types].filter(
        ([key]) => !key.startsWith('undefined') && (areEventsWhole || logged.has(key)),
      ),
      ([key, type]) => [
        logged.get(key) !== type && `endpoint ${id} got ${type} ${key}, not logged`,
      ],
    ),
  );
}
