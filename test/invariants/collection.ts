import { systemClock } from '@billing/chassis/clock';
import type { ApiClient } from '../support/api-client';
import type { WebhookReceiver } from '../support/webhook-receiver';
import { readReserved } from './change/read-reserved';
import { readExport } from '../support/export/export-client';
import { readMails } from './mail/read-mails';
import { type AnnouncedResource, announcedResources } from './picture/announced-resource';
import type {
  ChangePicture,
  EndpointPicture,
  ExportPicture,
  FeedEntryPicture,
  FeedPicture,
  ForeignRead,
  GrantPicture,
  Picture,
  UsageStatePicture,
} from './picture/picture';
import {
  countPending,
  environmentOf,
  readClosedCredits,
  readEvents,
  readSessions,
  readStoredUsage,
  type ServiceAddresses,
} from './service-logs';

/** The access needed for a picture. */
export interface Viewpoint {
  readonly client: ApiClient;
  /** Direct access past the gateway; without it, facts that only services know are omitted. */
  readonly addresses?: ServiceAddresses | undefined;
  /** Receivers that recorded webhooks, by the URL of their endpoint. */
  readonly receivers?: readonly WebhookReceiver[] | undefined;
  /** A key of another environment. */
  readonly stranger?: ApiClient | undefined;
  /** False: no exports, because each reads the event log of every service. Absent: true. */
  readonly hasExports?: boolean | undefined;
  /** False: without the texts of mails, which depend on the release alone. Absent: true. */
  readonly hasTexts?: boolean | undefined;
  /** Message-IDs that a mail server got. */
  readonly handedOver?: readonly string[] | undefined;
}

type Lists = Readonly<
  Record<
    'customers' | 'products' | 'discounts' | 'subscriptions' | 'invoices' | 'balance-entries',
    readonly any[]
  >
>;

const looksEach = 3;

/**
 * Reads one environment from all sources. The caller ensures that no work is in flight during it.
 */
export async function takePicture(viewpoint: Viewpoint): Promise<Picture> {
  const { client, addresses, receivers = [], stranger, hasExports = true } = viewpoint;
  const { hasTexts = true, handedOver } = viewpoint;
  const { now, isManual } = await readClock(client);
  const { tenant, createdAt } =
    addresses === undefined
      ? { tenant: undefined, createdAt: undefined }
      : await environmentOf(addresses, client.key ?? '');
  const lists = await readLists(client);
  const endpoints = await readEndpoints(client, receivers);
  const meters: any[] = await client.expect(200, client.get('/meters'));
  const exports = hasExports ? await readExports(client, { ...lists, meters }) : undefined;
  const ids = new Set(lists.subscriptions.map(({ id }) => id as string));
  const logs =
    tenant === undefined || addresses === undefined
      ? undefined
      : await readEvents(addresses, { environmentId: tenant.environmentId, createdAt }, (id) =>
          ids.has(id),
        );
  const acknowledgedEvents = [...client.acknowledgedEvents];
  const changes = await readChanges(client, lists, hasExports);
  return {
    environmentId: tenant?.environmentId,
    organizationId: tenant?.organizationId,
    ...{ now, isManual, takenAt: systemClock.now() },
    restoreCodes: await readRestoreCodes(client),
    subscriptions: lists.subscriptions,
    invoices: lists.invoices,
    balances: await client.all('/balances'),
    balanceEntries: lists['balance-entries'],
    creditNotes: await client.all('/credit-notes'),
    refunds: await client.all('/refunds'),
    discounts: lists.discounts,
    changes,
    reserved:
      tenant === undefined || addresses?.checkout === undefined
        ? undefined
        : await readReserved(addresses.checkout, tenant, { invoices: lists.invoices, changes }),
    meterPrices: lists.products.flatMap(({ meterPrices }) => meterPrices),
    meters,
    // Before the events, so that these have all events that the states count.
    usageStates: await readUsageStates(client, lists),
    usageEvents: await client.all('/events'),
    grants: await readGrants(client, lists),
    closedCredits:
      tenant === undefined || addresses === undefined
        ? undefined
        : await readClosedCredits(addresses, {
            tenant,
            customerIds: lists.customers.map(({ id }) => id as string),
          }),
    storedUsage:
      tenant === undefined || addresses === undefined
        ? undefined
        : await readStoredUsage(addresses, tenant),
    endpoints: await withDeliveries(client, endpoints),
    exports,
    // Before the feed, so that it has all events that caused mails.
    mail: await readMails(client, {
      customerIds: new Set(lists.customers.map(({ id }) => id as string)),
      ...{ handedOver, hasContents: hasExports, hasTexts },
    }),
    // After the exports, so that it has all events that their rows show.
    feed: await readFeed(client),
    sessions:
      tenant === undefined || addresses === undefined
        ? undefined
        : await readSessions(addresses, tenant),
    events: logs?.events,
    erasedCustomers: logs?.events
      .filter(({ type }) => type === 'customer.deleted')
      .map(({ aggregateId: id, insertedAt: erasedAt }) => ({ id, erasedAt })),
    areEventsWhole: logs?.isWhole,
    pending:
      tenant === undefined || addresses === undefined
        ? undefined
        : await countPending(addresses, {
            environmentId: tenant.environmentId,
            until: now,
          }),
    acknowledged: await readAcknowledged(client),
    acknowledgedEvents: acknowledgedEvents.length === 0 ? undefined : acknowledgedEvents,
    foreignReads: stranger && (await readAsStranger(stranger, lists)),
    foreignIds: stranger && idsIn(await readLists(stranger)),
  };
}

