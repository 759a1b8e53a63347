import { randomBytes } from 'node:crypto';
import { routes } from '@billing/gateway/routes';
import { monotonicMs, sleep, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import { ApiClient } from '../support/api-client';
import { routeExamples } from '../support/isolation/isolation-examples';
import type { TestSystem } from '../support/shared-system';
import {
  type EndedSpan,
  isAuthentication,
  isCall,
  methodOf,
  withCountedSystem,
} from './counted-system';
import { prepareChangeRequests } from './change-costs';

/** The calls and commands that one request causes before its response; exact on every machine. */
export interface RequestCost {
  readonly route: string;
  readonly status: number;
  /** True if the caller's key was cached; it is read again every few seconds. */
  readonly knewKey: boolean;
  /** Called methods, sorted; without the lookup of the key and its cost. */
  readonly calls: readonly string[];
  /** Database commands with their collections, sorted. */
  readonly commands: readonly string[];
}

/** Sizes of batches of usage events that are counted in addition to the routes. */
export const batchSizes = [1, 100, 1000];

/** Batches of a thousand events whose references metering has to look up. */
export const strangersBatches = {
  /**
   * Twenty events have existing customers, by either name; the customers and meters of the others
   * are unknown.
   */
  unknown: 'POST /events/ingest of strangers',
  /** The twenty once more. */
  known: 'POST /events/ingest of those who are known by now',
};

/** The name of a batch of some size. */
export function batchName(size: number): string {
  return `POST /events/ingest of ${String(size)}`;
}

/** After this time a service reads a document again that it has written. */
export const recentWritesMs = 3_500;

// Longer than any pause between two steps of a change, except for a mail.
const traceQuietMs = 1_500;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Uses a real clock: a manual one costs one more call per request. */
class RealClockClient extends ApiClient {
  override async advanceTo(to: string) {
    return { now: to, processed: 0 };
  }
}

/**
 * Sends one request of every route, counted by the spans of its trace on a separate system in this
 * process.
 */
export function measureRequestCosts(): Promise<RequestCost[]> {
  return withCountedSystem(requestEveryRoute);
}

async function requestEveryRoute(
  system: TestSystem,
  spans: readonly EndedSpan[],
): Promise<RequestCost[]> {
  const owner = new RealClockClient(system.gatewayUrl, system.sandboxKey);
  const examples = await routeExamples(owner);
  const sent: { route: string; status: number; traceId: string }[] = [];
  const writtenAtMs = new Map<string, number>();
  const send = async (route: string, { method, path, body }: Sent) => {
    const id = idIn(path);
    if (method !== 'GET' && id !== '') {
      const readAgainAtMs = (writtenAtMs.get(id) ?? -Infinity) + recentWritesMs;
      await sleep(Math.max(readAgainAtMs - monotonicMs(), 0));
    }
    // The previous request has cached the caller's key.
    await owner.get('/sandboxes/clock');
    const traceId = randomBytes(16).toString('hex');
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const { status } = await owner.request(method, path, { body, headers });
    if (method !== 'GET') writtenAtMs.set(id, monotonicMs());
    sent.push({ route, status, traceId });
  };
  const batch = await batchMaker(owner);
  for (const size of batchSizes) {
    await send(batchName(size), { method: 'POST', path: '/events/ingest', body: batch(size) });
  }
  const { unknown, known } = await strangers(owner);
  await sleep(recentWritesMs);
  const ingest = { method: 'POST', path: '/events/ingest' };
  await send(strangersBatches.unknown, { ...ingest, body: { events: [...known, ...unknown] } });
  await send(strangersBatches.known, { ...ingest, body: { events: known } });
  const changes = await prepareChangeRequests(owner);
  await sleep(recentWritesMs);
  for (const { name, ...call } of changes) {
    await send(name, call);
    // Reads of later work would share commands with those of the next request.
    await untilQuiet(spans, sent.at(-1)?.traceId);
  }
  const calls = routes.map(({ method, path }) => {
    const route = `${method} ${path}`;
    const example = examples[route];
    if (example === undefined) throw new Error(`No example of ${route}`);
    return { route, method, path: example.path, body: example.body };
  });
  for (const { route, ...call } of inRounds(calls)) await send(route, call);
  const order = calls.map(({ route }) => route);
  const ofTrace = (traceId: string) =>
    spans.filter((span) => span.spanContext().traceId === traceId);
  await eventually(() => {
    // A request's own span may end just after the caller has its response.
    const open = sent.filter(({ traceId }) => !ofTrace(traceId).some(isRequest));
    if (open.length > 0) throw new Error(`No span of ${open.map(({ route }) => route).join()}`);
  });
  const inOrder = sent.toSorted((a, b) => order.indexOf(a.route) - order.indexOf(b.route));
  return inOrder.map(({ route, status, traceId }) => ({
    route,
    status,
    ...countSpans(ofTrace(traceId)),
  }));
}

/** Waits until no span of a trace has ended for a while: its work is done, or waits for a timer. */
async function untilQuiet(spans: readonly EndedSpan[], traceId: string | undefined): Promise<void> {
  let seen = -1;
  let seenAtMs = monotonicMs();
  while (monotonicMs() - seenAtMs < traceQuietMs) {
    const { length } = spans.filter((span) => span.spanContext().traceId === traceId);
    if (length !== seen) {
      seen = length;
      seenAtMs = monotonicMs();
    }
    await sleep(50);
  }
}

function idIn(path: string): string {
  const [id = ''] = /[0-9a-f-]{36}/.exec(path) ?? [];
  return id;
}

/**
 * Sorts calls so that those to one resource keep their order and are far from each other. Deletions
 * come last, because the others need what they delete.
 */
function inRounds<T extends Sent>(calls: readonly T[]): T[] {
  const writes = new Map<string, number>();
  const placed = calls.map((call) => {
    const id = idIn(call.path);
    const round = writes.get(id) ?? 0;
    if (call.method !== 'GET' && id !== '') writes.set(id, round + 1);
    return { call, round };
  });
  const isDeletion = ({ method }: Sent) => Number(method === 'DELETE');
  return placed
    .sort((a, b) => isDeletion(a.call) - isDeletion(b.call) || a.round - b.round)
    .map(({ call }) => call);
}

/**
 * Builds batches of a customer and a meter that were used in the same hour, so that the effects of
 * a first event are over.
 */
async function batchMaker(owner: ApiClient): Promise<(size: number) => object> {
  const customer = await owner.expect(201, owner.post('/customers', { email: 'a@example.com' }));
  const meter = await owner.expect(201, owner.post('/meters', { name: 'Calls' }));
  const timestamp = systemClock.now().toISOString();
  const event = { customerId: customer.id, meterId: meter.id, timestamp };
  const batch = (size: number) => ({ events: Array.from({ length: size }, () => event) });
  await owner.expect(201, owner.post('/events/ingest', batch(1)));
  return batch;
}

/**
 * Builds events of customers that metering has not seen, by either name, and of unknown customers
 * and meters.
 */
async function strangers(owner: ApiClient) {
  const meter = await owner.expect(201, owner.post('/meters', { name: 'Calls' }));
  const timestamp = systemClock.now().toISOString();
  const used = (customer: object) => ({ ...customer, meterId: meter.id, timestamp });
  const names = Array.from({ length: 10 }, () => newId());
  const made = await Promise.all(
    names.map((externalId) =>
      owner.expect(201, owner.post('/customers', { email: 'a@example.com', externalId })),
    ),
  );
  const known = made.flatMap(({ id, externalId }, index) =>
    index % 2 === 0
      ? [used({ customerId: id }), used({ customerId: id })]
      : [used({ externalCustomerId: externalId }), used({ externalCustomerId: externalId })],
  );
  const unknown = Array.from({ length: 490 }, () => [
    { customerId: newId(), meterId: newId() },
    { externalCustomerId: newId(), meterId: newId() },
  ]).flat();
  return { known, unknown };
}

function countSpans(
  spans: readonly EndedSpan[],
): Pick<RequestCost, 'knewKey' | 'calls' | 'commands'> {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const parentOf = (span: EndedSpan) => byId.get(span.parentSpanContext?.spanId ?? '');
  // Later work of the relay and consumers belongs to spans of their own.
  const isAwaited = (span: EndedSpan): boolean => {
    const parent = parentOf(span);
    if (parent === undefined) return isRequest(span);
    if (isAuthentication(span)) return false;
    return (isCall(parent) || isRequest(parent)) && isAwaited(parent);
  };
  const awaited = spans.filter(isAwaited);
  // Each call has a span at either end; the server's is a child of the client's with the same name.
  const calls = awaited.filter((span) => isCall(span) && parentOf(span)?.name !== span.name);
  const commands = awaited.filter(({ name }) => name.startsWith('mongodb '));
  return {
    knewKey: !spans.some(isAuthentication),
    calls: calls.map(methodOf).sort(),
    commands: commands.map(({ name }) => name.replace(/^mongodb /, '')).sort(),
  };
}

function isRequest({ name }: EndedSpan): boolean {
  return /^(GET|POST|PATCH|DELETE) \/v1/.test(name);
}
