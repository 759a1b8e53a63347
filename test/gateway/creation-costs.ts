import { MongoClient } from 'mongodb';
import { monotonicMs, sleep } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import { currentTraceId } from '@billing/chassis/tracing';
import type { ApiClient } from '../support/api-client';
import { card, Payer } from '../support/payer';
import { observeCommands, type SentCommand } from '../support/sent-commands';
import type { OwnTestSystem } from '../support/test-system';
import {
  type EndedSpan,
  isAuthentication,
  isCall,
  methodOf,
  withCountedSystem,
} from './counted-system';
import { type IdleCosts, measureIdleCosts } from './idle-costs';
import { recentWritesMs } from './request-costs';

/** The work of one service for one creation. */
interface ServiceCost {
  /** Calls that it answers, by method. */
  readonly calls: Readonly<Record<string, number>>;
  /** Its database commands, by command and collection. */
  readonly commands: Readonly<Record<string, number>>;
  /** Number of documents that it inserts, updates or deletes. */
  readonly written: number;
  /** Messages that it publishes, by subject. */
  readonly published: Readonly<Record<string, number>>;
}

/**
 * Everything that a creation causes until no service has work left, by service; exact on every
 * machine. Polls, which no request causes, are excluded.
 */
export interface CreationCost {
  readonly name: string;
  readonly services: Readonly<Record<string, ServiceCost>>;
}

/** The names of the counted creations. */
export const creations = {
  subscription: 'POST /subscriptions with an authorized payment',
  checkout: 'POST /checkout, paid on its page',
} as const;

/** A command, and the trace of the work that sent it. */
interface TracedCommand extends SentCommand {
  readonly traceId: string;
}

/** Spans and commands with the service that they belong to. */
interface Work {
  readonly spans: readonly { readonly span: EndedSpan; readonly service: string }[];
  readonly commands: readonly { readonly command: SentCommand; readonly service: string }[];
}

interface Purchase {
  readonly customerId: string;
  readonly productId: string;
}

type Create = (purchase: Purchase, system: OwnTestSystem) => Promise<void>;

// Longer than any pause between two steps of a creation, on a busy machine too.
const quietMs = 6_000;
const countedMax = 3;
const publication = /^publish /;

const createEach: readonly { readonly name: string; readonly create: Create }[] = [
  { name: creations.subscription, create: createSubscription },
  { name: creations.checkout, create: buyOnPage },
];

/**
 * Counts what a separate system costs while it is idle, and then both ways to a paid subscription
 * of a new customer.
 */
export async function measureCreationCosts(): Promise<{
  readonly creations: readonly CreationCost[];
  readonly idle: IdleCosts;
}> {
  const all: SentCommand[] = [];
  const commands: TracedCommand[] = [];
  const record = (sent: SentCommand) => {
    all.push(sent);
    const traceId = currentTraceId();
    if (traceId !== undefined) commands.push({ ...sent, traceId });
  };
  return observeCommands(record, () =>
    withCountedSystem(async (system, spans) => {
      const idle = await measureIdleCosts(system, all);
      const costs: CreationCost[] = [];
      for (const { name, create } of createEach) {
        const purchases = await newPurchases(system.sandbox);
        await sleep(recentWritesMs);
        const made: Work[] = [];
        for (const purchase of purchases) {
          const before = { spans: spans.length, commands: commands.length };
          const work = () =>
            workOf(system, {
              spans: spans.slice(before.spans),
              commands: commands.slice(before.commands),
            });
          await create(purchase, system);
          await untilQuiet(system, { purchase, work });
          made.push(work());
        }
        // The first one also fills caches.
        costs.push({ name, services: costsOf(cheapest(made.slice(1))) });
      }
      return { creations: costs, idle };
    }),
  );
}

/**
 * A process that stalls for a second reads again what it has just written, and removes events from
 * outboxes separately. The polls of the notifier are not compared.
 */
function cheapest(counted: readonly Work[]): Work {
  const own = ({ commands }: Work) => commands.filter(({ service }) => service !== 'notifier');
  const writes = (work: Work) =>
    own(work).filter(({ command: { name } }) => /^(insert|update) (?!eventLog)/.test(name)).length;
  const [first] = counted.toSorted(
    (a, b) => writes(a) - writes(b) || own(a).length - own(b).length,
  );
  if (first === undefined) throw new Error('Nothing was counted');
  return first;
}

async function createSubscription(purchase: Purchase, { sandbox }: OwnTestSystem): Promise<void> {
  const body = { ...purchase, authorizedTransactionId: `txn_4242424242424242_${newId()}` };
  await sandbox.expect(201, sandbox.post('/subscriptions', body));
}

