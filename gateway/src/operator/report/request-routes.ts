import { z } from 'zod';
import type { LoggedBody, LoggedRequest } from '@billing/proto/billing/identity/v1/request_log';
import { toJsonTime } from '@billing/proto/json/scalars';
import { listShape, optional, readQuery } from '../../api/input/input';
import { listQuery } from '../../api/input/list';
import { ok, present } from '../../http/answer';
import type { EnvironmentRoute } from '../route/route';

const textLengthMax = 500;
const text = optional(z.string().max(textLengthMax));

const ListRequests = z.object({
  ...listShape,
  method: optional(z.enum(['GET', 'POST', 'PATCH', 'DELETE'])),
  /** A class of statuses, such as 4xx. */
  status: optional(z.enum(['2xx', '3xx', '4xx', '5xx'])),
  path: text,
  requestId: text,
});

/** The request log of the public API. */
export const requestRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/requests',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers, requestLog }) => {
      const { status, path: pathPrefix, ...wanted } = readQuery(ListRequests, { query });
      const statusClass = status === undefined ? undefined : Number(status[0]);
      const asked = listQuery({ ...wanted, statusClass, pathPrefix });
      const found = await peers.requestLog.listRequests(asked, context);
      const { requests, total, totalIsMore, searchedSince: since } = found;
      const { page, perPage } = wanted;
      return ok({
        data: requests.map(toJsonRequest),
        total,
        totalIsMore,
        /** Start of the searched range; null if the whole log was searched. */
        searchedSince: since === undefined ? null : toJsonTime(since),
        page,
        perPage,
        dropped: requestLog?.droppedRecently ?? 0,
      });
    },
  },
  {
    method: 'GET',
    path: '/requests/:id',
    isOfEnvironment: true,
    handle: async ({ params: { id = '' }, context }, { peers }) => {
      const { request } = await peers.requestLog.getLoggedRequest({ id }, context);
      return ok(toJsonRequestDetail(present(request)));
    },
  },
];

/** A request with its query and bodies; each is null if there is none, or if it is not kept. */
export function toJsonRequestDetail(request: LoggedRequest) {
  return {
    ...toJsonRequest(request),
    /** Without its `?`. */
    query: request.query ?? null,
    requestBody: toJsonBody(request.requestBody),
    responseBody: toJsonBody(request.responseBody),
  };
}

function toJsonBody(body: LoggedBody | undefined) {
  return body ?? null;
}

export function toJsonRequest(request: LoggedRequest) {
  const { caller } = request;
  const key = caller?.$case === 'key' ? caller.value : undefined;
  return {
    id: request.requestId,
    /** Not unique: callers may send the same id with several requests. */
    entryId: request.id,
    at: toJsonTime(request.at),
    method: request.method,
    path: request.path,
    status: request.status,
    errorCode: request.errorCode ?? null,
    durationMs: request.durationMs,
    keyPrefix: key?.prefix ?? null,
    keyLast4: key?.last4 ?? null,
    operatorEmail: caller?.$case === 'operatorEmail' ? caller.value : null,
    traceId: request.traceId ?? null,
  };
}
