import { examineEach, groupBy, type Invariant, repeated, together } from './invariant';
import type { EndpointPicture, EventPicture, FieldAnnounced, SubscriptionPicture } from './picture';

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

export const webhooksArrive: Invariant = {
  id: 'I9',
  title: 'each public event reached each endpoint, same id and bytes at each attempt',
  examine: ({ events, areEventsWhole = true, endpoints }) => {
    const watched = endpoints.filter(({ received }) => received !== undefined);
    if (events === undefined || watched.length === 0) return undefined;
    return together(...watched.map((endpoint) => deliveries(endpoint, { events, areEventsWhole })));
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

/** True if an endpoint names the type, its resource or all types. */
function wants({ events }: EndpointPicture, type: string): boolean {
  const [resource = ''] = type.split('.');
  return events.some((name) => ['*', `${resource}.*`, type].includes(name));
}

interface WebhookBody {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

// Field of `data` with the id of the subject, by the resource of the type. Payment methods and
// meter prices do not show the ids of their subjects; the check of the feed examines them.
const subjectFields: Readonly<Record<string, string>> = {
  subscription: 'subscriptionId',
  checkout: 'checkoutSessionId',
  invoice: 'invoiceId',
  customer: 'customerId',
  product: 'productId',
  discount: 'discountId',
  checkout_link: 'checkoutLinkId',
  meter: 'meterId',
};

function hasSubject(type: string): boolean {
  const [resource = ''] = type.split('.');
  return resource in subjectFields;
}

function subjectOf({ type, data }: WebhookBody): string | undefined {
  const [resource = ''] = type.split('.');
  const id = data?.[subjectFields[resource] ?? ''];
  return typeof id === 'string' ? id : undefined;
}

function deliveries(
  endpoint: EndpointPicture,
  {
    events,
    areEventsWhole,
  }: Readonly<{ events: readonly EventPicture[]; areEventsWhole: boolean }>,
) {
  const { id, received = [] } = endpoint;
  const attempts = groupBy(received, ({ headers }) => String(headers['webhook-id']));
  const types = new Map<string, string>();
  for (const { text } of received) {
    const body = JSON.parse(text) as WebhookBody;
    const { type, sequence } = body;
    types.set(`${String(subjectOf(body))}:${String(sequence)}`, type);
  }
  const wanted = events.filter(
    ({ type, insertedAt }) =>
      endpoint.active &&
      hasSubject(type) &&
      wants(endpoint, type) &&
      insertedAt > new Date(endpoint.updatedAt),
  );
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