async function buyOnPage(
  purchase: Purchase,
  { sandbox, gatewayUrl }: OwnTestSystem,
): Promise<void> {
  const { checkoutUrl } = await sandbox.expect(201, sandbox.post('/checkout', purchase));
  // A payer takes longer than this.
  await sleep(recentWritesMs);
  const payer = new Payer(gatewayUrl);
  await payer.submit(await payer.open(checkoutUrl as string), card());
}

async function newPurchases(client: ApiClient): Promise<Purchase[]> {
  const purchases: Purchase[] = [];
  while (purchases.length <= countedMax) purchases.push(await newPurchase(client));
  return purchases;
}

/** Creates a customer and a product. */
async function newPurchase(client: ApiClient): Promise<Purchase> {
  const customer = { email: 'a@example.com' };
  const product = {
    name: 'Pro',
    type: 'FLAT',
    currency: 'USD',
    amount: 2900,
    billingInterval: 'MONTHLY',
  };
  const { id: customerId } = await client.expect(201, client.post('/customers', customer));
  const { id: productId } = await client.expect(201, client.post('/products', product));
  return { customerId: customerId as string, productId: productId as string };
}

/**
 * Waits until every outbox is empty, the purchase has its receipt, and no more work has been done
 * for a while.
 */
async function untilQuiet(
  { databases: { uri, prefix } }: OwnTestSystem,
  { purchase: { customerId }, work }: { purchase: Purchase; work: () => Work },
): Promise<void> {
  const client = await new MongoClient(uri).connect();
  try {
    await eventually(async () => {
      for (const [service, name] of outboxes) {
        const documents = client.db(`${prefix}_${service}`).collection(name);
        const pending = await documents.countDocuments({ pendingSince: { $gt: new Date(0) } });
        if (pending > 0) throw new Error(`${name} has work left`);
      }
      const emails = client.db(`${prefix}_notifier`).collection('emails');
      if ((await emails.countDocuments({ customerId })) === 0) throw new Error('No receipt yet');
    });
  } finally {
    await client.close();
  }
  let seen = -1;
  let seenAtMs = monotonicMs();
  while (monotonicMs() - seenAtMs < quietMs) {
    const { spans, commands } = work();
    if (spans.length + commands.length !== seen) {
      seen = spans.length + commands.length;
      seenAtMs = monotonicMs();
    }
    await sleep(200);
  }
}

const outboxes = [
  ['subscription', 'subscriptions'],
  ['checkout', 'invoices'],
  ['checkout', 'checkoutSessions'],
  ['checkout', 'payers'],
] as const;

/** Selects the work of requests: polls, and the lookup of a caller's key, are in other traces. */
function workOf(
  { databases: { prefix } }: OwnTestSystem,
  { spans, commands }: { spans: readonly EndedSpan[]; commands: readonly TracedCommand[] },
): Work {
  const serviceOf = ({ resource }: EndedSpan) => String(resource.attributes['service.name']);
  const requests = spans.filter(
    (span) => serviceOf(span) === 'gateway' && (span.kind as number) === serverKind,
  );
  const traces = new Set(requests.map(traceOf));
  return {
    spans: spans
      .filter((span) => traces.has(traceOf(span)))
      .map((span) => ({ span, service: serviceOf(span) })),
    commands: commands
      .filter(({ traceId }) => traces.has(traceId))
      .map((command) => ({ command, service: command.database.slice(prefix.length + 1) })),
  };
}

function costsOf({ spans, commands }: Work): Record<string, ServiceCost> {
  // Each call has a span at either end. Keys of callers are cached for some seconds.
  const answered = spans.filter(
    ({ span }) => isCall(span) && (span.kind as number) === serverKind && !isAuthentication(span),
  );
  const published = spans.filter(({ span }) => publication.test(span.name));
  const sent = commands.filter(({ service }) => service !== 'identity');
  const services = new Set([...answered, ...published, ...sent].map(({ service }) => service));
  const costOf = (name: string): ServiceCost => {
    const own = sent.filter(({ service }) => service === name).map(({ command }) => command);
    const spansIn = (some: Work['spans']) =>
      some.filter(({ service }) => service === name).map(({ span }) => span);
    return {
      calls: countNames(spansIn(answered).map(methodOf)),
      commands: countNames(own.map((command) => command.name)),
      written: own.reduce((sum, { written = 0 }) => sum + written, 0),
      published: countNames(spansIn(published).map((span) => span.name.replace(publication, ''))),
    };
  };
  return Object.fromEntries([...services].sort().map((name) => [name, costOf(name)]));
}

// OpenTelemetry's number for the server kind.
const serverKind = 1;

function traceOf(span: EndedSpan): string {
  return span.spanContext().traceId;
}

function countNames(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
