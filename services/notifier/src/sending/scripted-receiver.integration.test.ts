import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import type { Attempt } from '../delivery/attempt-store';
import type { Delivery } from '../delivery/delivery';
import { retrySpread, standardRetrySchedule } from '../delivery/retry-schedule';
import { type RunningNotifier, startSystem, type TestSystem } from '../testing/system';

// Long enough for a busy machine to answer in time.
const timeoutMs = 12_000;
const dripEveryMs = 100;
const hourMs = 3_600_000;

/** The receiver's reaction to an attempt. */
type Act = (response: ServerResponse) => void;

interface Step {
  readonly name: string;
  readonly act: Act;
  /** Scheme of the URL that the attempt is sent to. */
  readonly scheme?: 'https';
  /** The exact delay that follows, instead of a spread one. */
  readonly delayMs?: number;
  readonly seen: Partial<Pick<Attempt, 'responseStatus' | 'responseBody'>> & { error?: RegExp };
}

const answer =
  (status: number, headers: Record<string, string> = {}): Act =>
  (response) =>
    response.writeHead(status, headers).end();

/** A header that never ends, byte by byte. */
const dripHeader: Act = ({ socket }) => {
  socket?.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  const dripping = setInterval(() => socket?.write('a'), dripEveryMs);
  socket?.once('close', () => {
    clearInterval(dripping);
  });
};

// As many failures as the schedule has steps; the attempt after them succeeds.
const script: readonly Step[] = [
  { name: '500', act: answer(500), seen: { responseStatus: 500 } },
  { name: 'time-out', act: () => undefined, seen: { error: /^Timed out$/ } },
  {
    name: 'reset',
    act: ({ socket }) => socket?.resetAndDestroy(),
    seen: { error: /ECONNRESET|closed/ },
  },
  { name: 'slow drip', act: dripHeader, seen: { error: /^Timed out$/ } },
  {
    name: '429 that asks for more than the step',
    act: answer(429, { 'retry-after': String((7 * hourMs) / 1_000) }),
    delayMs: 7 * hourMs,
    seen: { responseStatus: 429 },
  },
  {
    name: '503 that asks for more than twice the step',
    act: answer(503, { 'retry-after': String((100 * hourMs) / 1_000) }),
    delayMs: 20 * hourMs,
    seen: { responseStatus: 503 },
  },
  {
    name: '302 to somewhere else',
    act: answer(302, { location: '/elsewhere' }),
    seen: { responseStatus: 302 },
  },
  {
    name: 'broken TLS',
    act: () => undefined,
    scheme: 'https',
    seen: { error: /SSL|TLS|EPROTO/i },
  },
  { name: '404', act: answer(404), seen: { responseStatus: 404 } },
];

describe('a notifier with a receiver that fails in every way, and recovers', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;
  let server: Server;
  let origin: string;
  let now = new Date('2026-03-01T12:00:00.000Z');
  let act: Act;
  const received: { path: string; id: string; text: string }[] = [];
  const tenant: Tenant = testTenant();

  beforeAll(async () => {
    system = await startSystem('scripted');
    const clock = { now: () => now };
    notifier = await system.startNotifier({ clock, timeoutMs });
    server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const id = String(request.headers['webhook-id']);
        const text = Buffer.concat(chunks).toString('utf8');
        received.push({ path: request.url ?? '', id, text });
        act(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `//127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await system.close();
  });

  async function point(id: string, scheme: string): Promise<void> {
    const url = `${scheme}:${origin}/scripted`;
    await notifier.calls.updateWebhookEndpoint(
      { id, url, events: [], updateMask: ['url'] },
      testContext({ tenant }),
    );
  }

  function firstDelivery(): Promise<Delivery> {
    return eventually(async () => {
      const found = await system.mongo.db
        .collection<Delivery>('deliveries')
        .findOne({ environmentId: tenant.environmentId, sequence: 1 });
      if (found === null) throw new Error('Nothing to deliver yet');
      return found;
    });
  }

  const failedTimes = (times: number) =>
    eventually(async () => {
      const delivery = await firstDelivery();
      expect(delivery).toMatchObject({ status: 'PENDING', failures: times, claim: null });
      return delivery;
    });

  test('retries by the schedule within its spread, and sends the postponed webhooks in order, with the same ids and bytes', async () => {
    act = answer(204);
    const { webhookEndpoint } = await notifier.calls.createWebhookEndpoint(
      { url: `http:${origin}/scripted`, events: [] },
      testContext({ tenant }),
    );
    const { id = '' } = webhookEndpoint ?? {};
    const subscriptionId = newId();
    const [first] = script;
    act = first?.act ?? act;
    for (let number = 1; number <= 4; number += 1) {
      await system.owner.announce(tenant, subscriptionId);
    }

    const startsAt: Date[] = [];
    for (const [index, step] of script.entries()) {
      const { dueAt } = await failedTimes(index + 1);
      startsAt.push(now);
      const delayMs = (dueAt?.getTime() ?? 0) - now.getTime();
      const stepMs = standardRetrySchedule[index] ?? 0;
      const [least, most] =
        step.delayMs === undefined
          ? [stepMs * (1 - retrySpread), stepMs * (1 + retrySpread)]
          : [step.delayMs, step.delayMs];
      expect(delayMs).toBeGreaterThanOrEqual(least);
      expect(delayMs).toBeLessThanOrEqual(most);

      const next = script[index + 1];
      if ((next?.scheme ?? 'http') !== (step.scheme ?? 'http')) {
        await point(id, next?.scheme ?? 'http');
      }
      act = next?.act ?? answer(204);
      now = new Date(dueAt ?? now);
    }
    await eventually(() => {
      expect(new Set(received.map(({ id: messageId }) => messageId)).size).toBe(4);
    });

    const sequences = received.map(({ text }) => JSON.parse(text).sequence as number);
    // Every attempt except the one whose TLS handshake failed; then the postponed ones.
    expect(sequences).toEqual([...Array.from({ length: script.length }, () => 1), 2, 3, 4]);
    expect(new Set(received.slice(0, script.length).map(({ text }) => text)).size).toBe(1);
    expect(received.filter(({ path }) => path !== '/scripted')).toEqual([]);
    await expectAttempts([...startsAt, now]);
  });

  /**
   * Checks that the receiver saw attempts at these times only, and that their results were
   * recorded.
   */
  async function expectAttempts(times: readonly Date[]): Promise<void> {
    const { _id: deliveryId } = await firstDelivery();
    const attempts = await eventually(async () => {
      const found = await system.mongo.db
        .collection<Attempt>('attempts')
        .find({ environmentId: tenant.environmentId, deliveryId })
        .sort({ _id: 1 })
        .toArray();
      expect(found).toHaveLength(script.length + 1);
      return found;
    });
    expect(attempts.map(({ at }) => at)).toEqual(times);
    for (const [index, { seen }] of script.entries()) {
      const { error = null, ...answered } = seen;
      expect(attempts[index]).toMatchObject(answered);
      if (error !== null) expect(attempts[index]?.error).toMatch(error);
    }
    expect(attempts.at(-1)).toMatchObject({ responseStatus: 204, error: null });
  }
});
