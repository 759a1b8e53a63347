import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { startTracing, type TracingOptions } from '@billing/chassis/tracing';
import { exchange } from './exchange';
import { RequestError } from './error';

type SpanProcessor = NonNullable<TracingOptions['spanProcessors']>[number];

// Status codes of OpenTelemetry.
const statusCodes = { unset: 0, error: 2 };

const dependencies = {
  clock: systemClock,
  logger: createLogger({ service: 'test', level: 'silent' }),
};

/** Runs a request whose work fails. Returns its response and the status of its span. */
async function fail(error: Error) {
  const ended: number[] = [];
  const processor: SpanProcessor = {
    onStart: () => undefined,
    onEnd: ({ status }) => ended.push(status.code),
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  const tracing = startTracing({ spanProcessors: [processor] });
  const app = express();
  app.get('/', (request, response) =>
    exchange(request, response, { ...dependencies, route: '/' }, () => Promise.reject(error)),
  );
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { status } = await fetch(`http://127.0.0.1:${String(port)}/`);
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  await tracing.shutdown();
  return { status, spans: ended };
}

test.each([
  ['a bug', new Error('lost'), 500, statusCodes.error],
  [
    'a service that is away',
    new RequestError(503, 'unavailable', 'Service unavailable'),
    503,
    statusCodes.error,
  ],
  ['a refusal', new RequestError(404, 'not_found', 'Not found'), 404, statusCodes.unset],
])(
  '%s marks the span as failed only if the caller could not have avoided it',
  async (_case, error, status, span) => {
    expect(await fail(error)).toEqual({ status, spans: [span] });
  },
);