type RecordedEndpoint = Omit<EndpointPicture, 'deliveries'>;

async function readEndpoints(
  client: ApiClient,
  receivers: readonly WebhookReceiver[],
): Promise<RecordedEndpoint[]> {
  const endpoints = await client.all('/webhook-endpoints');
  return endpoints.map((endpoint) => ({
    ...endpoint,
    received: receivers.find(({ url }) => url === endpoint.url)?.received.slice(),
  }));
}

/** Adds the deliveries, which may move to another page while they are read. */
async function withDeliveries(
  client: ApiClient,
  endpoints: readonly RecordedEndpoint[],
): Promise<EndpointPicture[]> {
  const read = endpoints.map(async (endpoint) => {
    const listed = await client.all(`/webhook-endpoints/${endpoint.id}/deliveries`);
    const byId = new Map(listed.map((delivery) => [delivery.id, delivery]));
    return { ...endpoint, deliveries: [...byId.values()] };
  });
  return Promise.all(read);
}

async function readFeed(client: ApiClient): Promise<FeedPicture> {
  const entries: FeedEntryPicture[] = [];
  let path = '/webhook-events?limit=1000';
  for (;;) {
    const page = await client.expect(200, client.get(path));
    entries.push(...page.data);
    path = `/webhook-events?limit=1000&after=${page.nextAfter as string}`;
    if (page.data.length > 0) continue;
    const { oldest, newest } = page as { oldest: string | null; newest: string };
    return {
      entries,
      oldest: oldest === null ? undefined : positionOf(oldest),
      newest: positionOf(newest),
    };
  }
}

/** Position of a cursor, which after a restore has a code in front. */
function positionOf(cursor: string): number {
  return Number(cursor.slice(cursor.indexOf('.') + 1));
}

/** Undefined if a release or a key has no exports. */
async function readExports(
  client: ApiClient,
  present: Readonly<Record<AnnouncedResource, readonly any[]>>,
): Promise<ExportPicture[] | undefined> {
  const exports: ExportPicture[] = [];
  for (const resource of Object.keys(announcedResources) as AnnouncedResource[]) {
    const exported = await readRows(client, resource);
    if (exported === undefined) return undefined;
    exports.push({ resource, ...exported, present: present[resource] });
  }
  return exports;
}

