import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import type { SubscriptionWebhook } from '@billing/proto/billing/notifier/v1/webhook_delivery';
import type { WebhookEvent } from '@billing/proto/billing/notifier/v1/webhook_feed';
import { toJsonTime } from '@billing/proto/json/scalars';
import { webhookDeliveryStatuses } from '@billing/proto/values/notifier';
import { readQuery, wholeNumber } from '../../api/input/input';
import { ok } from '../../http/answer';
import type { Peers } from '../../peer/peers';
import type { EnvironmentRoute } from '../route/route';

/** Events on a page; also the notifier's limit of webhooks that one call lists. */
export const shownMax = 20;
/** Positions of a window in which events of a type or object are searched. */
const windowSize = 1_000;
/** Windows that one request searches. */
const windowsMax = 5;

const ListEvents = z.object({
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  type: z.string().default(''),
  objectId: z.string().default(''),
});

/** Events of the feed, newest first, with their deliveries. */
export const eventRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/events',
    isOfEnvironment: true,
    endsWithCaller: true,
    handle: async ({ query, context }, { peers }) => {
      const { type, ...wanted } = readQuery(ListEvents, { query });
      const filters = { ...wanted, types: type === '' ? [] : [type] };
      const { events, nextBefore } = await newestEvents(filters, context, peers);
      const messageIds = events.flatMap((event) => bodyOf(event).id ?? []);
      // For a notifier of a release that knows no ids of messages.
      const subscriptionIds = [...new Set(events.map(({ subjectId }) => subjectId))];
      const named = { subscriptionIds, messageIds };
      const { webhooks } =
        messageIds.length === 0
          ? { webhooks: [] }
          : await peers.webhookDelivery.listSubscriptionWebhooks(named, context);
      const byId = new Map(webhooks.map((webhook) => [webhook.messageId, webhook]));
      return ok({
        data: events.map((event) => toJsonEvent(event, byId)),
        /** Where the search continues; null if no older event is kept. */
        nextBefore,
      });
    },
  },
];

/** Filters of the events. */
interface EventFilters {
  /** Position above all wanted ones; absent: from the newest. */
  readonly before?: number | undefined;
  /** Types and `<resource>.*`; empty: all. */
  readonly types: readonly string[];
  /** Id of the subject, or of another object that the event names; empty: all. */
  readonly objectId: string;
}

/**
 * The newest events before a position. The feed can only be read forwards, so windows of it are
 * read, from the newest to the oldest.
 */
export async function newestEvents(
  { before, types, objectId }: EventFilters,
  context: CallContext,
  { webhookFeed }: Pick<Peers, 'webhookFeed'>,
): Promise<{ events: readonly WebhookEvent[]; nextBefore: number | null }> {
  const isFiltered = types.length > 0 || objectId !== '';
  const all = { types: [...types], waitMs: 0 };
  const range = await webhookFeed.listWebhookEvents(
    { after: undefined, limit: 1, types: [], waitMs: 0 },
    context,
  );
  if (positionIn(range.newest) === 0) return { events: [], nextBefore: null };
  const code = range.newest.slice(0, range.newest.lastIndexOf('.') + 1);
  const oldest = positionIn(range.oldest ?? range.newest);
  const readWindow = async (from: number, to: number): Promise<WebhookEvent[]> => {
    const found: WebhookEvent[] = [];
    for (let after = from; after < to;) {
      const request = { ...all, after: `${code}${String(after)}`, limit: to - after };
      const { events, nextAfter } = await webhookFeed.listWebhookEvents(request, context);
      found.push(...events.filter(({ position }) => Number(position) <= to));
      const next = positionIn(nextAfter);
      if (next <= after) break;
      after = next;
    }
    return found.filter((event) => objectId === '' || concerns(event, objectId)).reverse();
  };
  const events: WebhookEvent[] = [];
  let end = Math.min(positionIn(range.newest), (before ?? Number.MAX_SAFE_INTEGER) - 1);
  for (let windows = 0; windows < windowsMax && end >= oldest; windows += 1) {
    const start = Math.max(oldest - 1, end - (isFiltered ? windowSize : shownMax));
    events.push(...(await readWindow(start, end)));
    end = start;
    if (events.length >= shownMax) break;
  }
  const shown = events.slice(0, shownMax);
  const last = events.length > shown.length ? Number(shown.at(-1)?.position) : end + 1;
  return { events: shown, nextBefore: last > oldest ? last : null };
}

/** After a restore, a cursor begins with its code. */
function positionIn(cursor: string): number {
  return Number(cursor.slice(cursor.lastIndexOf('.') + 1));
}

interface EventBody {
  readonly id?: string;
  readonly type?: string;
  readonly timestamp?: string;
  readonly sequence?: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

function bodyOf({ body }: WebhookEvent): EventBody {
  return body === '' ? {} : (JSON.parse(body) as EventBody);
}

/** True for the subject, and for an object that the event names, such as `customerId`. */
function concerns(event: WebhookEvent, objectId: string): boolean {
  if (event.subjectId === objectId) return true;
  // Parsed only where it can matter: a search reads thousands of bodies.
  if (!event.body.includes(objectId)) return false;
  return Object.values(bodyOf(event).data ?? {}).includes(objectId);
}

export type EventRow = ReturnType<typeof toJsonEvent>;

function toJsonEvent(event: WebhookEvent, webhooks: ReadonlyMap<string, SubscriptionWebhook>) {
  const { id = null, type = null, timestamp = null, sequence = null, data } = bodyOf(event);
  const { subjectType, subjectId } = event;
  const deliveries = (id === null ? undefined : webhooks.get(id))?.deliveries ?? [];
  return {
    position: Number(event.position),
    /** Null, as the other values of the body, for an event that was unreadable. */
    id,
    type,
    /** Environment time. */
    timestamp,
    sequence,
    acceptedAt: toJsonTime(event.acceptedAt),
    subject: { type: subjectType, id: subjectId, name: nameIn(subjectType, data) },
    deliveries: deliveries.map(({ endpointId, status }) => ({
      endpointId,
      status: webhookDeliveryStatuses.nameOf(status),
    })),
  };
}

/** Number or name of the subject in the data of an event. */
function nameIn(subjectType: string, data: EventBody['data'] = {}): string | null {
  const key = subjectType.replaceAll(/_[a-z]/g, (part) => part.slice(1).toUpperCase());
  const value = data[key];
  if (typeof value !== 'object' || value === null) return null;
  const { number, name, label, email } = value as Readonly<Record<string, unknown>>;
  const names = [number, name, label, email];
  return names.find((one) => typeof one === 'string') ?? null;
}
