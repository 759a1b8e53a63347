import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import type { Served } from '@billing/chassis/peer';
import { addGet } from './http/respond';
import { ok } from './http/answer';
import { addProbes, refuseWhileRecovering } from './probes';
import { ServedWatch } from './served-watch';

const logger = createLogger({ service: 'test', level: 'silent' });

/** Answers of the gateway's paths without a service while the system answers as `ask` does. */
async function statusesOf(
  ask: () => Promise<Served>,
  paths: readonly string[],
): Promise<(readonly [number, string | null])[]> {
  const app = express();
  const served = new ServedWatch(ask);
  const dependencies = { clock: systemClock, logger, version: '0.0.0', served };
  addProbes(app, dependencies);
  refuseWhileRecovering(app, ['/docs'], dependencies);
  addGet(app, '/docs', dependencies, () => ok({ page: 'docs' }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const statuses = [];
  for (const path of paths) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`);
    await answer.text();
    statuses.push([answer.status, answer.headers.get('error-code')] as const);
  }
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  return statuses;
}

/** Answers in this order; later questions have no answer. */
function answering(...answers: readonly Served[]): () => Promise<Served> {
  const left = [...answers];
  return () => {
    const next = left.shift();
    return next === undefined ? new Promise(() => undefined) : Promise.resolve(next);
  };
}

afterEach(() => {
  jest.restoreAllMocks();
});

/** Lets more than a second pass between two looks at the monotonic clock. */
function everyLookIsLate(): void {
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5_000));
}

const served = [200, null];

test('pages without a service wait for no answer of a system that is away', async () => {
  everyLookIsLate();
  expect(await statusesOf(answering('none'), ['/docs', '/docs', '/healthz', '/docs'])).toEqual([
    served,
    served,
    served,
    served,
  ]);
});

test('pages without a service are refused once a probe has seen that the system recovers', async () => {
  const answers = answering('all', 'services', 'services', 'services', 'services');
  expect(await statusesOf(answers, ['/docs', '/readyz', '/docs', '/readyz', '/docs'])).toEqual([
    served,
    [503, 'recovering'],
    [503, 'recovering'],
    [503, 'recovering'],
    [503, 'recovering'],
  ]);
});

test('pages without a service return with the system', async () => {
  everyLookIsLate();
  expect(await statusesOf(answering('services', 'all'), ['/docs', '/docs'])).toEqual([
    [503, 'recovering'],
    served,
  ]);
});
