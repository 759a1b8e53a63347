import { examineEach, groupBy, type Invariant, repeated, together } from './picture/invariant';
import type {
  EndpointPicture,
  EventPicture,
  FieldAnnounced,
  SubscriptionPicture,
} from './picture/picture';
import { subjectOf, type WebhookBody } from './webhooks/body';

const fieldsAnnounced: readonly FieldAnnounced[] = [
  'status',
  'phase',
  'currentPeriodStart',
  'currentPeriodEnd',
  'cancelAtPeriodEnd',
  'endedAt',
];

export const sequencesAreWhole: Invariant = {
  id: 'I8',
  title: 'sequences 1…k of every aggregate in its event log and at the receivers, no duplicates',
  examine: ({ events, areEventsWhole = true, subscriptions, endpoints }) => {
    if (events === undefined) return undefined;
    const byAggregate = [...groupBy(events, ({ aggregateId }) => aggregateId)];
    const lastOf = new Map(byAggregate.map(([id, logged]) => [id, logged.at(-1)]));
    return together(
      examineEach(byAggregate, ([id, logged]) => logProblems(id, logged, areEventsWhole)),
      examineEach(
        // The last event of a subscription that has not changed since may be deleted.
        subscriptions.filter(({ id }) => areEventsWhole || lastOf.has(id)),
        (one) => announcementProblems(one, lastOf.get(one.id)),
      ),
      examineEach(endpoints, sequenceProblems),
    );
  },
};

// Events are sorted by their position in the log.
function logProblems(
  id: string,
  logged: readonly EventPicture[],
  isWhole: boolean,
): (string | false)[] {
  const sequences = logged.map(({ sequence }) => sequence);
  const [first = 1] = isWhole ? [] : sequences;
  return [
    sequences.some((sequence, index) => sequence !== first + index) &&
      `the log of ${id} holds the sequences ${sequences.join(' ')}`,
    logged.some((event) => event.id !== `${id}:${String(event.sequence)}`) &&
      `the log of ${id} holds an event under a wrong id`,
  ];
}

function announcementProblems(
  subscription: SubscriptionPicture,
  last: EventPicture | undefined,
): (string | false)[] {
  const { id } = subscription;
  const announced = last?.subscription;
  if (announced === undefined) return [`subscription ${id} was never announced`];
  return fieldsAnnounced
    .filter((field) => announced[field] !== subscription[field])
    .map(
      (field) =>
        `subscription ${id}: ${field} is ${String(subscription[field])}, announced as ${String(announced[field])}`,
    );
}

function sequenceProblems({ id, received = [] }: EndpointPicture): (string | false)[] {
  const messages = new Map(received.map(({ headers, text }) => [headers['webhook-id'], text]));
  const keys = [...messages.values()].flatMap((text) => {
    const body = JSON.parse(text) as WebhookBody;
    const { sequence } = body;
    const source = subjectOf(body);
    return source === undefined ? [] : `${source}:${String(sequence)}`;
  });
  return repeated(keys).map(
    ([key, count]) => `endpoint ${id} got ${String(count)} messages for ${key}`,
  );
}
