import type { Request, Response } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { newRequestId } from '@billing/chassis/ids';
import { type Logger, withRequestId } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import { currentTraceId, inSpan, noteError } from '@billing/chassis/tracing';
import { dashboardPath } from './dashboard/addresses';
import { type HttpError, RequestError, toHttpError } from './http-error';
import type { InFlightLimit } from './in-flight-limit';
import type { RequestAuthor, RequestLog } from './request-log';
import type { ApiAnswer } from './route';

/** A call before it is known who makes it. */
export type Call = Omit<CallContext, 'tenant'>;

/** What every exchange needs. */
export interface ExchangeSurroundings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** For people to look at; of callers who are named alone. */
  readonly requestLog?: RequestLog | undefined;
}

/** What the log tells of whoever asks, once it is known. Nothing of it is secret. */
export interface CallerFacts {
  readonly environmentId?: string | undefined;
  readonly apiKeyId?: string | undefined;
  readonly operatorId?: string | undefined;
}

/** Notes who asks; `author` is whom the request log tells of, which is kept of no other request. */
export type NoteCaller = (caller: CallerFacts, author?: RequestAuthor) => void;

/** What is done for a request, and whom it notes as its caller. */
export type Work = (call: Call, note: NoteCaller) => Promise<ApiAnswer>;

/** How one exchange differs from others. */
export interface ExchangeOptions {
  /** The route's path with its parameters unfilled: what traces and logs call it. */
  readonly route: string;
  readonly deadlineMs?: number | undefined;
  /** Whether the work goes on when whoever asked has gone away. */
  readonly outlivesCaller?: boolean | undefined;
  /** How an error is told; as JSON unless said. */
  readonly showError?: ((problem: HttpError) => ApiAnswer) | undefined;
  /** Whose places the request takes one of; absent: it is always served. */
  readonly inFlight?: InFlightLimit | undefined;
  /** Whether it is one of many batches of usage events; see request-log.ts. */
  readonly isIngest?: boolean | undefined;
}

interface AnswerParts {
  readonly response: Response;
  readonly logger: Logger;
  readonly showError: (problem: HttpError) => ApiAnswer;
}

const defaultDeadlineMs = 10_000;
const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * One HTTP request and its answer: a span that continues the caller's trace, a request id, a deadline that ends with the connection, the
 * one place where an error becomes an answer, and one line in the log. The line names the route and not the path: paths of public pages
 * hold tokens, and queries anything.
 */
export async function exchange(
  request: Request,
  response: Response,
  {
    clock,
    logger,
    metrics,
    requestLog,
    route,
    deadlineMs = defaultDeadlineMs,
    outlivesCaller = false,
    showError = toErrorAnswer,
    inFlight,
    isIngest = false,
  }: ExchangeSurroundings & ExchangeOptions,
  work: Work,
): Promise<void> {
  const requestId = readRequestId(request, route);
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
        signal: outlivesCaller ? AbortSignal.timeout(deadlineMs) : abortWithConnection(response),
      };
      let caller: CallerFacts | undefined;
      let author: RequestAuthor | undefined;
      const run = () =>
        work(call, (facts, whom) => {
          caller = facts;
          author = whom;
        });
      const { status, headers } = await answer({ response, logger, showError }, () =>
        inFlight === undefined ? run() : inFlight.run(run),
      );
      const done = {
        method: request.method,
        route,
        status,
        durationMs: clock.now().getTime() - startedAt.getTime(),
      };
      metrics?.recordRequest(done);
      logger.info({ ...done, ...caller }, 'request');
      if (author === undefined) return;
      const { path } = request;
      const errorCode = headers?.['Error-Code'];
      const asked = { requestId, at: startedAt, path, traceId, errorCode, isIngest };
      const { method, durationMs } = done;
      requestLog?.note({ ...asked, method, status, durationMs }, author);
    }),
  );
}

async function answer(
  { response, logger, showError }: AnswerParts,
  work: () => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  try {
    const done = await work();
    send(response, done);
    return done;
  } catch (error) {
    const problem = toHttpError(error);
    if (problem.status >= 500) noteError(error);
    if (problem.status === 500) logger.error({ err: error }, 'request failed');
    // A refusal of our own is no mystery, and under load there are many.
    else if (problem.status > 500 && !(error instanceof RequestError)) {
      logger.warn({ err: error }, 'request not served');
    }
    const shown = showError(problem);
    send(response, shown);
    return shown;
  }
}

/** An error in JSON, as programs read it. */
export function toErrorAnswer({ status, code, body, headers = {} }: HttpError): ApiAnswer {
  return { status, body, headers: { ...headers, 'Error-Code': code } };
}

function send(response: Response, { status, body, headers = {} }: ApiAnswer): void {
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

function readRequestId(request: Request, route: string): string {
  // The audit log knows what operators do by it, so who comes by a cookie, or for one, may not choose it, and hide two things behind one.
  const isByCookie = 'cookie' in request.headers && !('authorization' in request.headers);
  const isOperators = isByCookie || route.startsWith(`${dashboardPath}/`);
  const given = isOperators ? undefined : request.header('x-request-id');
  return given !== undefined && requestIdPattern.test(given) ? given : newRequestId();
}

// A caller that has gone away cancels what is done for it.
function abortWithConnection(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new DeadlineExceededError());
  });
  return controller.signal;
}
