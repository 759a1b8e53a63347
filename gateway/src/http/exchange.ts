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
import { type HttpError, RequestError, toHttpError, loggedError } from './error';
import type { TakePlace } from './in-flight-limit';
import type { RequestAuthor, RequestLog } from './request-log';
import type { ApiAnswer } from './answer';

/** A call before authentication. */
export type Call = Omit<CallContext, 'tenant'>;

/** Dependencies of every exchange. */
export interface ExchangeDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** Address ranges of clients whose trace is continued. Optional. */
  readonly traceTrusted?: readonly string[] | undefined;
  /** Request log for people, only of authenticated callers. */
  readonly requestLog?: RequestLog | undefined;
}

/** The identity of a caller for logs and traces, once it is known. Contains nothing secret. */
export interface CallerFacts {
  readonly tenant?: Pick<Tenant, 'environmentId' | 'organizationId' | 'live'> | undefined;
  readonly apiKeyId?: string | undefined;
  readonly operatorId?: string | undefined;
}

/** Records the caller. Requests without an `author` are not put in the request log. */
export type RecordCaller = (caller: CallerFacts, author?: RequestAuthor) => void;

/** Handler of a request, which also records the caller. */
export type Work = (call: Call, recordCaller: RecordCaller) => Promise<ApiAnswer>;

/** Options of an exchange. */
export interface ExchangeOptions {
  /** Path of the route with parameter names, used in traces and logs. */
  readonly route: string;
  readonly deadlineMs?: number | undefined;
  /**
   * Time to wait after the deadline, so that writes completed in time are acknowledged. Defaults to
   * 0.
   */
  readonly graceMs?: number | undefined;
  /** True if the work continues after the caller disconnects. */
  readonly outlivesCaller?: boolean | undefined;
  /** Renders an error. Defaults to JSON. */
  readonly showError?: ((problem: HttpError) => ApiAnswer) | undefined;
  /** Concurrency limit of the request. Optional. */
  readonly inFlight?: TakePlace | undefined;
  /**
   * True if the caller may not choose the request id, by which the audit log identifies actions of
   * operators: a reused id could hide an action. Always so for requests with a cookie.
   */
  readonly assignsRequestId?: boolean | undefined;
  /** True for batches of usage events; see request-log.ts. */
  readonly isIngest?: boolean | undefined;
}

interface AnswerFields {
  readonly response: Response;
  readonly logger: Logger;
  readonly showError: (problem: HttpError) => ApiAnswer;
}

const defaultDeadlineMs = 10_000;
const requestIdPattern = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Serves one HTTP request: creates the root span, the request id and a deadline that ends with the
 * connection, converts errors to responses, and logs one line. The line names the route instead of
 * the path, since paths of public pages contain tokens.
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
    assignsRequestId = false,
    isIngest = false,
  }: ExchangeDependencies & ExchangeOptions,
  work: Work,
): Promise<void> {
  const requestId = readRequestId(request, assignsRequestId);
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
      const { status, headers, body } = await answer({ response, logger, showError }, () =>
        inFlight === undefined ? run() : inFlight(run, request),
      );
      const done = {
        method: request.method,
        route,
        status,
        durationMs: clock.now().getTime() - startedAt.getTime(),
      };
      metrics?.recordRequest({ ...done, live: liveOf(caller) });
      describeSpan(() => spanAttributesOf({ status, headers }, caller));
      logger.info({ ...done, ...loggedFacts(caller), ...linkedTrace(remote) }, 'request');
      if (author === undefined) return;
      const { path, originalUrl: url } = request;
      const errorCode = headers?.['Error-Code'];
      const asked = { requestId, at: startedAt, path, url, traceId, errorCode, isIngest };
      const { method, durationMs } = done;
      const { audit, ...whose } = author;
      const bodies = { request: request.body as unknown, response: body };
      requestLog?.record({ ...asked, method, status, durationMs, audit: audit?.(), bodies }, whose);
    }),
  );
}

/** The environment of an API key: operators and payers have no part in the API's objective. */
function liveOf(caller: CallerFacts | undefined): boolean | undefined {
  return caller?.apiKeyId === undefined ? undefined : caller.tenant?.live;
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

// Links the caller's trace, which is not continued.
function linkedTrace({ traceparent, isTrusted }: RemoteCaller) {
  if (traceparent === undefined || isTrusted) return {};
  return { caller_trace_id: traceIdOf(traceparent) };
}

async function answer(
  { response, logger, showError }: AnswerFields,
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
    // Refusals under load are expected and frequent, so they are not logged as errors.
    else if (problem.status > 500 && !(error instanceof RequestError)) {
      logger.warn(loggedError(error), 'request not served');
    }
    const shown = showError(problem);
    send(response, shown);
    return shown;
  }
}

/** Renders an error as JSON. */
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
    // A failure in the middle of a stream closes the connection, so that the caller detects the
    // truncation.
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

function readRequestId(request: Request, isAssigned: boolean): string {
  const isByCookie = 'cookie' in request.headers && !('authorization' in request.headers);
  const given = isAssigned || isByCookie ? undefined : request.header('x-request-id');
  return given !== undefined && requestIdPattern.test(given) ? given : newRequestId();
}

// Cancels the work when the caller disconnects.
function abortWithConnection(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new DeadlineExceededError());
  });
  return controller.signal;
}