/** Exported objects; undefined if a release or a key has no exports. */
async function readRows(
  client: ApiClient,
  resource: string,
): Promise<{ readonly rows: any[]; readonly position: number } | undefined> {
  const { status, headers, body, isComplete } = await readExport(client, `${resource}.ndjson`);
  if (status === 403 || status === 404) return undefined;
  if (status !== 200 || !isComplete) throw new Error(`Export of ${resource} is incomplete`);
  const lines = body.toString().split('\n').slice(0, -1);
  const rows = lines.map((line) => JSON.parse(line));
  return { rows, position: Number(headers['export-position']) };
}

/** None if a release or a key cannot list restores. */
async function readRestoreCodes(client: ApiClient): Promise<string[]> {
  const { status, body } = await client.get('/restores?perPage=100');
  return status === 200 ? body.data.map(({ code }: { readonly code: string }) => code) : [];
}

async function readClock(client: ApiClient): Promise<{ now: Date; isManual: boolean }> {
  const { status, body } = await client.get('/sandboxes/clock');
  if (status !== 200) return { now: systemClock.now(), isManual: false };
  return {
    now: new Date(body.now as string),
    isManual: body.clock === 'MANUAL',
  };
}

async function readLists(client: ApiClient): Promise<Lists> {
  const names = [
    'customers',
    'products',
    'discounts',
    'subscriptions',
    'invoices',
    'balance-entries',
  ];
  const lists = await Promise.all(names.map((name) => client.all(`/${name}`)));
  return Object.fromEntries(names.map((name, index) => [name, lists[index]])) as unknown as Lists;
}

async function readChanges(
  client: ApiClient,
  lists: Lists,
  hasExports: boolean,
): Promise<ChangePicture[]> {
  const exported = hasExports ? await readRows(client, 'changes') : undefined;
  const changes: ChangePicture[] = exported?.rows ?? (await readChangesOfEach(client, lists));
  return changes.toSorted(
    (one, other) =>
      one.effectiveAt.localeCompare(other.effectiveAt) ||
      one.createdAt.localeCompare(other.createdAt),
  );
}

async function readChangesOfEach(
  client: ApiClient,
  { subscriptions }: Lists,
): Promise<ChangePicture[]> {
  const changes: ChangePicture[] = [];
  for (const { id } of subscriptions) {
    changes.push(...(await client.all(`/subscriptions/${id as string}/changes`)));
  }
  return changes;
}

async function readUsageStates(
  client: ApiClient,
  { customers }: Lists,
): Promise<UsageStatePicture[]> {
  const states: UsageStatePicture[] = [];
  for (const { id } of customers) {
    const customerId = id as string;
    const path = `/customers/${customerId}/state`;
    const found = (await client.expect(200, client.get(path))) as UsageStatePicture[];
    states.push(...found.map((state) => ({ ...state, customerId })));
  }
  return states;
}

async function readGrants(client: ApiClient, { customers }: Lists): Promise<GrantPicture[]> {
  const grants: GrantPicture[] = [];
  for (const { id } of customers) {
    grants.push(...(await client.all(`/customers/${id as string}/meter-credits`)));
  }
  return grants;
}

async function readAcknowledged(client: ApiClient): Promise<Picture['acknowledged']> {
  if (client.acknowledged.size === 0) return undefined;
  const writes = [];
  for (const [path, id] of [...client.acknowledged]) {
    const { status, body } = await client.get(path);
    // Not every created resource can be read alone.
    if (status === 405) continue;
    const wasDeleted = id === undefined;
    writes.push({
      path,
      id: id ?? '',
      wasDeleted,
      readStatus: status,
      readId: body.id as string,
    });
  }
  return writes;
}

async function readAsStranger(stranger: ApiClient, lists: Lists): Promise<ForeignRead[]> {
  const paths = Object.entries(lists).flatMap(([name, list]) =>
    list.slice(0, looksEach).map(({ id }) => `/${name}/${id as string}`),
  );
  return Promise.all(
    paths.map(async (path) => ({
      path,
      status: (await stranger.get(path)).status,
    })),
  );
}

function idsIn(lists: Lists): Set<string> {
  return new Set(
    Object.values(lists)
      .flat()
      .map(({ id }) => id as string),
  );
}
