import type { Request, Response } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { newId } from '@billing/chassis/ids';
import { type Logger, withRequestId } from '@billing/chassis/logging';
import { currentTraceId, inSpan } from '@billing/chassis/tracing';
import { toHttpError } from './http-error';
import type { ApiAnswer } from './route';

/** A call before it is known who makes it. */
export type Call = Omit<CallContext, 'tenant'>;

/** What every exchange needs. */
export interface ExchangeSurroundings {
  readonly clock: Clock;
  readonly logger: Logger;
}

const defaultDeadlineMs = 10_000;
const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * One HTTP request and its answer: a span that continues the caller's trace, a request id, a deadline that ends with the connection, and
 * the one place where an error becomes an answer.
 */
export async function exchange(
  request: Request,
  response: Response,
  {
    clock,
    logger,
    route,
    deadlineMs = defaultDeadlineMs,
  }: ExchangeSurroundings & { route: string; deadlineMs?: number },
  work: (call: Call) => Promise<ApiAnswer>,
): Promise<void> {
  const requestId = readRequestId(request);
  const startedAt = clock.now();
  const span = {
    name: `${request.method} ${route}`,
    kind: 'server' as const,
    service: 'gateway',
    traceparent: request.header('traceparent'),
  };
  await withRequestId(requestId, () =>
    inSpan(span, async () => {
      response.setHeader('X-Request-Id', requestId);
      const traceId = currentTraceId();
      if (traceId !== undefined) response.setHeader('Trace-Id', traceId);
      const call = {
        now: startedAt,
        scopes: [],
        requestId,
        deadline: new Date(startedAt.getTime() + deadlineMs),
        signal: abortWithConnection(response),
      };
      const status = await answer(response, logger, () => work(call));
      const durationMs = clock.now().getTime() - startedAt.getTime();
      logger.info({ method: request.method, route, status, durationMs }, 'request');
    }),
  );
}

async function answer(
  response: Response,
  logger: Logger,
  work: () => Promise<ApiAnswer>,
): Promise<number> {
  try {
    const { status, body, headers = {} } = await work();
    send(response, status, body, headers);
    return status;
  } catch (error) {
    const { status, code, body, headers = {} } = toHttpError(error);
    if (status === 500) logger.error({ err: error }, 'request failed');
    else if (status > 500) logger.warn({ err: error }, 'request not served');
    send(response, status, body, { ...headers, 'Error-Code': code });
    return status;
  }
}

function send(
  response: Response,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      ...headers,
      'Content-Length': bytes.length,
    })
    .end(bytes);
}

function readRequestId(request: Request): string {
  const given = request.header('x-request-id');
  return given !== undefined && requestIdPattern.test(given) ? given : newId();
}

// A caller that has gone away cancels what is done for it.
function abortWithConnection(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new DeadlineExceededError());
  });
  return controller.signal;
}
