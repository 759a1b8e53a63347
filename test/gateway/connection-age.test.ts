import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import type { Answer, ApiClient } from '../support/api-client';
import { dailySandbox } from '../support/daily-sandbox';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const startsAt = '2026-01-01T00:00:00.000Z';
const fiveYearsLater = '2030-12-31T00:00:00.000Z';
const connectionAgeMs = 5_000;
// Longer than the keepalive intervals of client and server, 20 s and 30 s, so that both sides ping
// sessions that drain.
const longCallMs = 40_000;
const timeoutMs = 15 * 60_000;
const sandboxCount = 5;
const callsPerSandbox = 5;
// More renewals than any machine makes during a call.
const subscriptionCount = 10;
// The server passes it once for each call that reaches it, also if its client's library retries.
const reached = 'identity/answer/billing.identity.v1.IdentityService/AdvanceClock:before';

let folder: string;
let system: OwnTestSystem;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-f-'));
  system = await startTestSystem({
    processes: true,
    failpointsFolder: folder,
    environment: { GRPC_CONNECTION_AGE_MS: String(connectionAgeMs) },
  });
});

afterAll(async () => {
  await system.stop();
  await rm(folder, { recursive: true, force: true });
});

interface EndedCall {
  readonly answer: Answer;
  readonly ms: number;
}

/** Sends one request without retries. */
async function advance(sandbox: ApiClient): Promise<EndedCall> {
  const startedAt = performance.now();
  const answer = await sandbox.post('/sandboxes/clock/advance', { to: fiveYearsLater });
  return { answer, ms: performance.now() - startedAt };
}

async function callsThatReachedTheServer(): Promise<number> {
  const hits = await readFile(join(folder, 'hits'), 'utf8');
  return hits.split('\n').filter((hit) => hit === reached).length;
}

test(
  'no advance is cut, however often the connections below it are replaced',
  async () => {
    const sandboxes: ApiClient[] = [];
    while (sandboxes.length < sandboxCount)
      sandboxes.push(await dailySandbox(system.live, { startsAt, subscriptionCount }));
    const calls: Promise<EndedCall>[] = [];
    // Begun at different ages of the connections.
    for (let n = 0; n < callsPerSandbox; n += 1) {
      calls.push(...sandboxes.map(advance));
      await sleep(connectionAgeMs / callsPerSandbox);
    }
    await eventually(async () => {
      expect(await callsThatReachedTheServer()).toBeGreaterThanOrEqual(calls.length);
    });
    await sleep(longCallMs);
    for (const sandbox of sandboxes)
      await sandbox.expect(200, sandbox.delete('/sandboxes/clock/advance'));
    const ended = await Promise.all(calls);
    for (const { answer, ms } of ended) {
      expect([answer.status, answer.body]).toEqual([
        200,
        expect.objectContaining({ stopped: true }),
      ]);
      expect(ms).toBeGreaterThanOrEqual(longCallMs);
    }
    expect(await callsThatReachedTheServer()).toBe(calls.length);
  },
  timeoutMs,
);
