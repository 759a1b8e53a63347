import type { Express, Request, RequestHandler, Response } from 'express';
import type { ApiAnswer } from './answer';
import {
  type Call,
  exchange,
  type ExchangeDependencies,
  type ExchangeOptions,
  type RecordCaller,
} from './exchange';
import { methodNotAllowed } from './error';

/** Serves each request as an exchange. */
export function respond(
  dependencies: ExchangeDependencies,
  options: ExchangeOptions,
  work: (
    call: Call,
    request: Request,
    response: Response,
    recordCaller: RecordCaller,
  ) => Promise<ApiAnswer>,
): RequestHandler {
  const { clock, logger, metrics, requestLog, traceTrusted } = dependencies;
  const made = { clock, logger, metrics, requestLog, traceTrusted, ...options };
  return (request, response) =>
    exchange(request, response, made, (call, recordCaller) =>
      work(call, request, response, recordCaller),
    );
}

/** Serves GET at a path without a key and refuses other methods. */
export function addGet(
  app: Express,
  path: string,
  dependencies: ExchangeDependencies,
  answer: (request: Request) => ApiAnswer | Promise<ApiAnswer>,
): void {
  app.get(
    path,
    respond(dependencies, { route: path }, async (_call, request) => answer(request)),
  );
  app.all(
    path,
    respond(dependencies, { route: path }, () => Promise.reject(methodNotAllowed(['GET']))),
  );
}
