import type { Request } from 'express';
import type { AuditedWrite } from '@billing/proto/billing/identity/v1/request_log';
import { type Admitted, originOfRequest } from './admission';
import { type AuditDetail, auditDetail } from './audit-detail';
import { isRead } from './authentication';
import type { Peers } from './peers';
import type { ApiAnswer, ApiRequest, RequestCaller, Route } from './route';

/** Who calls, and how what they change gets into the audit log. */
export interface AuditedCall {
  readonly caller: RequestCaller;
  /**
   * Tells what the call changes; what is told last counts, and a call that tells nothing is not
   * kept of a key.
   */
  readonly describe: (detail: AuditDetail) => void;
}

/** How a write is described. */
export interface DescribedWrite {
  /** Answers what the write changes as it is before; undefined: there is no such route. */
  readonly reader: Route | undefined;
  readonly peers: Peers;
  readonly describe: AuditedCall['describe'];
  readonly write: () => Promise<ApiAnswer>;
}

/** The route that reads what another one changes. */
export function readerOf({ path }: Route, routes: readonly Route[]): Route | undefined {
  const resource = path.split('/').slice(0, 3).join('/');
  if (!resource.includes(':')) return undefined;
  return routes.find((one) => one.method === 'GET' && one.path === resource);
}

/**
 * Runs a write and tells the audit log what it changed. What it was before is read for operators
 * alone: keys write a lot, and no write of theirs waits for a log.
 */
export async function describedWrite(
  route: Route,
  request: ApiRequest,
  { reader, peers, describe, write }: DescribedWrite,
): Promise<ApiAnswer> {
  if (isRead(route.method) || route.readsOnly === true || route.isIngest === true) return write();
  const [, segment = ''] = route.path.split('/');
  const about = { segment, id: targetIdOf(route, request), body: request.body };
  describe(auditDetail({ ...about, before: undefined, answer: undefined }));
  const isOperator = request.caller.type === 'OPERATOR';
  const before = isOperator ? await readBefore(reader, request, peers) : undefined;
  const answer = await write();
  describe(auditDetail({ ...about, before, answer: answer.body }));
  return answer;
}

/**
 * From the path, which names no environment where it is about the caller's own; undefined: the
 * write makes something.
 */
function targetIdOf({ path }: Route, { params, context }: ApiRequest): string | undefined {
  const [named] = Object.values(params);
  return named ?? (path.startsWith('/sandboxes/clock') ? context.tenant.environmentId : undefined);
}

/** What the audit log keeps of a key's write; undefined: nothing. */
export function auditedWrite(
  { tenant, callerId }: Pick<Admitted, 'tenant' | 'callerId'>,
  request: Request,
  { route, detail }: { readonly route: string; readonly detail: AuditDetail | undefined },
): AuditedWrite | undefined {
  if (detail === undefined) return undefined;
  const { address, userAgent } = originOfRequest(request);
  const { organizationId } = tenant;
  const action = `${request.method} ${route}`;
  return { apiKeyId: callerId, organizationId, address, userAgent, action, ...detail };
}

async function readBefore(
  reader: Route | undefined,
  request: ApiRequest,
  peers: Peers,
): Promise<unknown> {
  if (reader === undefined) return undefined;
  const context = { ...request.context, idempotency: undefined };
  try {
    const answer = await reader.handle({ ...request, context, query: {}, body: {} }, peers);
    return answer.body;
  } catch {
    // The write itself tells what is wrong.
    return undefined;
  }
}
