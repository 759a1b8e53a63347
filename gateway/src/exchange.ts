import { pipeline, Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { newRequestId } from '@billing/chassis/ids';
import { type Logger, withRequestId } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import {
  currentTraceId,
  describeSpan,
  inRequestSpan,
  recordSpanError,
  type RemoteCaller,
  type SpanAttributes,
  traceIdOf,
} from '@billing/chassis/tracing';
import { isAddressIn } from './address-list';
import { dashboardPath } from './dashboard/addresses';
import { type HttpError, RequestError, toHttpError } from './http-error';
import type { TakePlace } from './in-flight-limit';
import { loggedError } from './logged-error';
import type { RequestAuthor, RequestLog } from './request-log';
import type { ApiAnswer } from './route';

/** A call before it is known who makes it. */
export type Call = Omit<CallContext, 'tenant'>;

/** What every exchange needs. */
export interface ExchangeDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** Ranges of addresses of clients whose trace is continued; absent: none. */
  readonly traceTrusted?: readonly string[] | undefined;
  /** For people to look at; of callers who are named alone. */
  readonly requestLog?: RequestLog | undefined;
}

/** The identity of a caller for logs and traces, once it is known. Contains nothing secret. */
export interface CallerFacts {
  readonly tenant?: Pick<Tenant, 'environmentId' | 'organizationId' | 'live'> | undefined;
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
  /**
   * How long an answer is waited for after the deadline, so that what was stored in time is
   * acknowledged. Default 0.
   */
  readonly graceMs?: number | undefined;
  /** Whether the work goes on when whoever asked has gone away. */
  readonly outlivesCaller?: boolean | undefined;
  /** How an error is told; as JSON unless said. */
  readonly showError?: ((problem: HttpError) => ApiAnswer) | undefined;
  /**
   * Takes a place for the request while it is served, or refuses it; absent: it is always served.
   */
  readonly inFlight?: TakePlace | undefined;
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
 * One HTTP request and its answer: the root span of its trace, a request id, a deadline that ends
 * with the connection, the one place where an error becomes an answer, and one line in the log. The
 * line names the route and not the path: paths of public pages hold tokens, and queries anything.
 */
export async function exchange(
  request: Request,
  response: Response,
  {
    clock,
    logger,
    metrics,
    traceTrusted = [],
    requestLog,
    route,
    deadlineMs = defaultDeadlineMs,
    graceMs = 0,
    outlivesCaller = false,
    showError = toErrorAnswer,
    inFlight,
    isIngest = false,
  }: ExchangeDependencies & ExchangeOptions,
  work: Work,
): Promise<void> {
  const requestId = readRequestId(request, route);
  const startedAt = clock.now();
  const span = rootSpan(request.method, route, requestId);
  const traceparent = request.header('traceparent');
  const remote = { traceparent, isTrusted: isAddressIn(request.ip, traceTrusted) };
  await withRequestId(requestId, () =>
    inRequestSpan(span, remote, async () => {
      response.setHeader('X-Request-Id', requestId);
      const traceId = currentTraceId();
      if (traceId !== undefined) response.setHeader('Trace-Id', traceId);
      const call = {
        now: startedAt,
        scopes: [],
        requestId,
        deadline: new Date(startedAt.getTime() + deadlineMs),
        graceMs,
        signal: outlivesCaller
          ? AbortSignal.timeout(deadlineMs + graceMs)
          : abortWithConnection(response),
      };
      let caller: CallerFacts | undefined;
      let author: RequestAuthor | undefined;
      const run = () =>
        work(call, (facts, whom) => {
          caller = facts;
          author = whom;
        });
      const { status, headers } = await answer({ response, logger, showError }, () =>
        inFlight === undefined ? run() : inFlight(run, request),
      );
      const done = {
        method: request.method,
        route,
        status,
        durationMs: clock.now().getTime() - startedAt.getTime(),
      };
      metrics?.recordRequest(done);
      describeSpan(() => spanAttributesOf({ status, headers }, caller));
      logger.info({ ...done, ...loggedFacts(caller), ...linkedTrace(remote) }, 'request');
      if (author === undefined) return;
      const { path } = request;
      const errorCode = headers?.['Error-Code'];
      const asked = { requestId, at: startedAt, path, traceId, errorCode, isIngest };
      const { method, durationMs } = done;
      const { audit, ...whose } = author;
      requestLog?.note({ ...asked, method, status, durationMs, audit: audit?.() }, whose);
    }),
  );
}

function rootSpan(method: string, route: string, requestId: string) {
  return {
    name: `${method} ${route}`,
    kind: 'server' as const,
    service: 'gateway',
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'billing.request_id': requestId,
    },
  };
}

function spanAttributesOf(
  { status, headers }: ApiAnswer,
  { tenant, apiKeyId, operatorId }: CallerFacts = {},
): SpanAttributes {
  return {
    'http.response.status_code': status,
    'error.type': headers?.['Error-Code'],
    'billing.environment_id': tenant?.environmentId,
    'billing.organization_id': tenant?.organizationId,
    'billing.live': tenant?.live,
    'billing.api_key_id': apiKeyId,
    'billing.operator_id': operatorId,
  };
}

function loggedFacts({ tenant, apiKeyId, operatorId }: CallerFacts = {}) {
  return { environmentId: tenant?.environmentId, apiKeyId, operatorId };
}

// By it the caller's own trace is found, which is not continued here.
function linkedTrace({ traceparent, isTrusted }: RemoteCaller) {
  if (traceparent === undefined || isTrusted) return {};
  return { caller_trace_id: traceIdOf(traceparent) };
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
    if (problem.status >= 500) recordSpanError(error);
    if (problem.status === 500) logger.error({ err: error }, 'request failed');
    // A refusal of our own is no mystery, and under load there are many.
    else if (problem.status > 500 && !(error instanceof RequestError)) {
      logger.warn(loggedError(error), 'request not served');
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
  if (body instanceof Readable) {
    response.writeHead(status, headers);
    // What fails midway ends the connection: the caller sees that it is not whole.
    pipeline(body, response, () => undefined);
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
  // The audit log knows what operators do by it, so who comes by a cookie, or for one, may not
  // choose it, and hide two things behind one.
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
