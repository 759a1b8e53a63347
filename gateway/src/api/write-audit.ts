import type { Request } from 'express';
import { systemClock } from '@billing/chassis/clock';
import type { AuditedWrite } from '@billing/proto/billing/identity/v1/request_log';
import { originOfRequest } from '../http/client-address';
import type { Admitted } from '../access/admission';
import { type AuditDetail, auditDetail } from '../access/audit-detail';
import { isRead } from '../http/method';
import type { Peers } from '../peer/peers';
import type { ApiAnswer } from '../http/answer';
import type { ApiRequest, RequestCaller } from './input/request';
import type { Route, RouteTools } from './routes/route';

// A slow read must leave the write its time; the entry then has no former values.
const readMsMax = 2_000;

/** Caller of a write and the means to record its changes in the audit log. */
export interface AuditedCall {
  readonly caller: RequestCaller;
  /**
   * Sets the audit details of the call. The latest details count. Calls of keys without details are
   * not recorded.
   */
  readonly describe: (detail: AuditDetail) => void;
}

/** Description of a write. */
export interface DescribedWrite extends RouteTools {
  /** Reads the resource before the write; undefined if nothing reads it. */
  readonly reader: Reader | undefined;
  readonly peers: Peers;
  readonly describe: AuditedCall['describe'];
  readonly write: () => Promise<ApiAnswer>;
}

/** Read of a resource, with its path. */
type Reader = Pick<Route, 'path' | 'handle'>;

/** Read of the resource changed by a route. */
export function readerOf(
  { method, path, readFormer }: Route,
  routes: readonly Route[],
): Reader | undefined {
  if (readFormer !== undefined) return { path, handle: readFormer };
  const resource = path.split('/').slice(0, 3).join('/');
  const paths = [
    ...(method === 'PATCH' || method === 'DELETE' ? [path] : []),
    ...(resource.includes(':') ? [resource] : []),
  ];
  return paths
    .map((read) => routes.find((one) => one.method === 'GET' && one.path === read))
    .find((reader) => reader !== undefined);
}

/**
 * Runs a write and records its changes in the audit log. The previous state is read before all
 * writes of operators, but only before a PATCH and a DELETE of a key: keys write often, and what
 * their other writes name is not part of the resource.
 */
export async function describedWrite(
  route: Route,
  request: ApiRequest,
  { reader, peers, logger, describe, write }: DescribedWrite,
): Promise<ApiAnswer> {
  if (isRead(route.method) || route.readsOnly === true || route.isIngest === true) return write();
  const [, segment = ''] = route.path.split('/');
  const about = { segment, id: targetIdOf(route, request), body: request.body };
  const environmentTime = request.context.now;
  describe({ ...auditDetail({ ...about, before: undefined, answer: undefined }), environmentTime });
  const { method } = route;
  const isChange = method === 'PATCH' || method === 'DELETE';
  const isReadBefore = request.caller.type === 'OPERATOR' || isChange;
  const before = isReadBefore ? await readBefore(reader, request, { peers, logger }) : undefined;
  const answer = await write();
  const isRemoval = method === 'DELETE' && reader?.path === route.path;
  const written = { ...about, before, isRemoval, answer: answer.body };
  describe({ ...auditDetail(written), environmentTime });
  return answer;
}

/**
 * Id from the path, or of the caller's environment for paths without an id; undefined if the write
 * creates a resource.
 */
function targetIdOf({ path }: Route, { params, context }: ApiRequest): string | undefined {
  const [named] = Object.values(params);
  return named ?? (path.startsWith('/sandboxes/clock') ? context.tenant.environmentId : undefined);
}

/** Audit details of a key's write, if any. */
export function auditedWrite(
  { tenant, callerId }: Pick<Admitted, 'tenant' | 'callerId'>,
  request: Request,
  { route, detail }: { readonly route: string; readonly detail: AuditDetail | undefined },
): AuditedWrite | undefined {
  if (detail === undefined) return undefined;
  const { address, userAgent } = originOfRequest(request);
  const { organizationId } = tenant;
  const action = `${request.method} ${route}`;
  const { target, changes, environmentTime } = detail;
  const written = { target, changes, environmentTime };
  return { apiKeyId: callerId, organizationId, address, userAgent, action, ...written };
}

async function readBefore(
  reader: Reader | undefined,
  request: ApiRequest,
  { peers, logger }: Pick<DescribedWrite, 'peers' | 'logger'>,
): Promise<unknown> {
  if (reader === undefined) return undefined;
  const { deadline } = request.context;
  const readBy = Math.min(deadline.getTime(), systemClock.now().getTime() + readMsMax);
  const context = { ...request.context, deadline: new Date(readBy), idempotency: undefined };
  try {
    const read = { ...request, context, query: {}, body: {} };
    const answer = await reader.handle(read, peers, { logger });
    return answer.body;
  } catch {
    // The write itself reports the error.
    return undefined;
  }
}
