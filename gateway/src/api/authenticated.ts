import type { Request, RequestHandler, Response } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import type { Admission, Admitted } from '../access/admission';
import type { ApiAnswer } from '../http/answer';
import type { AuditDetail } from '../access/audit-detail';
import { originOfRequest } from '../http/client-address';
import type { OperatorAccess } from '../access/operator-access';
import type { ExchangeDependencies, ExchangeOptions } from '../http/exchange';
import type { InFlightLimit } from '@billing/chassis/semaphore';
import type { TakePlace } from '../http/in-flight-limit';
import { isRead } from '../http/method';
import { respond } from '../http/respond';
import type { Waits } from './routes/route';
import { type AuditedCall, auditedWrite } from './write-audit';

/** Dependencies of authenticated requests. */
export interface AuthenticatedDependencies extends ExchangeDependencies {
  readonly admission: Admission;
  readonly operatorAccess: OperatorAccess;
  /** Concurrency limits of requests with a key. */
  readonly keyedInFlight: InFlightLimit;
  readonly inFlightPerKey: InFlightLimit;
  readonly inFlightPerOrganization: InFlightLimit;
  /** Concurrency limits of calls that wait for a clock advance: per process and per environment. */
  readonly waiting: InFlightLimit;
  readonly waitingPerEnvironment: InFlightLimit;
  /** Concurrency limits of requests that wait for events: per process and per key. */
  readonly polling: InFlightLimit;
  readonly pollingPerKey: InFlightLimit;
  /** Concurrency limit of exports per environment. */
  readonly exports: InFlightLimit;
  readonly exportsPerEnvironment: InFlightLimit;
}

/** A handler of authenticated requests. */
export function authenticated(
  dependencies: AuthenticatedDependencies,
  {
    waits,
    readsOnly = false,
    ...options
  }: ExchangeOptions & { readonly waits?: Waits | undefined; readonly readsOnly?: boolean },
  work: (
    call: CallContext,
    request: Request,
    response: Response,
    audited: AuditedCall,
  ) => Promise<ApiAnswer>,
): RequestHandler {
  const { keyedInFlight } = dependencies;
  const waitOf = (request: Request) =>
    waits === undefined || !asksToWait(waits, request) ? undefined : waits;
  const takePlace: TakePlace = (run, request) =>
    waitOf(request) === undefined ? keyedInFlight.run(run) : run();
  const made = { ...options, inFlight: takePlace };
  return respond(dependencies, made, async (call, request, response, recordCaller) => {
    const { isIngest } = options;
    const admit = () =>
      dependencies.admission.admit(request, response, call, { isIngest, recordCaller });
    const wait = waitOf(request);
    const admitted = await (wait === undefined ? admit() : keyedInFlight.run(admit));
    const { tenant, scopes, callerId, signedIn } = admitted;
    const caller = { type: signedIn === undefined ? 'KEY' : 'OPERATOR', id: callerId } as const;
    let detail: AuditDetail | undefined;
    const describe = (described: AuditDetail) => {
      detail = described;
    };
    const audited = { caller, describe };
    const run = () =>
      work({ ...call, tenant, scopes }, request, response, audited).catch((error: unknown) => {
        throw dependencies.admission.refusalOf(error, admitted);
      });
    const inPlace = placeOf(admitted, dependencies, wait);
    // A key's request is still recorded, for the list of requests.
    const isWrite = !isRead(request.method) && !(readsOnly && signedIn !== undefined);
    if (!isWrite) return inPlace(run);
    const { route } = options;
    if (signedIn === undefined) {
      if (isIngest !== true) {
        const audit = () => auditedWrite(admitted, request, { route, detail });
        recordCaller(admitted.facts, { ...admitted.author, audit });
      }
      return inPlace(run);
    }
    const { method, path } = request;
    const { environmentId } = tenant;
    const action = { action: `${method} ${route}`, path, environmentId };
    const origin = originOfRequest(request);
    const entry = { call, origin, work: run, detail: () => detail };
    return inPlace(() => dependencies.operatorAccess.audited(signedIn, action, entry));
  });
}

/** True if a request may last long: one for events only if it asks to wait. */
function asksToWait(waits: Waits, { query }: Request): boolean {
  return waits !== 'EVENTS' || (query.wait !== undefined && query.wait !== '0');
}

/**
 * Concurrency limits of a request: those of its caller and organization, or those of requests that
 * wait.
 */
function placeOf(
  { callerId, tenant }: Admitted,
  {
    inFlightPerKey,
    inFlightPerOrganization,
    waiting,
    waitingPerEnvironment,
    polling,
    pollingPerKey,
    exports,
    exportsPerEnvironment,
  }: AuthenticatedDependencies,
  waits: Waits | undefined,
): (work: () => Promise<ApiAnswer>) => Promise<ApiAnswer> {
  const { organizationId, environmentId } = tenant;
  switch (waits) {
    case 'CLOCK':
      return (work) => waitingPerEnvironment.run(() => waiting.run(work), environmentId);
    case 'EVENTS':
      return (work) => pollingPerKey.run(() => polling.run(work), callerId);
    case 'EXPORT':
      return (work) => exportsPerEnvironment.run(() => exports.run(work), environmentId);
    case undefined:
      return (work) =>
        inFlightPerKey.run(() => inFlightPerOrganization.run(work, organizationId), callerId);
  }
}
