import { readPage } from '@billing/chassis/page';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { isId } from '@billing/chassis/ids';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type LoggedRequest,
  type RequestLogServiceServer,
  RequestLogServiceService,
} from '@billing/proto/billing/identity/v1/request_log';
import type { ApiKeyStore } from './api-key-store';
import { batchProblems, type RequestEntry } from './request-entry';
import type { RequestStore } from './request-store';

/** What the calls about requests work with. */
export interface RequestLogRpcOptions {
  readonly requests: RequestStore;
  readonly apiKeys: ApiKeyStore;
}

/** The calls about what was asked of the public API. */
export function requestLogRpc({ requests, apiKeys }: RequestLogRpcOptions) {
  const handlers: AsyncHandlers<RequestLogServiceServer> = {
    recordRequests: async (batch) => {
      refuseProblems(batchProblems(batch.requests.length));
      // Written once and read by people: what lacks its place is left out, and the others are kept.
      await requests.insert(batch.requests.flatMap(fromProtoRequest));
      return {};
    },
    listRequests: async ({ page, perPage, ...filter }, context) => {
      const wanted = { ...readPage({ page, perPage }), filter };
      const { data, ...extent } = await requests.list(context, wanted);
      return { requests: data.map(toProtoRequest), ...extent };
    },
    getApiUse: async (_request, context) => ({
      firstCallMade: await apiKeys.isAnyUsed(context),
    }),
  };
  return rpcService(RequestLogServiceService, handlers, { withoutTenant: ['recordRequests'] });
}

function fromProtoRequest({ at, caller, ...rest }: LoggedRequest): RequestEntry[] {
  if (at === undefined || !isId(rest.id) || !isId(rest.environmentId)) return [];
  const { id, environmentId, requestId, method, path, status, errorCode, durationMs, traceId } =
    rest;
  const whose = {
    key: caller?.$case === 'key' ? caller.value : undefined,
    operatorEmail: caller?.$case === 'operatorEmail' ? caller.value : undefined,
  };
  const entry = { id, environmentId, requestId, at, method, path, status, errorCode, durationMs };
  return [{ ...entry, traceId, ...whose }];
}

function toProtoRequest({ key, operatorEmail, ...entry }: RequestEntry): LoggedRequest {
  return { ...entry, caller: callerOf({ key, operatorEmail }) };
}

function callerOf({
  key,
  operatorEmail,
}: Pick<RequestEntry, 'key' | 'operatorEmail'>): LoggedRequest['caller'] {
  if (key !== undefined) return { $case: 'key', value: key };
  if (operatorEmail !== undefined) return { $case: 'operatorEmail', value: operatorEmail };
  return undefined;
}
