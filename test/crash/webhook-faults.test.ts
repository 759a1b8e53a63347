import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import type { Infrastructure } from '@billing/local/infrastructure';
import { PersistentClient } from '../support/persistent-client';
import { cards } from '../scenario/scenario';
import { isNightly } from '../support/rounds';
import { warningsIn } from '../support/service-log';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { announceInLive, expectNothingWentBack } from './live-events';
import { startOwnServers } from './own-servers';

const endpointsCount = isNightly ? 10 : 3;
const subscriptionsCount = isNightly ? 25 : 15;
const days = isNightly ? 20 : 6;
// Created and paid, and for each day renewed and paid.
const eventsEach = 2 + 2 * days;
const deliveriesCount = endpointsCount * subscriptionsCount * eventsEach;
const startsAt = new Date('2026-01-31T00:00:00Z');
const dayMs = 24 * 60 * 60 * 1_000;
const watchEveryMs = 20;
// Deliveries claimed by a killed process are due again when its lease ends; no receiver here delays
// an attempt.
const shortLeases = { DELIVERY_LEASE_MS: '5000' };
const settleTimeoutMs = 240_000;
const setupTimeoutMs = 600_000;
const logLinesMax = 40;

describe('webhooks while notifier, stream and database are killed', () => {
  let infrastructure: Infrastructure;
  let system: OwnTestSystem;
  let receiver: WebhookReceiver;
  let client: PersistentClient;
  let endpoints: { id: string; url: string }[];
  /** The number of arrived deliveries at each kill. */
  const kills: { name: string; arrived: number }[] = [];
  /** The launcher's messages about its servers. */
  const launched: string[] = [];
  /** By endpoint and message, in the order of first arrival. */
  const arrived = new Map<string, ReturnType<typeof readWebhook>>();

  beforeAll(async () => {
    infrastructure = await startOwnServers((line) => {
      launched.push(`${new Date().toISOString()} ${line}`);
    });
    system = await startTestSystem({ processes: true, infrastructure, environment: shortLeases });
    receiver = await startWebhookReceiver();
    receiver.respond = (webhook) => {
      const one = readWebhook(webhook);
      if (!arrived.has(one.key)) arrived.set(one.key, one);
      return 204;
    };
    const api = await system.live.manualSandbox(startsAt.toISOString());
    client = new PersistentClient(api);
    endpoints = [];
    for (let number = 1; number <= endpointsCount; number += 1) {
      const url = `${receiver.url}/${String(number)}`;
      endpoints.push(await client.post(201, '/webhook-endpoints', { url }));
    }
    const ending = new AbortController();
    const killing = killRepeatedly(ending.signal);
    try {
      const acting = causeEvents()
        .then(() => killing)
        .finally(() => {
          ending.abort();
        });
      await Promise.all([acting, announceInLive(system, ending.signal)]);
    } finally {
      ending.abort();
    }
  }, setupTimeoutMs);

  afterAll(async () => {
    const { length } = receiver.received;
    const killed = kills
      .map(({ name, arrived: count }) => `${name} at ${String(count)}`)
      .join(', ');
    process.stderr.write(
      `${String(arrived.size)} deliveries, ${String(length - arrived.size)} of them repeated; killed: ${killed}\n`,
    );
    if (arrived.size < deliveriesCount) {
      const facts = [...launched.slice(-logLinesMax), ...(await warningsIn(system))];
      process.stderr.write(`${facts.join('\n')}\n`);
    }
    await system.stop();
    await receiver.close();
    await infrastructure.stop();
  });

  async function causeEvents(): Promise<void> {
    const { id: customerId } = await client.post(201, '/customers', { email: 'a@example.com' });
    const product = { name: 'Daily', type: 'FLAT', currency: 'USD', amount: 700 };
    const { id: productId } = await client.post(201, '/products', {
      ...product,
      billingInterval: 'DAILY',
    });
    const creations = Array.from({ length: subscriptionsCount }, (_, number) => ({
      customerId,
      productId,
      authorizedTransactionId: `${cards.good}_${String(number)}`,
    }));
    await Promise.all(creations.map((body) => client.post(201, '/subscriptions', body)));
    await client.advanceTo(new Date(startsAt.getTime() + days * dayMs).toISOString());
  }

  /** Kills each in turn, whenever another share of the deliveries has arrived. */
  async function killRepeatedly(ending: AbortSignal): Promise<void> {
    const turns = [
      ...Object.keys(infrastructure.pids()).flatMap((name) => ['notifier', name]),
      'nats-server, wiped',
    ];
    const share = deliveriesCount / (turns.length + 1);
    for (const [index, name] of turns.entries()) {
      while (!ending.aborted && arrived.size < (index + 0.5) * share) await sleep(watchEveryMs);
      if (ending.aborted) return;
      await kill(name);
      kills.push({ name, arrived: arrived.size });
    }
  }

  async function kill(turn: string): Promise<void> {
    const [name = '', wiped] = turn.split(', ');
    const pid = await eventually(() => {
      const running = { ...system.pids(), ...infrastructure.pids() }[name];
      if (running === undefined) throw new Error(`${name} did not restart`);
      return running;
    });
    const folder = join(infrastructure.dataFolder.databases, 'nats');
    if (wiped !== undefined) await rename(folder, `${folder}-wiped`);
    process.kill(pid, 'SIGKILL');
  }

  test(
    'reach each endpoint, no sequence missing, each for the first time in order',
    async () => {
      const sequences = Array.from({ length: eventsEach }, (_, index) => index + 1);
      await eventually(
        () => {
          expect(arrived.size).toBeGreaterThanOrEqual(deliveriesCount);
        },
        { timeoutMs: settleTimeoutMs, everyMs: 200 },
      );
      const lanes = Map.groupBy(arrived.values(), ({ lane }) => lane);
      expect(lanes.size).toBe(endpointsCount * subscriptionsCount);
      for (const some of lanes.values()) {
        expect(some.map(({ sequence }) => sequence)).toEqual(sequences);
      }
    },
    settleTimeoutMs + 10_000,
  );

  test('are missing nowhere, and the gaps of the endpoints show so', async () => {
    for (const { id } of endpoints) {
      expect(await client.get(`/webhook-endpoints/${id}/gaps`)).toEqual([]);
    }
  });

  test('are the same message with the same bytes at each endpoint and at each attempt', () => {
    const texts = new Map<string, string>();
    for (const { headers, text, body } of receiver.received) {
      const id = String(headers['webhook-id']);
      expect(body.id).toBe(id);
      expect(text).toBe(texts.get(id) ?? text);
      texts.set(id, text);
    }
    expect(texts.size).toBe(subscriptionsCount * eventsEach);
  });

  test('raise no alarm of a database that went back', () => expectNothingWentBack(system));

  test('were sent during the outages', () => {
    const servers = Object.keys(infrastructure.pids());
    const killed = new Set(kills.map(({ name }) => name));
    expect(killed).toEqual(new Set(['notifier', ...servers, 'nats-server, wiped']));
    for (const kill of kills) expect(kill.arrived).toBeLessThan(deliveriesCount);
  });
});

function readWebhook({ path, body }: { path: string; body: any }) {
  const { sequence, data } = body as { sequence: number; data: { subscriptionId: string } };
  const lane = `${path} ${data.subscriptionId}`;
  return { lane, sequence, key: `${lane} ${String(sequence)}` };
}
