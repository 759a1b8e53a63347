import { readPage } from '@billing/chassis/request-fields';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { isId } from '@billing/chassis/ids';
import { notFound } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type LoggedRequest,
  type RequestLogServiceServer,
  RequestLogServiceService,
} from '@billing/proto/billing/identity/v1/request_log';
import { requestLogCallers } from '../peer/callers';
import type { ApiKeyStore } from '../api-key/api-key-store';
import type { AuditEntry } from '../audit/audit-entry';
import type { AuditStore } from '../audit/audit-store';
import { liveTenant } from '../environment/environment-store';
import { batchProblems, type RequestBodies, type RequestEntry } from './request-entry';
import type { RequestStore } from './request-store';

export interface RequestLogRpcDependencies {
  readonly requests: RequestStore;
  readonly audit: AuditStore;
  readonly apiKeys: ApiKeyStore;
}

/** The calls about requests to the public API. */
export function requestLogRpc({ requests, audit, apiKeys }: RequestLogRpcDependencies) {
  const handlers: AsyncHandlers<RequestLogServiceServer> = {
    recordRequests: async (batch) => {
      refuseProblems(batchProblems(batch.requests.length));
      // Entries without a place or time are left out, and the others are stored: they are written
      // once, for people to read.
      await requests.insert(batch.requests.flatMap(fromProtoRequest));
      await audit.insert(batch.requests.flatMap(auditedIn));
      return {};
    },
    listRequests: async ({ page, perPage, oldestFirst, ...filter }, context) => {
      const wanted = { ...readPage({ page, perPage, oldestFirst }), filter };
      const { data, ...extent } = await requests.list(context, wanted);
      return { requests: data.map((entry) => toProtoRequest(entry)), ...extent };
    },
    getLoggedRequest: async ({ id }, context) => {
      const found = await requests.find(id, context);
      if (found === undefined) throw notFound('Request');
      return { request: toProtoRequest(found, found) };
    },
    getApiUse: async (_request, context) => ({
      firstCallMade: await apiKeys.isAnyUsed(context),
    }),
  };
  return rpcService(RequestLogServiceService, handlers, {
    withoutTenant: ['recordRequests'],
    callers: requestLogCallers,
  });
}

function fromProtoRequest({
  at,
  caller,
  query,
  requestBody,
  responseBody,
  ...rest
}: LoggedRequest): (RequestEntry & RequestBodies)[] {
  if (at === undefined || !isId(rest.id) || !isId(rest.environmentId)) return [];
  const { id, environmentId, requestId, method, path, status, errorCode, durationMs, traceId } =
    rest;
  const whose = {
    key: caller?.$case === 'key' ? caller.value : undefined,
    operatorEmail: caller?.$case === 'operatorEmail' ? caller.value : undefined,
  };
  const entry = { id, environmentId, requestId, at, method, path, status, errorCode, durationMs };
  return [{ ...entry, traceId, ...whose, query, requestBody, responseBody }];
}

/**
 * The audit entry of a request: a write by an API key, in the live environment of its organization.
 */
function auditedIn(request: LoggedRequest): { live: string; entry: AuditEntry }[] {
  const { at, audit, id, environmentId, requestId, path, status } = request;
  if (at === undefined || audit === undefined || !isId(id) || !isId(audit.organizationId))
    return [];
  const { apiKeyId, organizationId, ...detail } = audit;
  const actor = { type: 'API_KEY', id: apiKeyId, email: undefined } as const;
  const entry = { ...detail, id, at, actor, environmentId, requestId, path, status };
  return [{ live: liveTenant(organizationId).environmentId, entry }];
}

function toProtoRequest(
  { key, operatorEmail, ...entry }: RequestEntry,
  { query, requestBody, responseBody }: Partial<RequestBodies> = {},
): LoggedRequest {
  const caller = callerOf({ key, operatorEmail });
  return { ...entry, caller, audit: undefined, query, requestBody, responseBody };
}

function callerOf({
  key,
  operatorEmail,
}: Pick<RequestEntry, 'key' | 'operatorEmail'>): LoggedRequest['caller'] {
  if (key !== undefined) return { $case: 'key', value: key };
  if (operatorEmail !== undefined) return { $case: 'operatorEmail', value: operatorEmail };
  return undefined;
}
